#!/usr/bin/env bash
# Installs what building, testing and the extra tasks need; quick, and changing nothing, when all of it is there.
#
#   tools/setup.sh [--bench] [--lint] [--coverage] [--fuzz] [--package] [--browser] [--networkx] [--python]
#                  [--no-viewer] [--check]
#
# Debian 12 and Ubuntu packages. Elsewhere, or without the right to install, it names what to install by hand and exits
# 1, unless the libraries are found anyway (built from source, another package manager).
set -euo pipefail

base_packages=(g++ cmake ninja-build ccache make libtorch-dev libopenblas-dev libcli11-dev libfmt-dev
               nlohmann-json3-dev libgtest-dev librapidcheck-dev pkg-config libzip-dev zlib1g-dev libexpat1-dev
               libcurl4-openssl-dev libssl-dev libsvm-dev libnauty2-dev libgloo-dev libmetis-dev
               dpkg-dev)
bench_packages=(python3-torch python3-numpy libbenchmark-dev)
lint_packages=(clang-format clang-tidy)
coverage_packages=(gcovr)
fuzz_packages=(clang libclang-rt-14-dev)
package_packages=(lintian)
viewer_packages=(nodejs npm)     # interactive pages; without them pages hold tables alone
networkx_packages=(python3-networkx)
python_packages=(python3-torch python3-numpy python3-scipy python3-pandas python3-networkx python3-sklearn
                 python3-matplotlib python3-tqdm python3-pytest python3-hypothesis mypy python3-venv python3-pip
                 python3-setuptools python3-wheel)
browser_packages=(chromium)     # the page's tests in a real browser

usage() {
  cat <<'TEXT'
usage: tools/setup.sh [--bench] [--lint] [--coverage] [--fuzz] [--package] [--browser] [--networkx] [--python]
                      [--no-viewer] [--check]
  (none)      what `make build` and `make test` need
  --bench     also the PyTorch that `make bench` compares with
  --lint      also clang-format and clang-tidy
  --coverage  also gcovr
  --fuzz      also clang with libFuzzer
  --package   also lintian, which checks the .deb
  --browser   also Chromium, for the page's tests in a browser
  --networkx  also networkx, which tests read written graphs with; they are skipped without it
  --python    also what the Python package works with, and its tests
  --no-viewer without Node.js and npm: pages will hold tables alone
  --check     install nothing; exit 1 and name what is missing
TEXT
}

wanted=("${base_packages[@]}")
check_only=0
viewer=1
for argument in "$@"; do
  case "$argument" in
    --bench) wanted+=("${bench_packages[@]}") ;;
    --lint) wanted+=("${lint_packages[@]}") ;;
    --coverage) wanted+=("${coverage_packages[@]}") ;;
    --fuzz) wanted+=("${fuzz_packages[@]}") ;;
    --package) wanted+=("${package_packages[@]}") ;;
    --browser) wanted+=("${browser_packages[@]}") ;;
    --networkx) wanted+=("${networkx_packages[@]}") ;;
    --python) wanted+=("${python_packages[@]}") ;;
    --no-viewer) viewer=0 ;;
    --check) check_only=1 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "setup: unknown option '$argument'" >&2; usage >&2; exit 2 ;;
  esac
done

have() { command -v "$1" >/dev/null 2>&1; }

# Node.js often comes from elsewhere, and Debian's package would replace it: only where there is none.
if ((viewer)) && ! { have node && have npm; }; then
  wanted+=("${viewer_packages[@]}")
fi

# Prints the wanted packages that dpkg does not know as installed.
missing_packages() {
  local installed
  installed=$(dpkg-query -W -f '${binary:Package} ${db:Status-Status}\n' "${wanted[@]}" 2>/dev/null |
              awk '$2 == "installed" { sub(/:.*/, "", $1); print $1 }') || true
  local package
  for package in "${wanted[@]}"; do
    grep -qxF -- "$package" <<<"$installed" || echo "$package"
  done
}

# True where the compiler finds this header in the places it searches by itself, in CPATH or in LIBTORCH_DIR.
header_found() {
  local flags=()
  [[ -z "${LIBTORCH_DIR:-}" ]] || flags=(-I "$LIBTORCH_DIR/include")
  printf '#if !__has_include(<%s>)\n#error missing\n#endif\n' "$1" |
    "${CXX:-c++}" -std=c++20 -E "${flags[@]}" -x c++ - >/dev/null 2>&1
}

# True where Python's torch package carries libtorch's headers, as the upstream wheels do.
python_has_libtorch() {
  python3 -c 'import os, sys, torch
sys.exit(not os.path.exists(os.path.join(os.path.dirname(torch.__file__), "include/torch/library.h")))' 2>/dev/null
}

# True where the thing a package brings is there without the package.
found_anyway() {
  case "$1" in
    g++) have "${CXX:-c++}" ;;
    ninja-build) have ninja || have ninja-build ;;
    cmake | make | clang | clang-format | clang-tidy | gcovr) have "$1" ;;
    ccache) true ;;  # a convenience
    libtorch-dev) header_found torch/library.h || python_has_libtorch ;;
    libbenchmark-dev) true ;;  # only the operations' own micro-benchmarks
    libopenblas-dev) true ;;  # libtorch from elsewhere brings its own BLAS
    libcli11-dev) header_found CLI/CLI.hpp ;;
    libfmt-dev) header_found fmt/format.h ;;
    nlohmann-json3-dev) header_found nlohmann/json.hpp ;;
    libgtest-dev) header_found gtest/gtest.h ;;
    librapidcheck-dev) header_found rapidcheck.h ;;
    pkg-config) have pkg-config ;;
    libzip-dev) header_found zip.h ;;
    zlib1g-dev) header_found zlib.h ;;
    libexpat1-dev) header_found expat.h ;;
    libcurl4-openssl-dev) header_found curl/curl.h ;;
    libssl-dev) header_found openssl/evp.h ;;
    libsvm-dev | libnauty2-dev | libgloo-dev | libmetis-dev) true ;;  # built without them, what needs them says so
    dpkg-dev | lintian) true ;;  # a .tar.gz is made without them
    nodejs | npm) true ;;  # pages hold tables alone without them
    chromium) have chromium || have chromium-browser || have google-chrome ;;
    python3-torch) python3 -c 'import torch' 2>/dev/null ;;
    python3-networkx) python3 -c 'import networkx' 2>/dev/null ;;
    python3-sklearn) python3 -c 'import sklearn' 2>/dev/null ;;
    mypy) python3 -c 'import mypy' 2>/dev/null ;;
    python3-*) python3 -c "import ${1#python3-}" 2>/dev/null ;;
    *) false ;;
  esac
}

# The cases where this script cannot install: fine if everything is there by another way, else say what to do.
by_hand() {
  local reason=$1 package absent=()
  shift
  for package in "$@"; do
    found_anyway "$package" || absent+=("$package")
  done
  if ((${#absent[@]} == 0)); then
    return 0
  fi
  {
    echo "setup: $reason, and these are missing (Debian's package names):"
    printf '  %s\n' "${absent[@]}"
    echo "Install them by hand. On Debian or Ubuntu, as root:"
    echo "  apt-get update && apt-get install ${absent[*]}"
    echo "libtorch from an archive works too: unpack it and set LIBTORCH_DIR to its folder."
  } >&2
  exit 1
}

install_packages() {
  local as_root=()
  if [[ $(id -u) -ne 0 ]]; then
    as_root=(sudo)
    # A password can only be asked for where somebody is there to type it.
    [[ -t 0 ]] || as_root+=(-n)
  fi
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300)
  echo "setup: installing $*"
  "${apt[@]}" update || { sleep 5; "${apt[@]}" update; } ||
    echo "setup: the package lists could not be refreshed; trying with the ones at hand" >&2
  "${apt[@]}" install -y --no-install-recommends "$@"
}

# Debian's default BLAS is the reference one, some 30 times slower: libtorch follows the alternative chosen system-wide.
check_blas() {
  have update-alternatives || return 0
  local name value
  name=$(update-alternatives --get-selections 2>/dev/null | awk '$1 ~ /^libblas\.so\.3/ && !seen++ { print $1 }')
  [[ -n "$name" ]] || return 0
  value=$(update-alternatives --query "$name" 2>/dev/null | awk '$1 == "Value:" { print $2 }')
  if [[ "$value" =~ /blas/libblas\.so\.3$ ]]; then
    {
      echo "setup: warning: libtorch will use the slow reference BLAS ($value). To mend it, as root:"
      echo "  update-alternatives --auto $name"
      echo "or choose OpenBLAS with: update-alternatives --config $name"
    } >&2
  fi
}

if have dpkg-query && have apt-get; then
  mapfile -t missing < <(missing_packages)
else
  by_hand "this is not a Debian or Ubuntu system" "${wanted[@]}"
  missing=()
fi

if ((${#missing[@]} > 0)); then
  if ((check_only)); then
    by_hand "--check was given" "${missing[@]}"
  elif [[ $(id -u) -ne 0 ]] && ! have sudo; then
    by_hand "only root can install packages and there is no sudo" "${missing[@]}"
  elif ! install_packages "${missing[@]}"; then
    by_hand "apt-get failed" "${missing[@]}"
  fi
fi
check_blas
