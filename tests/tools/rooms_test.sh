#!/usr/bin/env bash
# tools/rooms.sh on a small house of its own: passes where the table is right, and names what is wrong where it is not.
set -euo pipefail
rooms=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)/tools/rooms.sh
house=$(mktemp -d)
trap 'rm -rf "$house"' EXIT
mkdir -p "$house"/{docs,src/{graph,ops/cuda},include/factorgcn/{base,graph}}
echo '#include "factorgcn/base/error.h"' >"$house/include/factorgcn/graph/graph.h"
echo '#include "factorgcn/graph/graph.h"' >"$house/src/ops/cuda/sums.cu"

table() {
  printf '| room | holds | may use | library |\n| --- | --- | --- | --- |\n%s\n' "$1" >"$house/docs/architecture.md"
}
right='| `base/` | all need it | nothing | core |
| `graph/` | graphs | `base` | core |
| `ops/` | operations | `graph` | core |'

failed=0
# expect STATUS WORDS: what rooms.sh must say on either stream.
expect() {
  local status=0 said
  said=$(FACTORGCN_ROOT=$house "$rooms" 2>&1) || status=$?
  if [[ $status -ne $1 || $said != *"$2"* ]]; then
    printf 'expected %s and "%s", got %s and "%s"\n' "$1" "$2" "$status" "$said" >&2
    failed=1
  fi
}

table "$right"
expect 0 "2 includes between rooms"
echo '  #  include "ops/checks.h"' >>"$house/include/factorgcn/graph/graph.h"
expect 1 "include/factorgcn/graph/graph.h:2: graph/ uses ops/"
table "${right/\`base\` |/\`ops\` |}"
expect 1 "a circle"
sed -i 2d "$house/include/factorgcn/graph/graph.h"
expect 1 "graph/ may use ops/, but no file does"
: >"$house/docs/architecture.md"
expect 1 "has no table"
exit "$failed"
