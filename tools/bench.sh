#!/usr/bin/env bash
# One training step of factorgcn beside the same step in PyTorch (bench/peer_torch.py), and how many times faster.
#
#   SHAPES="synth zinc pattern" THREADS=N STEPS=20 STYLE=vector tools/bench.sh
#
# Both run the same shapes with the same number of threads, one after the other; medians are compared. Without a Python
# that has torch only our own numbers are printed. Nothing else should run on the machine meanwhile.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=${PROGRAM:-build/factorgcn-bench}
shapes=${SHAPES:-synth zinc pattern}
threads=${THREADS:-$(nproc)}
steps=${STEPS:-20}
style=${STYLE:-vector}

# The first Python on the PATH may not be the one that the distribution's packages serve.
python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import torch' 2>/dev/null; then
    python=$candidate
    break
  fi
done
if [[ -z "$python" ]]; then
  echo "python3 has no torch (tools/setup.sh --bench installs it): only factorgcn is measured" >&2
fi

# Prints the number behind "KEY": in one line of JSON.
field() { sed -nE "s/.*\"$1\": *([0-9.]+).*/\1/p" <<<"$2"; }

printf '%-8s %8s  %14s %10s  %14s %10s  %7s\n' shape threads "factorgcn ms" "peak MiB" "PyTorch ms" "peak MiB" ratio
for shape in $shapes; do
  ours=$("$program" --shape "$shape" --device cpu --threads "$threads" --steps "$steps" --json)
  peer_ms=- peer_mib=- ratio=-
  if [[ -n "$python" ]]; then
    peer=$("$python" bench/peer_torch.py --shape "$shape" --style "$style" --threads "$threads" --steps "$steps")
    peer_ms=$(field ms "$peer")
    peer_mib=$(field peak_mib "$peer")
    ratio=$(awk -v a="$peer_ms" -v b="$(field ms "$ours")" 'BEGIN { printf "%.1fx", a / b }')
  fi
  printf '%-8s %8s  %14s %10s  %14s %10s  %7s\n' "$shape" "$threads" "$(field ms "$ours")" "$(field peak_mib "$ours")" \
    "$peer_ms" "$peer_mib" "$ratio"
done
