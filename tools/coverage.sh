#!/usr/bin/env bash
# Builds with coverage, runs the tests and prints the line coverage of src/; exits 1 below MINIMUM percent.
#
#   MINIMUM=85 JOBS=N tools/coverage.sh       report: build-coverage/coverage/index.html
#
# Child processes that tests start count too; those ended by SIGKILL write nothing, which loses only their own lines.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

minimum=${MINIMUM:-85}
jobs=${JOBS:-$(nproc)}
build_dir=build-coverage

cmake --preset coverage
cmake --build "$build_dir" -j "$jobs"

# Counters add up from run to run: start from zero.
find "$build_dir" -name '*.gcda' -delete
status=0
ctest --test-dir "$build_dir" --output-on-failure -j 2 -LE 'slow|examples' || status=$?

mkdir -p "$build_dir/coverage"
gcovr --root . --object-directory "$build_dir" --filter 'src/' -j "$jobs" \
  --exclude-unreachable-branches --exclude-throw-branches \
  --html-details "$build_dir/coverage/index.html" --txt "$build_dir/coverage/summary.txt" \
  --fail-under-line "$minimum" || status=$?
cat "$build_dir/coverage/summary.txt"
awk -v minimum="$minimum" '$1 == "TOTAL" { print "line coverage of src/: " $4 " (at least " minimum "% wanted)" }' \
  "$build_dir/coverage/summary.txt"
exit "$status"
