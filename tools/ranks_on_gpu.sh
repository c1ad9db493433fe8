#!/usr/bin/env bash
# Several processes on one GPU: the same bits as one alone, exchanging over Gloo through main memory.
#
#   tools/ranks_on_gpu.sh [PROGRAM]       PROGRAM: build/factorgcn, built with CUDA and Gloo; some 20 s
#
# Trains a sharded run on the GPU with 1, 2 and 3 processes, resumes one of two processes alone, and says whether the
# weights are the same bytes. Seconds of each beside it.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=$(realpath "${1:-build/factorgcn}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
small="--train-size 2000 --validation-size 200 --test-size 200 --batch-size 200 --shards 4"

# ranks flags...
ranks() {
  local size=$1 port=$((20000 + RANDOM % 20000)) rank failed=0 process
  local processes=() patience=()
  ((size == 1)) || patience=(--rank-timeout 30)
  shift
  for ((rank = 0; rank < size; ++rank)); do
    RANK=$rank WORLD_SIZE=$size LOCAL_WORLD_SIZE=$size MASTER_ADDR=127.0.0.1 MASTER_PORT=$port \
      "$program" train --quiet --no-page "${patience[@]}" "$@" >/dev/null &
    processes+=($!)
  done
  for process in "${processes[@]}"; do
    wait "$process" || failed=1
  done
  return "$failed"
}

tensors() {
  python3 - "$1/model.safetensors" <<'PYTHON'
import hashlib, struct, sys
data = open(sys.argv[1], "rb").read()
print(hashlib.sha256(data[8 + struct.unpack("<Q", data[:8])[0]:]).hexdigest()[:16])
PYTHON
}

code=0
for device in ${DEVICES:-cuda}; do
  expected=
  for size in 1 2 3; do
    start=$(date +%s.%N)
    # shellcheck disable=SC2086
    if ! ranks "$size" --device "$device" --out "$device-$size" --epochs 3 $small; then
      echo "$device, $size processes: FAILED"
      code=1
      continue
    fi
    hash=$(tensors "$device-$size")
    expected=${expected:-$hash}
    [[ $hash == "$expected" ]] || code=1
    echo "$device, $size processes: $hash, $(python3 -c "print(f'{$(date +%s.%N) - $start:.1f}')") s"
  done
  # shellcheck disable=SC2086
  ranks 2 --device "$device" --out "$device-more" --epochs 2 $small && ranks 1 --resume "$device-more" --epochs 3 ||
    code=1
  hash=$(tensors "$device-more")
  [[ $hash == "$expected" ]] || code=1
  echo "$device, 2 processes, then 1: $hash, $(wc -l <"$device-more/history.jsonl") epochs"
done
[[ $code == 0 ]] && echo "the same bits" || echo "NOT the same bits"
exit "$code"
