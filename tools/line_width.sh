#!/usr/bin/env bash
# Names every line of more than 120 characters in the project's own text files and exits 1 where there is one.
#
# Left out, since nobody reads them line by line: the lock file of the viewer's packages, drawings, the fuzz targets'
# inputs and stored test data. Characters are counted, not bytes. Takes a tenth of a second.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8

# Without git (an unpacked archive): whatever is not a build folder or a run.
files() {
  git ls-files -z --cached --others --exclude-standard 2>/dev/null ||
    find . \( -path './build*' -o -path ./runs -o -path ./data -o -path ./.git -o -name node_modules \) -prune \
      -o -type f -printf '%P\0'
}
mapfile -d '' -t texts < <(files | grep -zvE '(^|/)package-lock\.json$|\.svg$|^fuzz/corpus/|^tests/fixtures/')
wide=$(grep -sHnIE '^.{121,}' -- "${texts[@]}" | cut -c1-160) || true
[[ -z $wide ]] || { printf 'more than 120 columns:\n%s\n' "$wide" >&2; exit 1; }
