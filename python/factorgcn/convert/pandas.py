"""pandas' tables: one of edges, perhaps one of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Optional, Union

import pandas
import torch

from factorgcn.convert.columns import class_codes, is_missing, number_columns, relation_codes, shown_names
from factorgcn.directions import each_once, with_reverses
from factorgcn.graph import Graph


def from_pandas(edges: pandas.DataFrame, *, source: str, target: str, weight: Optional[str], relation: Optional[str],
                directed: bool, nodes: Optional[pandas.DataFrame], name: Optional[str],
                features: Union[None, str, Sequence[str]], label: Optional[str]) -> Graph:
    """See :meth:`Graph.from_pandas`."""
    ends = {column: _values(edges, column, "edges") for column in (source, target)}
    for column, values in ends.items():
        for row, value in enumerate(values):
            if is_missing(value):
                raise ValueError(f"edges: '{column}' is missing in row {row}")
    names = _node_names(ends[source], ends[target], nodes, name)
    place = {node: number for number, node in enumerate(names)}
    index = torch.tensor([[_place_of(value, place, column, row) for row, value in enumerate(values)]
                          for column, values in ends.items()], dtype=torch.int64).reshape(2, len(edges))
    columns: dict[str, Any] = {}
    if weight is not None:
        columns["edge_weight"] = number_columns([(weight, _values(edges, weight, "edges"))],
                                                lambda row, _: f"edges: '{weight}' is missing in row {row}")[:, 0]
    if relation is not None:
        columns["edge_type"], columns["relation_names"] = relation_codes(
            _values(edges, relation, "edges"), lambda row: f"edges: '{relation}' is missing in row {row}")
    if not directed:
        index, rows = with_reverses(index)
        for column in ("edge_weight", "edge_type"):
            if column in columns:
                columns[column] = columns[column][rows]
    if nodes is None and (features is not None or label is not None):
        raise ValueError("features and label are columns of the table of nodes; give it as nodes")
    if nodes is not None and features is not None:
        wanted = [features] if isinstance(features, str) else list(features)
        columns["x"] = number_columns([(column, _values(nodes, column, "nodes")) for column in wanted],
                                      lambda row, column: f"nodes: '{column}' is missing in row {row}")
    if nodes is not None and label is not None:
        columns["y"], columns["class_names"] = class_codes(_values(nodes, label, "nodes"),
                                                           f"nodes: no row has a '{label}'")
    return Graph(index, len(names), directed=directed, node_names=shown_names(names), **columns)


def _values(table: pandas.DataFrame, column: str, what: str) -> list[Any]:
    if not isinstance(table, pandas.DataFrame):
        raise TypeError(f"{what} is a {type(table).__name__}; expected a pandas.DataFrame")
    if column not in table.columns:
        raise ValueError(f"{what} has no column {column!r}; there are {', '.join(map(repr, table.columns))}")
    values = table[column]
    return [None if missing else value for value, missing in zip(values.tolist(), values.isna().tolist())]


def _node_names(sources: list[Any], targets: list[Any], nodes: Optional[pandas.DataFrame],
                column: Optional[str]) -> list[Any]:
    if nodes is None:
        return list(dict.fromkeys(value for pair in zip(sources, targets) for value in pair))
    names = nodes.index.tolist() if column is None else _values(nodes, column, "nodes")
    seen: dict[Any, int] = {}
    for row, name in enumerate(names):
        if is_missing(name):
            raise ValueError(f"nodes: the name is missing in row {row}")
        if name in seen:
            raise ValueError(f"nodes: {name!r} stands in row {seen[name]} and in row {row}")
        seen[name] = row
    return names


def _place_of(name: Any, place: dict[Any, int], column: str, row: int) -> int:
    if name not in place:
        raise ValueError(f"edges: '{column}' is {name!r} in row {row}, which is not in the table of nodes")
    return place[name]


def to_pandas(graph: Graph) -> pandas.DataFrame:
    """See :meth:`Graph.to_pandas`."""
    chosen = each_once(graph.edge_index, graph.directed)
    source, target = graph.edge_index[:, chosen].tolist()
    if graph.node_names is not None:
        source, target = ([graph.node_names[node] for node in end] for end in (source, target))
    columns: dict[str, Any] = {"source": source, "target": target}
    if graph.edge_weight is not None:
        columns["weight"] = graph.edge_weight[chosen].tolist()
    if graph.edge_type is not None:
        types = graph.edge_type[chosen].tolist()
        columns["relation"] = types if graph.relation_names is None else [graph.relation_names[kind] for kind in types]
    return pandas.DataFrame(columns)
