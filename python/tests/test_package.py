"""Importing costs nothing and starts nothing; children of a process that has computed can compute and end."""

import multiprocessing
import os
import subprocess
import sys

import pytest
import torch

import factorgcn
from conftest import random_edges
from factorgcn import _door
from factorgcn.nn import DisentangleConv


def python(text: str, **environment: str) -> str:
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=300, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **environment})
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_import_loads_nothing_and_starts_no_thread():
    loaded = python("import os, sys; import factorgcn; "
                    "print(len(os.listdir('/proc/self/task')), 'torch' in sys.modules, 'numpy' in sys.modules)")
    assert loaded == "1 False False"


def test_loading_the_library_starts_no_thread():
    counts = python("import os; count = lambda: len(os.listdir('/proc/self/task')); import torch; before = count(); "
                    "import factorgcn.nn; print(count() - before)")
    assert counts == "0"


def test_every_public_name_is_there():
    for name in factorgcn.__all__:
        if name != "pyg":
            assert getattr(factorgcn, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'Grap'"):
        factorgcn.Grap


def test_a_library_that_is_missing_is_named():
    text = "import factorgcn; factorgcn.num_threads()"
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                               _door.PLACE: "/nowhere/lib.so"})
    assert done.returncode == 1 and "factorgcn.errors.Error: there is no /nowhere/lib.so" in done.stderr


def _layer():
    torch.manual_seed(0)
    return DisentangleConv(8, 16, 4)(torch.ones(300, 8), random_edges(300, 3000)).detach()


def _compare(expected, results):
    results.put(bool(torch.equal(_layer(), expected)))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_children_compute_and_end(method):
    expected = _layer()
    context = multiprocessing.get_context(method)
    results = context.SimpleQueue()
    child = context.Process(target=_compare, args=(expected, results))
    child.start()
    child.join(120)
    ended = child.exitcode
    if child.is_alive():
        child.kill()
    assert ended == 0 and results.get()


class _Batches(torch.utils.data.Dataset):
    def __len__(self):
        return 6

    def __getitem__(self, place):
        return _layer().sum()


def test_workers_of_a_data_loader():
    expected = _layer().sum()
    loader = torch.utils.data.DataLoader(_Batches(), num_workers=2, timeout=120)
    assert all(torch.equal(value[0], expected) for value in loader)


def test_graphs_go_through_a_loader():
    graphs = [factorgcn.Graph(random_edges(5, 9, seed), 5, x=torch.rand(5, 3)) for seed in range(10)]
    graphs[0].edges(True)
    loader = torch.utils.data.DataLoader(graphs, 4, collate_fn=factorgcn.Graph.batch, num_workers=2, timeout=120)
    assert [batch.num_graphs for batch in loader] == [4, 4, 2]


def test_a_process_that_computed_ends():
    python("import torch; from factorgcn.nn import DisentangleConv; "
           "DisentangleConv(3, 4, 2)(torch.ones(2, 3), torch.tensor([[0], [1]]))")


def test_wrong_numbers_of_threads_are_named():
    with pytest.raises(ValueError, match="-1"):
        factorgcn.set_num_threads(-1)
    with pytest.raises(TypeError, match="2.0"):
        factorgcn.set_num_threads(2.0)
