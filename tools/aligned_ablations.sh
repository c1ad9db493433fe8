#!/usr/bin/env bash
# What each of the aligned model's losses is good for: one run of several seeds with all of them, and one for each that
# is left out. The table of docs/aligned.md is what they print.
#
#   tools/aligned_ablations.sh [OUT] [SEEDS] [MORE OPTIONS OF factorgcn train]
#   tools/aligned_ablations.sh ablations 3 --factors 4
set -euo pipefail
out=${1:-ablations} seeds=${2:-3}
shift $(($# < 2 ? $# : 2))
program=${FACTORGCN:-build/factorgcn}

run() { # NAME SETTINGS...
  local name=$1
  shift
  [[ -e $out/$name/metrics.json ]] || "$program" train --model aligned --seeds "$seeds" --out "$out/$name" "$@"
}

run all "$@"
for loss in empty cover entropy share swap adversary namer; do
  run "without-$loss" --set "$loss=0" "$@"
done
