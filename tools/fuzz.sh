#!/usr/bin/env bash
# Builds the fuzz targets with clang in build-fuzz and runs each for some time; exits 1 where one found something.
#
#   JOBS=N tools/fuzz.sh [SECONDS] [TARGET...]      (default: 600 seconds for each target of fuzz/, N at once)
#
# Inputs start from fuzz/corpus/TARGET, which stays as it is: new ones go to build-fuzz/corpus/TARGET, findings to
# build-fuzz/findings/TARGET. A finding that was mended belongs into fuzz/corpus/TARGET, where the tests run it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

seconds=${1:-600}
[[ $# -eq 0 ]] || shift
if ! [[ "$seconds" =~ ^[1-9][0-9]*$ ]]; then
  echo "fuzz: '$seconds' is no number of seconds; usage: tools/fuzz.sh [SECONDS] [TARGET...]" >&2
  exit 2
fi
targets=("$@")
if ((${#targets[@]} == 0)); then
  for file in fuzz/*_fuzz.cpp; do
    name=${file##*/}
    targets+=("${name%_fuzz.cpp}")
  done
fi
for target in "${targets[@]}"; do
  if [[ ! -f "fuzz/${target}_fuzz.cpp" ]]; then
    echo "fuzz: there is no target '$target': fuzz/${target}_fuzz.cpp is missing" >&2
    exit 2
  fi
done

build_dir=${FUZZ_BUILD_DIR:-build-fuzz}
cmake --preset fuzz -B "$build_dir"
cmake --build "$build_dir" -j "${JOBS:-$(nproc)}" --target "${targets[@]/#/fuzz_}"

# Leaks in libtorch's own start are not ours; quarantine kept small so that memory stays under the limit.
export ASAN_OPTIONS=${ASAN_OPTIONS:-strict_string_checks=1:quarantine_size_mb=32:allocator_may_return_null=0}
export UBSAN_OPTIONS=${UBSAN_OPTIONS:-print_stacktrace=1}
export LSAN_OPTIONS=${LSAN_OPTIONS:-suppressions=$PWD/cmake/sanitizers/lsan.supp:print_suppressions=0}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

# Runs one target and leaves its line for the summary in a file; several run at once.
fuzz_one() {
  local target=$1 result=0 executions found
  local scratch=$build_dir/corpus/$target findings=$build_dir/findings/$target log=$build_dir/fuzz_$target.log
  mkdir -p "$scratch" "$findings"
  echo "fuzz: $target for $seconds s (log: $log)"
  "$build_dir/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$findings/" "$scratch" "fuzz/corpus/$target" >"$log" 2>&1 || result=$?
  executions=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  found=$(find "$findings" -type f | wc -l)
  {
    printf '%s: %s executions, %s findings' "$target" "${executions:-0}" "$found"
    ((found == 0)) || printf ' in %s' "$findings"
    ((result == 0)) || printf '; ended with exit code %s, see %s' "$result" "$log"
    printf '\n'
  } >"$build_dir/fuzz_$target.summary"
  ((result == 0 && found == 0))
}

status=0
running=0
for target in "${targets[@]}"; do
  if ((running >= ${JOBS:-$(nproc)})); then
    wait -n || status=1
    running=$((running - 1))
  fi
  fuzz_one "$target" &
  running=$((running + 1))
done
while ((running > 0)); do
  wait -n || status=1
  running=$((running - 1))
done
for target in "${targets[@]}"; do
  echo "fuzz: $(cat "$build_dir/fuzz_$target.summary")"
done
exit "$status"
