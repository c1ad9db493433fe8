#!/usr/bin/env bash
# On a machine with a GPU: the GPU tests under compute-sanitizer, one file of tests at a time or several.
#
#   BUILD=build tools/gpu_sanitize.sh [memcheck] [racecheck] [initcheck] [synccheck]
#
# (none)        memcheck and racecheck
# BUILD         the build folder with the test programs (now what device_check.sh builds, or build/)
# ONLY          a regular expression on files, as in ONLY='dense|adam'
# SHARDS        each file's tests in so many parts (1), each with a line and a limit of its own
# AT_A_TIME     files or parts at a time (1); they take the GPU by turns, so more than two or three gain nothing
# LIMIT         seconds for each (600)
# MORE          further options of compute-sanitizer
# LOGS          a folder for the whole output ($BUILD/sanitize)
#
# Prints a line per file and tool, and exits 1 unless all are clean. A file that is not built, does not end in time or
# finds no GPU is not clean. Tests of training are brief (FACTORGCN_TEST_BRIEF=1). racecheck runs
# without kernels in clusters of blocks (FACTORGCN_GPU_CLUSTERS=0): with them it does not come to an end, and leaving
# them out by name it stops with an error of its own.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2

tools=("$@")
[[ ${#tools[@]} -gt 0 ]] || tools=(memcheck racecheck)
for tool in "${tools[@]}"; do
  case "$tool" in
    memcheck | racecheck | initcheck | synccheck) ;;
    -h | --help) sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "gpu_sanitize: unknown tool '$tool': choose memcheck, racecheck, initcheck or synccheck" >&2; exit 2 ;;
  esac
done
sanitizer=$(command -v compute-sanitizer || ls /usr/local/cuda/bin/compute-sanitizer 2>/dev/null) ||
  { echo "gpu_sanitize: compute-sanitizer is not there; it comes with the CUDA toolkit" >&2; exit 2; }
build=${BUILD:-/tmp/factorgcn-device}
[[ -n ${BUILD:-} || -d $build ]] || build=build
logs=${LOGS:-$build/sanitize}
limit=${LIMIT:-600}
mkdir -p "$logs" || exit 2

# One file, or part of it, under one tool: a line of the table.
sanitize() {
  local tool=$1 file=$2 shard=$3 room name program log status clusters start=$SECONDS result
  room=$(cut -d/ -f2 <<<"$file")
  name=$(basename "$file" _test.cpp)
  program=$build/test_$room
  ((shards == 1)) || name+=.$((shard + 1))of$shards
  log=$logs/$name.$tool.log
  clusters=1
  [[ $tool != racecheck ]] || clusters=0
  if [[ ! -x $program ]]; then
    result="not built ($program)"
  else
    # shellcheck disable=SC2086
    FACTORGCN_TEST_BRIEF=1 FACTORGCN_GPU_CLUSTERS=$clusters GTEST_TOTAL_SHARDS=$shards GTEST_SHARD_INDEX=$shard \
      timeout -k 10 "$limit" "$sanitizer" --tool "$tool" --error-exitcode 99 ${MORE:-} "$program" \
      --file="$(basename "$file")" >"$log" 2>&1
    status=$?
    if ((status == 124)); then
      result="did not end; $(grep -c '^\[       OK' "$log") tests passed"
    elif grep -q '^\[  SKIPPED' "$log"; then
      result="skipped: no GPU?"
    elif ((status == 99)) || grep -qE 'ERROR SUMMARY: [1-9]|RACECHECK SUMMARY: [1-9]' "$log"; then
      result="FOUND $(grep -oE 'SUMMARY: .*' "$log" | tail -1); see $log"
    elif ((status != 0)); then
      result="tests failed ($status); see $log"
    elif ! grep -q 'SUMMARY: 0' "$log"; then
      result="no summary; see $log"
    else
      result="clean, $(grep -c '^\[       OK' "$log") tests"
    fi
  fi
  printf '%-28s %-10s %5d s  %s\n' "$name" "$tool" $((SECONDS - start)) "$result"
}
export -f sanitize
shards=${SHARDS:-1}
export build logs limit sanitizer shards MORE=${MORE:-}

table=$logs/table.txt
find tests -name '*_gpu_test.cpp' | grep -E -- "${ONLY:-.}" | sort |
  while read -r file; do
    for tool in "${tools[@]}"; do
      for ((shard = 0; shard < shards; ++shard)); do echo "$tool $file $shard"; done
    done
  done |
  xargs -r -P "${AT_A_TIME:-1}" -L 1 bash -c 'sanitize "$@"' _ | tee "$table"
[[ -s $table ]] || { echo "gpu_sanitize: no file of GPU tests matches ONLY='${ONLY:-}'" >&2; exit 2; }
! grep -qv ' s  clean, ' "$table"
