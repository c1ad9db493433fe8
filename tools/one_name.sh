#!/usr/bin/env bash
# Types with linkage have one name each: two of the same name in one namespace compile, link, and then share whichever
# of their functions the linker met first. Exits 1 and names both places. Types in anonymous namespaces may repeat.
#
#   tools/one_name.sh
set -euo pipefail
cd "${FACTORGCN_ROOT:-$(dirname "${BASH_SOURCE[0]}")/..}"

# "namespace::Type file:line" for each definition at namespace scope, which in this house begins its line.
definitions() {
  find src include -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -print0 |
    LC_ALL=C sort -z |
    xargs -0 awk '
      FNR == 1 { depth = 0; hidden = 0 }
      /^(inline )?namespace[^=]*\{/ {
        name = $0; sub(/^(inline )?namespace */, "", name); sub(/ *\{.*/, "", name)
        spaces[++depth] = name
        if (name == "") { hidden++ }
      }
      /^\}.*\/\/.*namespace/ && depth > 0 { if (spaces[depth--] == "") { hidden-- } }
      /^(struct|class|union|enum( class)?) / && !/;[ \t]*(\/\/.*)?$/ && !hidden {
        name = $0
        sub(/^(struct|class|union|enum class|enum) /, "", name)
        sub(/^(FACTORGCN_API|alignas\([^)]*\)) /, "", name)
        # Neither a part of a class (Reader::Impl) nor the special case of a template (Reader<float>).
        if (match(name, /^[A-Za-z_0-9]+/) && substr(name, RLENGTH + 1) !~ /^(::|<)/) {
          place = ""
          for (level = 1; level <= depth; level++) { place = place spaces[level] "::" }
          print place substr(name, 1, RLENGTH), FILENAME ":" FNR
        }
      }'
}

definitions | LC_ALL=C sort | awk '
  $1 == last { print $1 " is defined twice: " place " and " $2 "; rename one"; twice = 1 }
  { last = $1; place = $2; count++ }
  END {
    if (twice) { exit 1 }
    print count " types, each with a name of its own"
  }'
