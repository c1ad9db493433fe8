#!/usr/bin/env bash
# Packs what was built in build/ (cmake/Package.cmake), has lintian look at the .deb, and says what was made.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

out=build/package
rm -rf "$out"
mkdir -p "$out"
if ! (cd build && cpack) >"$out/cpack.log" 2>&1; then
  cat "$out/cpack.log" >&2
  exit 1
fi
rm -rf "$out/_CPack_Packages" "$out/cpack.log"

shopt -s nullglob
debs=("$out"/*.deb)
if ((${#debs[@]} == 0)); then
  echo "package: no .deb; configuring (cmake --preset release) says why" >&2
elif command -v lintian >/dev/null; then
  lintian --allow-root --fail-on error "${debs[@]}"
  echo "package: lintian found no errors"
fi
for file in "${debs[@]}" "$out"/*.tar.gz; do
  printf '%s  %s\n' "$file" "$(du -h --apparent-size "$file" | cut -f1)"
done
