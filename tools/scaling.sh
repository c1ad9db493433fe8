#!/usr/bin/env bash
# Two processes of one thread against one process of one thread: steps a second, in one run on a machine that is quiet.
#
#   tools/scaling.sh [PROGRAM]       PROGRAM: build/factorgcn
#
# Synthetic graphs and, where it has been fetched, zinc in 2 shards; a graph of 5 million edges in 2 parts. Each is
# timed from the run's own history.jsonl, the first epoch left out; the two are alternated three times and the fastest
# of each is taken. Weights must be the same bits.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${1:-build/factorgcn}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# ranks out flags...: seconds an epoch
time_run() {
  local ranks=$1 out=$2 port=$((20000 + RANDOM % 20000)) rank
  local processes=() process
  shift 2
  rm -rf "$out"
  for ((rank = 0; rank < ranks; ++rank)); do
    RANK=$rank WORLD_SIZE=$ranks MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "$program" train --out "$out" --threads 1 --quiet --no-page "$@" >/dev/null &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process"
  done
  python3 - "$out/history.jsonl" <<'PYTHON'
import json, sys
seconds = [json.loads(line)["seconds"] for line in open(sys.argv[1])]
print(min(after - before for before, after in zip(seconds, seconds[1:])))
PYTHON
}

# name flags...
compare() {
  local name=$1 one=1e9 two=1e9 seconds
  shift
  for _ in 1 2 3; do
    seconds=$(time_run 1 one "$@"); one=$(python3 -c "print(min($one, $seconds))")
    seconds=$(time_run 2 two "$@"); two=$(python3 -c "print(min($two, $seconds))")
  done
  cmp <(tail -c +2000 one/model.safetensors) <(tail -c +2000 two/model.safetensors) >/dev/null && same=yes || same=NO
  python3 -c "print(f'| $name | {$one:.3f} | {$two:.3f} | {$one / $two:.2f} | $same |')"
}

# nodes edges: a graph of communities in tables, cut into 2 parts
make_graph() {
  python3 - "$1" "$2" <<'PYTHON'
import random, sys
nodes, edges = int(sys.argv[1]), int(sys.argv[2])
block = nodes // 200
draw = random.Random(1).random
with open("edges.csv", "w") as file:
    for _ in range(edges):
        u = int(draw() * nodes)
        v = u // block * block + int(draw() * block) if draw() < 0.9 else int(draw() * nodes)
        file.write(f"{u},{min(v, nodes - 1)}\n")
with open("nodes.csv", "w") as file:
    file.write("id,x,y,label,split\n")
    for node in range(nodes):
        split = ("train", "train", "validation", "test")[int(draw() * 4)]
        file.write(f"{node},{draw() + node // block % 2:.3f},{draw():.3f},c{node // block % 2},{split}\n")
PYTHON
  "$program" data import edges.csv --nodes nodes.csv --out graph.safetensors >/dev/null
  "$program" data partition graph.safetensors --parts 2 --out graph-2 >&2
}

make_graph 200000 2500000
echo "$(lscpu | sed -n 's/^Model name: *//p'), $(nproc) cores, $(date -u +%F)"
echo "| data | 1 process, s an epoch | 2 processes | times faster | same bits |"
echo "| --- | ---: | ---: | ---: | --- |"
compare synthetic --shards 2 --epochs 4
if "$program" data info zinc >/dev/null 2>&1; then
  compare zinc --dataset zinc --shards 2 --epochs 3
else
  echo "| zinc | not here: factorgcn data fetch zinc | | | |"
fi
compare "5 million edges" --dataset graph-2 --epochs 4
