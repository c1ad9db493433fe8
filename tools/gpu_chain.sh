#!/usr/bin/env bash
# Times the kernels of a training step on one large graph, without libtorch (bench/gpu_chain): each pass over the edges
# alone, and the chain of launches with parts left out.
#
#   tools/gpu_chain.sh [--edges N] [--degrees uniform|power] [--passes]
#
# BUILD         where it is compiled (build/gpu-chain); what is older than the kernels is compiled again
# ARCH          the GPU's compute capability (90)
#
# nvcc is enough to compile it. Where there is no GPU it says which file to take to a machine that has one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
build=${BUILD:-build/gpu-chain}
arch=${ARCH:-90}
[[ ${1:-} != -h && ${1:-} != --help ]] || { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit 0; }
nvcc=$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null) ||
  { echo "gpu_chain: nvcc is not there; it comes with the CUDA toolkit" >&2; exit 2; }
mkdir -p "$build"

compile() {
  local object
  object=$build/$(basename "${1%.*}").o
  [[ -f $object && -z $(find src/ops/cuda bench/gpu_chain -newer "$object" -print -quit) ]] ||
    "$nvcc" -std=c++20 -O3 -DNDEBUG -arch="sm_$arch" -Isrc -c "$1" -o "$object"
}
export -f compile
export build nvcc arch
kernels=(aggregate batch_norm batch_norm_cluster dense elementwise judge_graphs long_rows loss_row mean_loss
         partial_sums)
{ printf 'src/ops/cuda/%s.cu\n' "${kernels[@]}"; echo bench/gpu_chain/gpu_chain.cpp; } |
  xargs -P "$(nproc)" -I{} bash -c 'set -e; compile {}'
"$nvcc" -arch="sm_$arch" "$build"/*.o -o "$build/gpu-chain"
if ! nvidia-smi >/dev/null 2>&1; then
  echo "no GPU here; on a machine with one run $build/gpu-chain"
  exit 0
fi
"$build/gpu-chain" "$@"
