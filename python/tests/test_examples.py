"""The examples run, and the examples in docstrings say what happens."""

import doctest
import importlib
import os
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import factorgcn

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "python"


@pytest.mark.parametrize("name", ["karate_club", "train_mutag", "draw_run", "sampled_neighbours"])
def test_example(name, tmp_path, trained):
    arguments = {"karate_club": [], "train_mutag": ["--epochs", "2"], "draw_run": [str(trained), "factors.png"],
                 "sampled_neighbours": ["--nodes", "2000", "--steps", "60"]}[name]
    if name == "train_mutag":
        data = os.environ.get("FACTORGCN_TEST_DATA")
        if not data:
            pytest.skip("FACTORGCN_TEST_DATA is not set")
        # Where PyTorch Geometric would put what it downloads.
        shutil.copytree(Path(data) / "MUTAG", tmp_path / "data" / "MUTAG" / "raw")
    done = subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py"), *arguments], cwd=tmp_path, text=True,
                          capture_output=True, check=False,
                          env={**os.environ, "MPLBACKEND": "agg",
                               "FACTORGCN_DATA": os.environ.get("FACTORGCN_TEST_DATA", ""),
                               "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    if name == "sampled_neighbours":
        assert float(done.stdout.split("trained on: ")[1].split()[0]) > 0.4
    if name == "draw_run":
        assert (tmp_path / "factors.png").stat().st_size > 1000


MODULES = [module.name for module in pkgutil.walk_packages(factorgcn.__path__, "factorgcn.")
           if module.name != "factorgcn.pyg_conv" and ".lib" not in module.name]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name):
    module = importlib.import_module(name)
    result = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert result.failed == 0
