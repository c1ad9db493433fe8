"""Many graphs as one disjoint union."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional

import torch

from factorgcn import checks
from factorgcn.graph import EDGE_COLUMNS, MASKS, Graph


def batch(graphs: Sequence[Graph]) -> Graph:
    """See :meth:`Graph.batch`."""
    if not graphs:
        raise ValueError("there are no graphs to batch")
    for place, graph in enumerate(graphs):
        if not isinstance(graph, Graph):
            raise TypeError(f"graph {place} is a {type(graph).__name__}; expected a factorgcn.Graph")
    names = {name: _common(graphs, name) for name in ("relation_names", "class_names")}
    columns = {name: _joined(graphs, name) for name in ("x", "y", *EDGE_COLUMNS, *MASKS)}
    sizes = torch.cat([graph.sizes() for graph in graphs])
    starts = torch.tensor([0] + [graph.num_nodes for graph in graphs]).cumsum(0).tolist()
    index = torch.cat([graph.edge_index + start for graph, start in zip(graphs, starts)], dim=1)
    return Graph.of_parts(index, starts[-1], any(graph.directed for graph in graphs),
                          offsets=torch.cat([sizes.new_zeros(1), sizes.cumsum(0)]), **names, **columns)


def _common(graphs: Sequence[Graph], name: str) -> Any:
    """Names, which all graphs must share: their numbers would mean different things otherwise."""
    for place, graph in enumerate(graphs):
        if getattr(graph, name) != getattr(graphs[0], name):
            raise ValueError(f"{name} of graph {place} is {getattr(graph, name)}, that of graph 0 "
                             f"{getattr(graphs[0], name)}")
    return getattr(graphs[0], name)


def _joined(graphs: Sequence[Graph], name: str) -> Any:
    values = [getattr(graph, name) for graph in graphs]
    missing = [place for place, value in enumerate(values) if value is None]
    if len(missing) == len(graphs):
        return None
    if missing:
        raise ValueError(f"graph {missing[0]} has no {name}, but others of the batch have")
    for place, value in enumerate(values):
        if value.dtype != values[0].dtype or value.shape[1:] != values[0].shape[1:]:
            raise ValueError(f"{name} of graph {place} is {checks.type_name(value)} of shape {tuple(value.shape)}, "
                             f"that of graph 0 {checks.type_name(values[0])} of shape {tuple(values[0].shape)}")
    return torch.cat(values)


def unbatch(graph: Graph) -> list[Graph]:
    """See :meth:`Graph.unbatch`. Cost: O(N + E), and a few small tensors for each graph."""
    if graph.offsets is None:
        return [graph]
    of_edge = torch.bucketize(graph.edge_index[1].contiguous(), graph.offsets, right=True) - 1
    order = torch.argsort(of_edge, stable=True)
    counts = torch.bincount(of_edge, minlength=graph.num_graphs)
    edge_parts = order.split(counts.tolist())
    starts = graph.offsets[:-1].tolist()
    by_node = {name: _is_per_node(graph, name) for name in ("x", "y", *MASKS)}
    parts = []
    for number, (start, size, edges) in enumerate(zip(starts, graph.sizes().tolist(), edge_parts)):
        columns = {name: getattr(graph, name)[edges] for name in EDGE_COLUMNS if getattr(graph, name) is not None}
        for name, per_node in by_node.items():
            if per_node is not None:
                first, count = (start, size) if per_node else (number, 1)
                columns[name] = getattr(graph, name)[first:first + count]
        names = None if graph.node_names is None else graph.node_names[start:start + size]
        parts.append(Graph.of_parts(graph.edge_index[:, edges] - start, size, graph.directed, node_names=names,
                                    relation_names=graph.relation_names, class_names=graph.class_names, **columns))
    return parts


def _is_per_node(graph: Graph, name: str) -> Optional[bool]:
    """Whether a column has a row for each node rather than each graph; None where there is no such column."""
    value = getattr(graph, name)
    return None if value is None else value.size(0) == graph.num_nodes
