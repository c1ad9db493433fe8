#!/usr/bin/env bash
# Draws the include graph between rooms from the sources and compares it with the table in docs/architecture.md.
#
#   tools/rooms.sh          exits 1 and names file, line and arrow where a room includes another that its row does not
#                           list, where a row lists an arrow that no file needs any more, or where rows form a circle
#   tools/rooms.sh --draw   prints the graph for Graphviz instead: tools/rooms.sh --draw | dot -Tsvg > rooms.svg
set -euo pipefail
cd "${FACTORGCN_ROOT:-$(dirname "${BASH_SOURCE[0]}")/..}"

case "${1:-}" in
  "" | --draw) ;;
  *) echo "usage: tools/rooms.sh [--draw]" >&2; exit 2 ;;
esac

# "room other file:line" for each include of another room's header.
arrows() {
  find src include/factorgcn -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    LC_ALL=C sort -z |
    xargs -0 awk '
      FNR == 1 { room = FILENAME; sub(/^(src|include\/factorgcn)\//, "", room); inside = sub(/\/.*/, "", room) }
      inside && match($0, /^[ \t]*#[ \t]*include[ \t]+"/) {
        other = substr($0, RLENGTH + 1)
        sub(/^factorgcn\//, "", other)
        if (sub(/\/.*/, "", other) && other != room) { print room, other, FILENAME ":" FNR }
      }'
}

# "room other" for each arrow of the table; "room base" for all, since every room may use it.
allowed() {
  awk -F '|' '
    /^\| room \| holds \| may use \|/ { table = 1; next }
    table && !/^\|/ { table = 0 }
    table && $2 !~ /---/ {
      room = $2
      gsub(/[ `\/]/, "", room)
      count = split($4, others, ",")
      for (i = 1; i <= count; ++i) {
        gsub(/[ `]/, "", others[i])
        if (others[i] != "nothing") { print room, others[i] }
      }
      if (room != "base") { print room, "base" }
    }' docs/architecture.md | LC_ALL=C sort -u
}

if [[ ${1:-} == --draw ]]; then
  echo "digraph rooms {"
  arrows | awk '$2 != "base" { ++count[$1 " -> " $2] }
                END { for (arrow in count) { print "  " arrow " [label=" count[arrow] "];" } }' | LC_ALL=C sort
  echo "}"
  exit 0
fi

failed=0
table=$(allowed)
if [[ -z $table ]]; then
  echo "rooms: docs/architecture.md has no table that begins with | room | holds | may use |" >&2
  exit 1
fi
found=$(arrows)
while read -r room other place; do
  if ! grep -qxF -- "$room $other" <<<"$table"; then
    echo "rooms: $place: $room/ uses $other/, which the table in docs/architecture.md does not list" >&2
    failed=1
  fi
done <<<"$found"
while read -r room other; do
  if [[ $other != base ]] && ! grep -q "^$room $other " <<<"$found"; then
    echo "rooms: docs/architecture.md: $room/ may use $other/, but no file does: take it out of the table" >&2
    failed=1
  fi
done <<<"$table"
if ! circle=$(tsort <<<"$table" 2>&1 >/dev/null); then
  echo "rooms: the table in docs/architecture.md has a circle:" "${circle//$'\n'/ }" >&2
  failed=1
fi
((failed)) || echo "rooms: $(wc -l <<<"$found") includes between rooms, all as docs/architecture.md has them"
exit "$failed"
