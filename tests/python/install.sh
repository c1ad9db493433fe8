#!/usr/bin/env bash
# install.sh PYTHON PACKAGE FOLDER: pip installs the package into a fresh virtual environment in FOLDER, from the build
# folder FACTORGCN_BUILD_DIR, and uses it from there. Exits 77 (skipped) where that Python cannot.
set -euo pipefail
python=$1 package=$2 folder=$3
for module in torch setuptools wheel pip venv ensurepip; do
  if ! "$python" -c "import $module" 2>/dev/null; then
    echo "skipped: $python has no $module; tools/setup.sh --python installs it"
    exit 77
  fi
done
rm -rf "$folder"
"$python" -m venv --system-site-packages "$folder"
"$folder/bin/pip" install --quiet --no-index --no-build-isolation "$package"
unset PYTHONPATH FACTORGCN_PYTHON_LIBRARY  # what was installed stands on its own
cd "$folder"
"$folder/bin/python" - "$folder" <<'PYTHON'
import sys

import torch

import factorgcn
from factorgcn import Graph, Trainer
from factorgcn.nn import DisentangleConv

assert factorgcn.__file__.startswith(sys.argv[1]), factorgcn.__file__
graph = Graph.undirected([[0, 1, 2], [1, 2, 0]], x=torch.ones(3, 2))
assert DisentangleConv(2, 8, factors=4)(graph.x, graph).shape == (3, 8)
trainer = Trainer("synthetic", epochs=1, threads=1, data_settings={"train": 20, "validation": 10, "test": 10})
assert trainer.epoch()["epoch"] == 1
print("factorgcn", factorgcn.__version__, "installed and at work")
PYTHON
