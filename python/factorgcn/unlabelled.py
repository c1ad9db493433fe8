"""One graph taken apart without labels, for `Disentangler`."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

import numpy
import torch
from torch import Tensor

from factorgcn import _door
from factorgcn.chosen import ChosenNodes
from factorgcn.graph import Graph

if TYPE_CHECKING:
    import pandas
    import scipy.sparse

#: Of some edges, given by their nodes: a relation, or several.
Known = Mapping[tuple[Any, Any], Union[str, Iterable[str]]]

_SETTINGS = ("relations", "groups", "method")


def fit_unlabelled(graph: Graph, params: Mapping[str, Any], known: Optional[Known]) -> "UnlabelledFit":
    """Runs the method; Ctrl-C ends it with KeyboardInterrupt."""
    pairs, weights = distinct_edges(graph)
    settings = {name: params[name] for name in _SETTINGS}
    settings.update(seed=int(params["random_state"]), directed=graph.directed, name="graph")
    if graph.node_names is not None:
        settings["nodes"] = [str(node) for node in graph.node_names]
    library = _door.call(_door.classes().Disentangling, graph.num_nodes, pairs[0], pairs[1], weights,
                         json.dumps(settings))
    if graph.edge_type is not None:
        _door.call(library.set_truth, *_true_relations(graph, pairs))
    if known:
        _door.call(library.set_known, *_known_edges(graph, pairs, known))
    _door.call(library.run)
    return UnlabelledFit(graph, pairs, library)


def distinct_edges(graph: Graph) -> tuple[Tensor, Optional[Tensor]]:
    """int64 [2, E], each pair of nodes once (an undirected one from the lower to the higher) and without loops; and
    weights, which parallel edges add up to; None where all would be 1."""
    there = _counted(graph)
    pairs = graph.edge_index[:, there]
    merged, place = torch.unique(pairs, dim=1, return_inverse=True)
    if graph.edge_weight is None and (merged.size(1) == pairs.size(1) or graph.edge_type is not None):
        return merged, None
    weight = torch.ones(pairs.size(1)) if graph.edge_weight is None else graph.edge_weight[there].float()
    if graph.edge_type is not None:  # of edges with true relations the sum would tell how many they have
        return merged, torch.zeros(merged.size(1)).scatter_reduce(0, place, weight, "amax")
    return merged, torch.zeros(merged.size(1)).index_add(0, place, weight)


def _counted(graph: Graph) -> Tensor:
    """bool [E]: no loops, and of undirected edges one direction."""
    source, target = graph.edge_index
    return source != target if graph.directed else source < target


def _true_relations(graph: Graph, pairs: Tensor) -> tuple[list[str], Tensor]:
    """Names, and which of the relations each pair is in."""
    there = _counted(graph)
    types = graph.edge_type[there]  # type: ignore[index]
    _, place = torch.unique(graph.edge_index[:, there], dim=1, return_inverse=True)
    count = len(graph.relation_names) if graph.relation_names is not None else int(types.max()) + 1 if len(types) else 0
    truth = torch.zeros(pairs.size(1), count, dtype=torch.bool)
    truth[place, types] = True
    names = graph.relation_names if graph.relation_names is not None else [f"type {kind}" for kind in range(count)]
    return [str(name) for name in names], truth


def _known_edges(graph: Graph, pairs: Tensor, known: Known) -> tuple[list[str], Tensor, Tensor]:
    """Names of relations, places of edges, and which relations each is in."""
    nodes = {name: node for node, name in enumerate(graph.node_names or range(graph.num_nodes))}
    place = {(source, target): number for number, (source, target) in enumerate(pairs.t().tolist())}
    named: dict[int, list[str]] = {}
    for ends, relations in known.items():
        try:
            source, target = (nodes[end] for end in ends)
        except (KeyError, TypeError, ValueError):
            raise ValueError(f"known: {ends!r} is no pair of nodes") from None
        pair = (source, target) if graph.directed else (min(source, target), max(source, target))
        if pair not in place:
            raise ValueError(f"known: there is no edge {ends!r}")
        named[place[pair]] = [relations] if isinstance(relations, str) else [str(name) for name in relations]
    names = list(dict.fromkeys(name for some in named.values() for name in some))
    truth = torch.tensor([[name in some for name in names] for some in named.values()], dtype=torch.bool)
    return names, torch.tensor(list(named)), truth


class UnlabelledFit:
    """What was found."""

    def __init__(self, graph: Graph, pairs: Tensor, library: Any) -> None:
        self.graph, self.pairs = graph, pairs
        self.names: list[str] = list(library.names())
        self.shares: numpy.ndarray = library.shares().numpy()
        self.strongest: numpy.ndarray = library.strongest().numpy()
        self.certainty: numpy.ndarray = library.certainty().numpy()
        self.groups: numpy.ndarray = library.groups().numpy()
        self.summary: dict[str, Any] = json.loads(library.summary())
        self.report: str = library.report()

    def table(self) -> "pandas.DataFrame":
        import pandas

        names = self.graph.node_names or range(self.graph.num_nodes)
        columns: dict[str, Any] = {end: [names[node] for node in row] for end, row in
                                   zip(("source", "target"), self.pairs.tolist())}
        columns.update(zip(self.names, self.shares.T))
        columns["strongest"] = [self.names[relation] if relation >= 0 else None for relation in self.strongest]
        if self.certainty.size > 0:
            columns["certainty"] = self.certainty
        return pandas.DataFrame(columns)

    def transform(self, given: Union[None, Graph, ChosenNodes, list[Graph]]) -> "list[scipy.sparse.csr_array]":
        self._check_same(given)
        import scipy.sparse

        source, target = self.pairs.numpy()
        shape = (self.graph.num_nodes, self.graph.num_nodes)
        matrices = [scipy.sparse.csr_array((share, (source, target)), shape=shape) for share in self.shares.T]
        return matrices if self.graph.directed else [matrix + matrix.T for matrix in matrices]

    def predict(self, given: Union[None, Graph, ChosenNodes, list[Graph]]) -> numpy.ndarray:
        self._check_same(given)
        return self.strongest

    def predict_proba(self, given: Union[None, Graph, ChosenNodes, list[Graph]]) -> numpy.ndarray:
        self._check_same(given)
        return self.shares

    def score(self, given: Union[None, Graph, ChosenNodes, list[Graph]], y: Any) -> float:
        self._check_same(given)
        if y is not None:
            raise ValueError("there were no labels in fit, so there is nothing to compare y with")
        evidence = self.summary.get("evidence", {})
        saved, chance = evidence.get("bits_per_edge_saved"), evidence.get("reached_by_chance")
        return math.nan if saved is None or chance is None else float(saved - chance)

    def _check_same(self, given: Union[None, Graph, ChosenNodes, list[Graph]]) -> None:
        """Groups are of one graph's nodes."""
        if isinstance(given, list):
            given = given[0]
        other = given.graph if isinstance(given, ChosenNodes) else given
        if other is None or other is self.graph:
            return
        if other.num_nodes != self.graph.num_nodes or not torch.equal(distinct_edges(other)[0], self.pairs):
            raise ValueError("X is another graph than the one that was taken apart; without labels each graph has "
                             "groups of its own: fit it")
