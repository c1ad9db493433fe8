#!/usr/bin/env bash
# How long taking one graph apart takes, and how much memory, from 1e5 to 2e7 edges, on a machine that is quiet.
#
#   tools/disentangle_sizes.sh [PROGRAM]     PROGRAM: build/factorgcn
#   EDGES="100000 1000000"                   about how many edges; default: 1e5, 1e6, 5e6, 2e7
#   THREADS=2                                default: all cores
#   FLAGS="--bootstrap 0"                    more of disentangle's options
#   WORK=FOLDER                              where graphs and results are kept; default: a temporary folder
#
# Graphs have 40 edges a node in 3 relations of 8 groups, 0.88 of them inside groups, and sizes are told. Each is timed
# from its file to its page: seconds, nanoseconds an edge, how many times the best of the table, and the process's peak
# memory. Needs GNU time. About 1.3 GB of disk for 2e7 edges.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${1:-build/factorgcn}")
command -v /usr/bin/time >/dev/null || { echo "GNU time is missing: apt-get install time" >&2; exit 1; }
read -ra sizes <<<"${EDGES:-100000 1000000 5000000 20000000}"
read -ra flags <<<"${FLAGS:-}"
work=${WORK:-$(mktemp -d)}
[[ -n ${WORK:-} ]] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
cd "$work"

rows=()
for edges in "${sizes[@]}"; do
  nodes=$((edges / 20))
  # Each relation gives a node 40 / 3 edges: 0.88 of them among the eighth of the nodes in its group.
  read -r inside outside < <(awk -v nodes="$nodes" \
    'BEGIN { each = 40 / 3 / nodes; printf "%.9g %.9g\n", 0.88 * each * 8, 0.12 * each * 8 / 7 }')
  graph=relations-$edges.safetensors
  [[ -e $graph ]] || "$program" data make relations --nodes "$nodes" --relations 3 --groups 8 --inside "$inside" \
    --outside "$outside" --out "$graph" >/dev/null
  rm -rf "out-$edges"
  /usr/bin/time -f '%e %U %S %M' -o "time-$edges" "$program" disentangle "$graph" --relations 3 --groups 8 \
    --threads "${THREADS:-0}" --out "out-$edges" "${flags[@]}" >"report-$edges.txt"
  read -r wall user system kilobytes <"time-$edges"
  lines=$(grep -om 1 '[0-9,]* edges' "report-$edges.txt" | tr -dc 0-9)
  auc=$(sed -n 's/^Relation AUC \([0-9.]*\);.*/\1/p' "report-$edges.txt")
  rows+=("$lines $wall $user $system $kilobytes ${auc:--}")
  echo "$lines edges: $wall s" >&2
done

printf '%s\n' "${rows[@]}" | awk '
  {
    edges[NR] = $1; each[NR] = $2 / $1; used[NR] = ($3 + $4) / $1; line[NR] = $0
    if (NR == 1 || each[NR] < best) best = each[NR]
    if (NR == 1 || used[NR] < least) least = used[NR]
  }
  END {
    form = "%12s %9s %11s %12s %14s %12s %9s %7s\n"
    printf form, "edges", "seconds", "ns an edge", "of the best", "processor ns", "of the best", "peak GB", "AUC"
    for (row = 1; row <= NR; ++row) {
      split(line[row], of, " ")
      printf form, of[1], of[2], int(1e9 * each[row]), sprintf("%.2f", each[row] / best), int(1e9 * used[row]), \
        sprintf("%.2f", used[row] / least), sprintf("%.2f", of[5] / 1048576), of[6]
    }
  }'
