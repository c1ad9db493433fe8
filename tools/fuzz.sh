#!/usr/bin/env bash
# Builds the fuzz targets with clang in build-fuzz and runs each for some time; exits 1 where one found something.
#
#   JOBS=N tools/fuzz.sh [SECONDS] [TARGET...]      (default: 600 seconds for each target of fuzz/)
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

status=0
summary=()
for target in "${targets[@]}"; do
  scratch=$build_dir/corpus/$target
  findings=$build_dir/findings/$target
  log=$build_dir/fuzz_$target.log
  mkdir -p "$scratch" "$findings"
  echo "fuzz: $target for $seconds s (log: $log)"
  result=0
  "$build_dir/fuzz_$target" -max_total_time="$seconds" -max_len=8192 -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 -artifact_prefix="$findings/" "$scratch" "fuzz/corpus/$target" >"$log" 2>&1 || result=$?
  executions=$(awk '/stat::number_of_executed_units/ { print $2 }' "$log")
  found=$(find "$findings" -type f | wc -l)
  line="$target: ${executions:-0} executions, $found findings"
  if ((result != 0 || found != 0)); then
    status=1
    [[ "$found" -eq 0 ]] || line+=" in $findings"
    ((result == 0)) || line+="; ended with exit code $result, see $log"
  fi
  summary+=("$line")
done
printf 'fuzz: %s\n' "${summary[@]}"
exit "$status"
