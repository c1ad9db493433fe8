"""Some nodes of a graph, the rest of which is seen all the same.

scikit-learn's splits index what they are given: ``graph[nodes]`` keeps all edges and says which nodes are meant. So a
model is fitted on the labels of some nodes and scored on others, in one graph, as is usual for classes of nodes.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from factorgcn import checks
from factorgcn.graph import Graph


def _rows(places: Any) -> Any:
    """scikit-learn may ask for ``[places, ...]``: rows with all that is in them."""
    return places[0] if isinstance(places, tuple) and len(places) == 2 and places[1] is Ellipsis else places


class ChosenNodes:
    """Nodes of a graph; ``chosen[places]`` chooses among them again.

    >>> graph = Graph.undirected([[0, 1, 2], [1, 2, 3]])
    >>> graph[[3, 1, 0]][[0, 2]].nodes
    tensor([3, 0])
    """

    def __init__(self, graph: Graph, nodes: Any) -> None:
        self.graph = graph
        nodes = _rows(nodes)
        if isinstance(nodes, slice):
            nodes = torch.arange(graph.num_nodes)[nodes]
        chosen = checks.as_tensor("nodes", nodes)
        if chosen.dtype == torch.bool:
            chosen = checks.as_column("nodes", chosen, graph.num_nodes, "nodes").nonzero().flatten()
        #: int64 [n]
        self.nodes: Tensor = checks.as_whole_numbers(chosen.reshape(-1), "nodes")
        checks.check_ids(self.nodes, graph.num_nodes, "nodes")

    def __getitem__(self, places: Any) -> "ChosenNodes":
        return ChosenNodes(self.graph, self.nodes[_rows(places)])

    def __len__(self) -> int:
        return int(self.nodes.numel())

    @property
    def shape(self) -> tuple[int]:
        return (len(self),)

    def __repr__(self) -> str:
        return f"ChosenNodes({len(self)} of {self.graph!r})"
