"""networkx's graphs, directed or not, with parallel edges or without."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any, Optional, Union

import networkx
import torch

from factorgcn.convert.columns import class_codes, number_columns, relation_codes, shown_names
from factorgcn.directions import each_once, with_reverses
from factorgcn.graph import Graph


def from_networkx(graph: networkx.Graph, *, weight: Optional[str], relation: Optional[str],
                  features: Union[None, str, Sequence[str]], label: Optional[str]) -> Graph:
    """See :meth:`Graph.from_networkx`."""
    if not isinstance(graph, networkx.Graph):
        raise TypeError(f"graph is a {type(graph).__name__}; expected a networkx graph")
    names = list(graph.nodes)
    place = {name: number for number, name in enumerate(names)}
    edges = list(graph.edges(data=True))
    index = torch.tensor([[place[source] for source, _, _ in edges], [place[target] for _, target, _ in edges]],
                         dtype=torch.int64).reshape(2, len(edges))
    columns: dict[str, Any] = {}
    if weight is not None:
        columns["edge_weight"] = _edge_numbers(edges, weight)
    if relation is not None:
        columns["edge_type"], columns["relation_names"] = relation_codes(
            [data.get(relation) for _, _, data in edges], lambda row: f"the edge {edges[row][:2]} has no '{relation}'")
    if not graph.is_directed():
        index, rows = with_reverses(index)
        for name in ("edge_weight", "edge_type"):
            if columns.get(name) is not None:
                columns[name] = columns[name][rows]
    if features is not None:
        wanted = [features] if isinstance(features, str) else list(features)
        columns["x"] = number_columns(
            [(attribute, [data.get(attribute) for _, data in graph.nodes(data=True)]) for attribute in wanted],
            lambda row, attribute: f"the node {names[row]!r} has no '{attribute}'")
    if label is not None:
        columns["y"], columns["class_names"] = class_codes([data.get(label) for _, data in graph.nodes(data=True)],
                                                           f"no node has '{label}'")
    return Graph(index, len(names), directed=graph.is_directed(), node_names=shown_names(names), **columns)


def _edge_numbers(edges: list[tuple[Hashable, Hashable, dict[str, Any]]], weight: str) -> Optional[torch.Tensor]:
    """None where no edge has the attribute; an edge without it among others with it is an error."""
    values = [data.get(weight) for _, _, data in edges]
    if all(value is None for value in values):
        return None
    return number_columns([(weight, values)], lambda row, _: f"the edge {edges[row][:2]} has no '{weight}', but others "
                          "have; give it one, or say weight=None")[:, 0]


def to_networkx(graph: Graph) -> networkx.Graph:
    """See :meth:`Graph.to_networkx`."""
    names = graph.node_names if graph.node_names is not None else list(range(graph.num_nodes))
    chosen = each_once(graph.edge_index, graph.directed)
    pairs = graph.edge_index[:, chosen].t().tolist()
    several = len({tuple(pair) for pair in pairs}) < len(pairs)
    kinds = {(False, False): networkx.Graph, (True, False): networkx.DiGraph,
             (False, True): networkx.MultiGraph, (True, True): networkx.MultiDiGraph}
    result = kinds[graph.directed, several]()
    result.add_nodes_from(names)
    per_node = graph.y if graph.y is not None and graph.y.size(0) == graph.num_nodes else None
    for key, values in (("x", graph.x), ("y", per_node)):
        if values is not None:
            for name, value in zip(names, values.tolist()):
                if key == "y" and graph.class_names is not None:
                    value = graph.class_names[value] if value >= 0 else None
                if value is not None:
                    result.nodes[name][key] = value
    weights = None if graph.edge_weight is None else graph.edge_weight[chosen].tolist()
    types = None if graph.edge_type is None else graph.edge_type[chosen].tolist()
    for row, (source, target) in enumerate(pairs):
        data: dict[str, Any] = {}
        if weights is not None:
            data["weight"] = weights[row]
        if types is not None:
            data["relation"] = types[row] if graph.relation_names is None else graph.relation_names[types[row]]
        result.add_edge(names[source], names[target], **data)
    return result
