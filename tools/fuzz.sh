#!/usr/bin/env bash
# Builds the fuzz targets with clang in build-fuzz and runs each for some time; prints a table of what each did, and
# exits 1 where one found something.
#
#   JOBS=N tools/fuzz.sh [SECONDS] [TARGET...]      (default: 600 seconds for each target of fuzz/, N at once)
#
# SECONDS are of processor time, so a busy machine does not shorten the work. Inputs start from fuzz/corpus/TARGET,
# which stays as it is: new ones go to build-fuzz/corpus/TARGET, findings to build-fuzz/findings/TARGET. A finding that
# was mended belongs into fuzz/corpus/TARGET, where the tests run it. Words in fuzz/TARGET.dict help to get deep. Every
# call adds its lines to build-fuzz/fuzz_totals.tsv.
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

# Inputs of one file are small; of several files they are not.
longest_input() {
  case "$1" in
    run_directory) echo 16384 ;;
    checkpoint | parts | safetensors | tu) echo 8192 ;;
    *) echo 2048 ;;
  esac
}

# Runs one target, in rounds until its processor time is used, and leaves its line for the table in a file.
fuzz_one() {
  local target=$1 result=0 executions=0 spent=0 round found edges=0 all=0 features=0 inputs=0
  local scratch=$build_dir/corpus/$target findings=$build_dir/findings/$target log=$build_dir/fuzz_$target.log
  local words=()
  mkdir -p "$scratch" "$findings"
  [[ ! -f "fuzz/$target.dict" ]] || words=("-dict=fuzz/$target.dict")
  echo "fuzz: $target for $seconds s (log: $log)"
  : >"$log"
  while ((result == 0 && spent < seconds)); do
    round=$build_dir/fuzz_$target.round
    {
      TIMEFORMAT='processor %U %S'
      time "$build_dir/fuzz_$target" -max_total_time="$((seconds - spent < 5 ? 5 : seconds - spent))" \
        -max_len="$(longest_input "$target")" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$findings/" "${words[@]}" "$scratch" "fuzz/corpus/$target"
    } >"$round" 2>&1 || result=$?
    executions=$((executions + $(awk '/stat::number_of_executed_units/ { n = $2 } END { print n + 0 }' "$round")))
    spent=$((spent + $(awk '/^processor / { print int($2 + $3 + 0.5) }' "$round")))
    read -r edges all features inputs < <(awk '
      /^INFO: Loaded 1 modules/ { for (i = 1; i <= NF; ++i) if ($i == "inline") { all = $(i - 1); sub(/\(/, "", all) } }
      / cov: / { for (i = 1; i < NF; ++i) {
                   if ($i == "cov:") edges = $(i + 1)
                   if ($i == "ft:") features = $(i + 1)
                   if ($i == "corp:") { inputs = $(i + 1); sub(/\/.*/, "", inputs) } } }
      END { print edges + 0, all + 0, features + 0, inputs + 0 }' "$round")
    cat "$round" >>"$log"
  done
  rm -f "$round"
  found=$(find "$findings" -type f | wc -l)
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\n' \
    "$target" "$executions" "$spent" "$edges" "$all" "$features" "$inputs" "$found" >"$build_dir/fuzz_$target.summary"
  ((result == 0)) || echo "fuzz: $target ended with exit code $result, see $log"
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
  cat "$build_dir/fuzz_$target.summary"
done | tee -a "$build_dir/fuzz_totals.tsv" | awk -F '\t' '
  BEGIN { line = "%-16s %13s %8s %10s %12s %9s %8s %9s\n"
          printf line, "target", "executions", "seconds", "per second", "edges", "features", "inputs", "findings" }
  { printf line, $1, $2, $3, int($2 / ($3 > 0 ? $3 : 1)), $4 "/" $5, $6, $7, $8
    executions += $2; seconds += $3; found += $8 }
  END { printf line, "all", executions, seconds, int(executions / (seconds > 0 ? seconds : 1)), "", "", "", found }'
exit "$status"
