#!/usr/bin/env bash
# Several processes of one thread against one process of one thread: steps a second, on a machine that is quiet.
#
#   tools/scaling.sh [PROGRAM]       PROGRAM: build/factorgcn
#   RANKS="1 2"                      numbers of processes, the first is compared with; default: powers of two up to the
#                                    cores, at most 8
#   ROUNDS=3                         each number is tried so often, in turns; the fastest counts
#   CASES="synthetic zinc parts"     parts: a graph of 5 million edges
#   ZINC=NAME                        the data set to take for zinc: a file, or a name that has been fetched
#   WORK=FOLDER                      where all of it is kept; default: a temporary folder
#
# There are as many shards or parts as processes at most, so all end in the same bits. Each is timed from the run's own
# history.jsonl, the first epoch left out. The table comes last. NCCL and GPUs are not in it: tools/ranks_on_gpu.sh.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${1:-build/factorgcn}")
cores=$(nproc)
if [[ -z ${RANKS:-} ]]; then
  RANKS=1
  for number in 2 4 8; do
    ((number <= cores)) && RANKS+=" $number"
  done
fi
read -ra ranks <<<"$RANKS"
most=${ranks[-1]}
work=${WORK:-$(mktemp -d)}
[[ -n ${WORK:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
zinc=${ZINC:-zinc}
[[ ! -e $zinc ]] || zinc=$(realpath "$zinc")
cd "$work"

# ranks out flags...: trains; nothing is printed but what goes wrong
train() {
  local size=$1 out=$2 port=$((20000 + RANDOM % 20000)) rank process
  local processes=()
  shift 2
  rm -rf "$out"
  for ((rank = 0; rank < size; ++rank)); do
    RANK=$rank WORLD_SIZE=$size LOCAL_WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "$program" train --out "$out" --device cpu --threads 1 --quiet --no-page --checkpoint-seconds 3600 "$@" \
      >/dev/null &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process"
  done
}

# out: seconds of its fastest epoch but the first
epoch_seconds() {
  python3 - "$1/history.jsonl" <<'PYTHON'
import json, sys
seconds = [json.loads(line)["seconds"] for line in open(sys.argv[1])]
print(min(after - before for before, after in zip(seconds, seconds[1:])))
PYTHON
}

# The tensors' bytes, without the header that holds what may differ.
tensors() {
  python3 - "$1/model.safetensors" <<'PYTHON'
import hashlib, struct, sys
data = open(sys.argv[1], "rb").read()
print(hashlib.sha256(data[8 + struct.unpack("<Q", data[:8])[0]:]).hexdigest())
PYTHON
}

rows=()
# name rounds flags...
compare() {
  local name=$1 rounds=$2 round size same=yes row
  local -A best=()
  shift 2
  for ((round = 0; round < rounds; ++round)); do
    for size in "${ranks[@]}"; do
      train "$size" "out-$size" "$@"
      best[$size]=$(python3 -c "print(min(${best[$size]:-1e9}, $(epoch_seconds "out-$size")))")
      [[ $(tensors "out-$size") == "$(tensors "out-${ranks[0]}")" ]] || same=NO
    done
  done
  row="| $name "
  for size in "${ranks[@]}"; do
    row+=$(python3 -c "print(f'| {${best[$size]}:.3f} s, {${best[${ranks[0]}]} / ${best[$size]}:.2f} ', end='')")
  done
  rows+=("$row| $same |")
  echo "${rows[-1]}" >&2
}

# nodes edges: a graph of 200 communities in tables
make_tables() {
  python3 - "$1" "$2" <<'PYTHON'
import random, sys
nodes, edges = int(sys.argv[1]), int(sys.argv[2])
block = nodes // 200
draw = random.Random(1).random
with open("edges.csv", "w") as file:
    lines = []
    for _ in range(edges):
        u = int(draw() * nodes)
        v = u // block * block + int(draw() * block) if draw() < 0.9 else int(draw() * nodes)
        lines.append(f"{u},{v}\n")
    file.writelines(lines)
with open("nodes.csv", "w") as file:
    file.write("id,x,y,label,split\n")
    for node in range(nodes):
        split = ("train", "train", "validation", "test")[int(draw() * 4)]
        file.write(f"{node},{draw() + node // block % 2:.3f},{draw():.3f},c{node // block % 2},{split}\n")
PYTHON
}

for case in ${CASES:-synthetic zinc parts}; do
  case $case in
    synthetic) compare synthetic "${ROUNDS:-3}" --shards "$most" --epochs 6 ;;
    zinc)
      if "$program" data info "$zinc" >/dev/null 2>&1; then
        compare zinc "${ROUNDS:-3}" --dataset "$zinc" --shards "$most" --epochs 3
      else
        rows+=("| zinc | not here: factorgcn data fetch zinc |")
      fi
      ;;
    parts)
      if [[ ! -e graph-$most/parts.json ]]; then
        make_tables 200000 2500000
        "$program" data import edges.csv --nodes nodes.csv --out graph.safetensors --force >/dev/null
        "$program" data partition graph.safetensors --parts "$most" --out "graph-$most" >&2
        rm -f graph.safetensors edges.csv nodes.csv
      fi
      compare "5 million edges" "${PARTS_ROUNDS:-${ROUNDS:-3}}" --dataset "graph-$most" --epochs 3
      ;;
  esac
done

model=$(lscpu | sed -n 's/^Model name: *//p')
echo "$model, $cores cores, $(date -u +%F); seconds an epoch, times faster than the first"
header="| data " line="| --- "
for size in "${ranks[@]}"; do
  header+="| $size process$( ((size == 1)) || echo es) "
  line+="| ---: "
done
printf '%s| same bits |\n%s| --- |\n' "$header" "$line"
printf '%s\n' "${rows[@]}"
