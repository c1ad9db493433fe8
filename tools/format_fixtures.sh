#!/usr/bin/env bash
# Makes one of each kind of file that this version of the program writes, for the tests of all later versions.
#
#   tools/format_fixtures.sh FOLDER      (tests/fixtures/formats/VERSION; build/factorgcn must be built)
#
# To be run once, when a version is released; its files are never changed afterwards.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[[ $# -eq 1 ]] || { echo "usage: tools/format_fixtures.sh FOLDER" >&2; exit 2; }
[[ ! -e "$1" ]] || { echo "format_fixtures: $1 is there already, and released files stay as they are" >&2; exit 2; }
program=$PWD/build/factorgcn
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

small=(--train-size 24 --validation-size 8 --test-size 8 --batch-size 8 --threads 1 --quiet --no-page)
"$program" train "${small[@]}" --epochs 3 --out run
"$program" train "${small[@]}" --epochs 2 --out half
rm half/metrics.json # what an interrupt leaves: a checkpoint and no result
"$program" predict run --out predictions.csv
"$program" factors run --out factors.csv

awk 'BEGIN { print "from,to"; for (n = 0; n < 16; ++n) for (s = 1; s <= 3; ++s)
       print "p" n ",p" int(n / 8) * 8 + (n + s) % 8 }' >edges.csv
awk 'BEGIN { print "name,age,team"; for (n = 0; n < 16; ++n)
       print "p" n "," 20 + n "," (n < 8 ? "red" : "blue") }' >people.csv
"$program" data import edges.csv --nodes people.csv --label team --out own.safetensors
"$program" train --dataset own.safetensors --set hidden=8 --epochs 2 --threads 1 --quiet --no-page \
  --out own-run
# A stored data set of four graphs, read once: its parsed copy is a file of ours too. Its files' times are part of that.
mkdir -p data/TINY
printf '%s\n' "1, 2" "2, 1" "2, 3" "3, 2" "1, 3" "3, 1" "4, 5" "5, 4" "5, 6" "6, 5" "7, 8" "8, 7" "8, 9" "9, 8" \
  "7, 9" "9, 7" "10, 11" "11, 10" "11, 12" "12, 11" >data/TINY/TINY_A.txt
printf '%s\n' 1 1 1 2 2 2 3 3 3 4 4 4 >data/TINY/TINY_graph_indicator.txt
printf '%s\n' 1 -1 1 -1 >data/TINY/TINY_graph_labels.txt
touch -d @1700000000 data/TINY/*
FACTORGCN_DATA=$PWD/data "$program" data info TINY --fold-count 2 >tiny.txt
"$program" data partition own.safetensors --parts 2 --method hash --out net-2 >/dev/null
"$program" disentangle edges.csv --relations 2 --groups 2 --threads 1 --quiet --out parts >/dev/null
rm -f parts/page.html parts/report.txt own-run/checkpoint.safetensors ./*/.lock data/.lock data/parsed/.lock
cd - >/dev/null
mkdir -p "$(dirname "$1")"
cp -r "$scratch" "$1"
du -sh "$1"
