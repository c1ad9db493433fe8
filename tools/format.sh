#!/usr/bin/env bash
# Applies clang-format to all C++ sources, or with --check names the files it would change and exits 1.
#
# CLANG_FORMAT chooses another program. Versions differ in details: 14 is the one that decides.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

clang_format=${CLANG_FORMAT:-clang-format}
mapfile -d '' -t files < <(find src include tests bench examples fuzz -type f \
  \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' -o -name '*.inc' \) -print0 | sort -z)

case "${1:-}" in
  "") "$clang_format" -i "${files[@]}" ;;
  --check)
    changed=()
    for file in "${files[@]}"; do
      "$clang_format" "$file" | cmp -s - "$file" || changed+=("$file")
    done
    if ((${#changed[@]} > 0)); then
      echo "not formatted (run 'make format'):" >&2
      printf '  %s\n' "${changed[@]}" >&2
      exit 1
    fi
    ;;
  *)
    echo "usage: tools/format.sh [--check]" >&2
    exit 2
    ;;
esac
