#!/usr/bin/env bash
# Training over a slow and lossy network, and over one that goes down: two network namespaces of this machine, joined by
# a link of 1 Gbit/s that drops 2 % of the packets. Needs root, ip and tc, and nft where tc has no netem.
#
#   tools/network_trial.sh PROGRAM flags...    e.g. build/factorgcn --dataset graph-2 --epochs 20
#                                              e.g. build/factorgcn --shards 2 --train-size 2000 --epochs 10
#   RATE=1gbit LOSS=2 TIMEOUT=15
#
# Says the seconds alone, over the network, over the lossy one, whether weights are the same bits, and what both
# processes say, and when, after the link goes down.
set -uo pipefail
program=$(realpath "$1")
shift
rate=${RATE:-1gbit} loss=${LOSS:-2} timeout=${TIMEOUT:-15}
spaces=("factorgcn-$$-0" "factorgcn-$$-1")
work=$(mktemp -d)
leave() {
  for space in "${spaces[@]}"; do
    ip netns del "$space" 2>/dev/null
  done
  rm -rf "$work"
}
trap leave EXIT

for space in "${spaces[@]}"; do
  ip netns add "$space"
  ip -n "$space" link set lo up
done
ip link add "veth0" netns "${spaces[0]}" type veth peer name "veth1" netns "${spaces[1]}"
for end in 0 1; do
  ip -n "${spaces[end]}" address add "10.77.0.$((end + 1))/24" dev "veth$end"
  ip -n "${spaces[end]}" link set "veth$end" up
done

limit() {
  for end in 0 1; do
    ip netns exec "${spaces[end]}" tc qdisc replace dev "veth$end" root handle 1: tbf rate "$rate" burst 256kb \
      latency 50ms
  done
}

drop() {
  local way=netem
  for end in 0 1; do
    if ! ip netns exec "${spaces[end]}" tc qdisc add dev "veth$end" parent 1:1 netem loss "$loss%" 2>/dev/null; then
      ip netns exec "${spaces[end]}" nft -f - <<RULES || return 1
table inet loss {
  chain incoming {
    type filter hook input priority 0;
    iifname "veth$end" numgen random mod 100 < $loss counter drop
  }
}
RULES
      way=nft
    fi
  done
  echo "$loss % of the packets are dropped by $way"
}

# out: starts both ranks; rank r writes to $work/out.r
processes=()
start() {
  local out=$1 rank
  shift
  processes=()
  for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 MASTER_ADDR=10.77.0.1 MASTER_PORT=29511 GLOO_SOCKET_IFNAME=veth$rank \
      ip netns exec "${spaces[rank]}" "$program" train --out "$work/$out" --threads 1 --quiet --no-page \
      --rank-timeout "$timeout" "$@" >"$work/$out.$rank" 2>&1 &
    processes+=($!)
  done
}

tensors() {
  python3 - "$work/$1/model.safetensors" <<'PYTHON'
import hashlib, struct, sys
data = open(sys.argv[1], "rb").read()
print(hashlib.sha256(data[8 + struct.unpack("<Q", data[:8])[0]:]).hexdigest()[:16])
PYTHON
}

code=0
# name words...: waits, and says time and bits
told() {
  local begin=$1 out=$2 process
  for process in "${processes[@]}"; do
    wait "$process" || { code=1; tail -n 3 "$work/$out".*; }
  done
  echo "$out: $(($(date +%s%N) / 1000000 - begin)) ms, $(tensors "$out")"
}

begin=$(($(date +%s%N) / 1000000))
"$program" train --out "$work/alone" --threads 1 --quiet --no-page "$@" >/dev/null &
processes=($!)
told "$begin" alone
limit
begin=$(($(date +%s%N) / 1000000))
start limited "$@"
told "$begin" limited
drop || { echo "neither netem nor nft: no loss"; code=1; }
begin=$(($(date +%s%N) / 1000000))
start lossy "$@"
told "$begin" lossy
if [[ $(tensors alone) == "$(tensors limited)" && $(tensors alone) == "$(tensors lossy)" ]]; then
  echo "the same bits"
else
  code=1
fi

start down --checkpoint-seconds 0 "$@"
for ((tries = 0; tries < 600; ++tries)); do
  [[ -e $work/down/checkpoint.safetensors ]] && break
  sleep 0.1
done
ip -n "${spaces[1]}" link set veth1 down
begin=$(($(date +%s%N) / 1000000))
for rank in 0 1; do
  wait "${processes[rank]}"
  echo "link down, rank $rank: exit code $?, after $(($(date +%s%N) / 1000000 - begin)) ms: $(cat "$work/down.$rank")"
done
exit "$code"
