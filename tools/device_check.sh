#!/usr/bin/env bash
# On a machine with a GPU: builds with CUDA, runs the GPU tests, then the benchmark on every shape.
#
#   BUILD=/tmp/b SHAPES="synth zinc pattern big" MODELS="factorgcn gat" CMAKE_ARGS="-Drapidcheck_DIR=..." TESTS=1 \
#     tools/device_check.sh
#
# Logs land in $BUILD (and in $LOGS, where set). The last lines are one line of JSON per model and shape.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=${BUILD:-/tmp/factorgcn-device}
shapes=${SHAPES:-synth zinc pattern big}
models=${MODELS:-factorgcn}
jobs=${JOBS:-$(nproc)}
mkdir -p "$build"
tests=OFF
targets=factorgcn_bench
if [[ ${TESTS:-1} == 1 ]]; then
  tests=ON
  targets="test_ops test_nn test_optim test_graph test_gpu factorgcn_bench"
fi

# shellcheck disable=SC2086
cmake -G Ninja -S . -B "$build" -DCMAKE_BUILD_TYPE=Release -DFACTORGCN_BUILD_CLI=OFF -DFACTORGCN_INSTALL=OFF \
  -DFACTORGCN_BUILD_TESTS=$tests -DFACTORGCN_WITH_CUDA=ON -DCMAKE_CUDA_ARCHITECTURES=90 ${CMAKE_ARGS:-} \
  >"$build/configure.log" 2>&1 || { tail -20 "$build/configure.log"; exit 1; }
start=$SECONDS
# shellcheck disable=SC2086
ninja -C "$build" -j "$jobs" -k 0 $targets >"$build/build.log" 2>&1 ||
  { grep -E "error|FAILED|undefined" "$build/build.log" | cut -c1-300 | head -30; failed=1; }
echo "built in $((SECONDS - start)) s"
if [[ $tests == ON ]]; then
  for program in test_gpu test_ops test_nn test_optim test_graph; do
    [[ -x $build/$program ]] || continue
    timeout 120 "$build/$program" --gtest_filter='*OnGpu*:Device*' >"$build/$program.log" 2>&1
    grep -E "^\[  (PASSED|FAILED|SKIPPED)|Failure|differs|float|Which|what\(\)|error|: grad|C\+\+ exception" \
      "$build/$program.log" |
      cut -c1-220 | head -n "${TEST_LINES:-12}"
  done
fi
for model in $models; do
  for shape in $shapes; do
    timeout 120 "$build/factorgcn-bench" --model "$model" --shape "$shape" --device cuda --json 2>&1 | tail -3
  done
done
[[ -z ${LOGS:-} ]] || cp "$build"/*.log "$LOGS"/
exit "${failed:-0}"
