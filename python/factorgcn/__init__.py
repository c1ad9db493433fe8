"""Disentangling graphs: a plain edge often hides several relations.

=====================  ================================================================================================
`Graph`                edges, features and names, from tensors, networkx, scipy, pandas or PyTorch Geometric, and back
`Edges`                edges checked once, as layers take them
`nn`                   ``DisentangleConv``, ``Discriminator``, ``FactorGCN`` as torch modules
`pyg`                  ``DisentangleConv`` as PyTorch Geometric's own convolutions are
`Trainer`              training with any registered model and data set, an epoch per call
`load_run`             what the command line trained, or a `Trainer`: history, model, answers, factor graphs
`Disentangler`         in scikit-learn's manner, with and without labels
=====================  ================================================================================================

Names are loaded at their first use: the import itself takes no time and starts no thread.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from factorgcn.errors import Error

if TYPE_CHECKING:
    from factorgcn import nn, pyg
    from factorgcn.edges import Edges
    from factorgcn.estimator import Disentangler
    from factorgcn.graph import Graph
    from factorgcn.runs import LoadedRun, load_run
    from factorgcn.threads import num_threads, set_num_threads
    from factorgcn.trainer import Trainer

__all__ = ["Disentangler", "Edges", "Error", "Graph", "LoadedRun", "Trainer", "load_run", "nn", "num_threads", "pyg",
           "set_num_threads"]

_WHERE = {
    "Disentangler": "factorgcn.estimator",
    "Edges": "factorgcn.edges",
    "Graph": "factorgcn.graph",
    "LoadedRun": "factorgcn.runs",
    "Trainer": "factorgcn.trainer",
    "load_run": "factorgcn.runs",
    "num_threads": "factorgcn.threads",
    "set_num_threads": "factorgcn.threads",
}
_MODULES = ("nn", "pyg")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    if name in _MODULES:
        return importlib.import_module(f"factorgcn.{name}")
    if name not in _WHERE:
        raise AttributeError(f"module 'factorgcn' has no attribute '{name}'")
    value = getattr(importlib.import_module(_WHERE[name]), name)
    globals()[name] = value
    return value


def _version() -> str:
    """The installed package's; a checkout that is used as it lies has none."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("factorgcn")
    except PackageNotFoundError:
        return "0+checkout"


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
