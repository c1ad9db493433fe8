#!/usr/bin/env bash
# run.sh PYTHON ARGUMENT...: runs Python; exits 77 (skipped) where packages that the tests need are missing.
set -euo pipefail
python=$1
shift
missing=$("$python" - <<'PYTHON'
import importlib.util
wanted = {"torch": "python3-torch", "pytest": "python3-pytest", "hypothesis": "python3-hypothesis",
          "numpy": "python3-numpy", "scipy": "python3-scipy", "pandas": "python3-pandas",
          "networkx": "python3-networkx", "sklearn": "python3-sklearn", "matplotlib": "python3-matplotlib",
          "tqdm": "python3-tqdm", "mypy": "mypy"}
print(" ".join(package for module, package in wanted.items() if importlib.util.find_spec(module) is None))
PYTHON
) || missing=python3
if [[ -n $missing ]]; then
  echo "skipped: $python lacks $missing; tools/setup.sh --python installs what is missing"
  exit 77
fi
cd "$(mktemp -d)"
exec "$python" "$@"
