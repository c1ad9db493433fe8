#!/usr/bin/env bash
# What each of the aligned model's losses is good for: several seeds with all of them, and as many without each one, all
# side by side (tools/aligned_runs.sh, whose options come first). The table of docs/aligned.md is what this prints.
#
#   tools/aligned_ablations.sh [--limit SECONDS] [--at-once N] [--device NAME] OUT [SEEDS [OPTIONS OF factorgcn train]]
#   tools/aligned_ablations.sh --limit 400 ablations 3 --factors 4 --starts 1
set -euo pipefail
here=$(dirname "${BASH_SOURCE[0]}")
passed=()
while [[ ${1:-} == --* ]]; do
  passed+=("$1" "$2")
  shift 2
done
out=${1:?the folder for the runs} seeds=${2:-3}
shift $(($# < 2 ? $# : 2))

for loss in none empty cover entropy share swap adversary namer; do
  for ((seed = 0; seed < seeds; ++seed)); do
    if [[ $loss == none ]]; then
      echo "all-$seed --seed $seed"
    else
      echo "without-$loss-$seed --seed $seed --set $loss=0"
    fi
  done
done | "$here/aligned_runs.sh" "${passed[@]}" "$out" - "$@"
