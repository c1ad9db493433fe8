#!/usr/bin/env bash
# Names every relative link in a Markdown file whose target is missing, a file or a heading, and exits 1 where there is
# one. Links inside code are not looked at, nor are addresses on the web. Takes a second.
# shellcheck disable=SC2016  # the backticks are Markdown's
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export LC_ALL=C.UTF-8

# The text of a Markdown file without fenced blocks and code spans.
prose() {
  sed -e '/^```/,/^```/d' -e 's/`[^`]*`//g' "$1"
}

# The anchors of a file's headings as GitHub makes them: lower case, no punctuation, blanks become hyphens.
anchors() {
  sed -e '/^```/,/^```/d' "$1" | sed -nE 's/^#+ +//p' |
    sed -E -e 's/\[([^]]*)\]\([^)]*\)/\1/g' -e 's/.*/\L&/' -e 's/[^[:alnum:] _-]//g' -e 's/ /-/g'
}

status=0
mapfile -d '' -t pages < <(find . \( -path './build*' -o -path ./runs -o -path ./.git -o -name node_modules \) -prune \
  -o -name '*.md' -print0 | sort -z)
for page in "${pages[@]}"; do
  while read -r link; do
    file=${link%%#*}
    target=$page
    [[ -z $file ]] || target=$(dirname "$page")/$file
    if [[ ! -e $target ]]; then
      echo "${page#./}: $link leads nowhere" >&2
      status=1
    elif [[ $link == *#* && $target == *.md ]] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
      echo "${page#./}: $link names no heading of ${target#./}" >&2
      status=1
    fi
  done < <(prose "$page" | tr '\n' ' ' | grep -oE '\]\([^) ]+\)' | sed -E 's/^\]\((.*)\)$/\1/' |
    grep -vE '^[a-z]+:' || true)
done
exit $status
