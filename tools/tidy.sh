#!/usr/bin/env bash
# Runs clang-tidy over src/ (or over the files given) and exits 1 where any has a finding.
#
#   tools/tidy.sh [FILE...]      JOBS=N: at once (each takes up to 1.5 GB); CLANG_TIDY: another program
#
# It configures a folder of its own, each file alone and without precompiled headers: GCC's are not readable for
# clang. Nothing is built.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_tidy=${CLANG_TIDY:-clang-tidy}
jobs=${JOBS:-$(nproc)}
build_dir=${BUILD_DIR:-build-tidy}

cmake -S . -B "$build_dir" -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON \
  -DFACTORGCN_UNITY=OFF -DFACTORGCN_BUILD_TESTS=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null

if (($# > 0)); then
  files=("$@")
else
  mapfile -t files < <(find src -name '*.cpp' | sort)
fi

# GCC's flags that clang does not know are no findings, nor are its counts of warnings in libtorch's headers.
tidy_one=("$clang_tidy" -p "$build_dir" --quiet --extra-arg=-Wno-unknown-warning-option
          --extra-arg=-Wno-ignored-optimization-argument --extra-arg=-Wno-unused-command-line-argument
          --extra-arg=-include "--extra-arg=$PWD/tools/tidy_prelude.h")
if ! printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$jobs" "${tidy_one[@]}" \
    2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? (generated|treated as errors?)' >&2); then
  echo "clang-tidy: findings above" >&2
  exit 1
fi
echo "clang-tidy: no findings in ${#files[@]} files"
