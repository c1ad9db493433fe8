"""Graphs in memory as data that the library trains on, and back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Optional, Union

import torch

from factorgcn import _door
from factorgcn.graph import Graph

Data = Union[str, Path, Graph, Sequence[Graph]]


def data_set_of(graphs: Union[Graph, Sequence[Graph]], *, task: Optional[str] = None, name: str = "memory",
                self_loops: bool = True, seed: int = 0) -> Any:
    """The library's object of one graph, or of several. ``task``: where y may mean several things."""
    graph = graphs if isinstance(graphs, Graph) else Graph.batch(list(graphs))
    settings: dict[str, Any] = {"name": name, "directed": graph.directed, "self_loops": self_loops, "seed": seed}
    if task is not None:
        settings["task"] = task
    if graph.node_names is not None:
        settings["node_names"] = [str(node) for node in graph.node_names]
    if graph.class_names is not None:
        settings["output_names"] = [str(kind) for kind in graph.class_names]
    if graph.relation_names is not None:
        settings["relation_names"] = [str(name) for name in graph.relation_names]
    x = graph.x
    if x is not None and x.is_floating_point():
        x = x.float()
    y = graph.y
    if y is not None and y.is_floating_point():
        y = y.float()
    weights = None if graph.edge_weight is None else graph.edge_weight.float()
    return _door.call(_door.classes().DataSet, graph.edge_index, graph.offsets, graph.num_nodes, x, y,
                      graph.train_mask, graph.val_mask, graph.test_mask, weights, graph.edge_type,
                      json.dumps(settings))


def open_data_set(name: str, settings: dict[str, Any]) -> Graph:
    """See :meth:`Graph.from_data_set`."""
    return graph_of_data_set(_door.call(_door.classes().DataSet.open, str(name), json.dumps(settings)))


def graph_of_data_set(data: Any) -> Graph:
    """All graphs of a data set as one batch; self loops that were added for training are in it. Classes that are not
    known are -1."""
    summary = json.loads(_door.call(data.summary))
    y: Any = None if summary["task"] == "none" else data.y()
    if summary["task"] in ("node-class", "graph-class"):
        y = torch.where(data.known(), y, torch.full_like(y, -1))
    elif summary["task"] == "multi-label":
        y = y > 0.5
    offsets = data.graph_offsets().to(torch.int64)
    return Graph(data.edge_index(), int(offsets[-1]), x=data.x(), y=y, edge_weight=data.edge_weights(),
                 offsets=offsets, directed=summary.get("directed") or None,
                 node_names=summary.get("node_names") or None, class_names=summary.get("output_names") or None)
