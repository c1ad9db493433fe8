"""Factor graphs: one set of edges, and how much each edge counts in each of K graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Optional

import torch
from torch import Tensor

from factorgcn import checks

if TYPE_CHECKING:
    import networkx
    import pandas
    import scipy.sparse


class FactorGraphs:
    """K weighted graphs over the same edges, of one graph or of many.

    Args:
        edge_index: int64 [2, E], nodes counted through all graphs.
        shares: [E, K], how much of each edge is in each factor.
        offsets: int64 [G + 1], the nodes of each graph.
        names: of the K factors; None: factor_1 and so on.
        node_names: of the nodes; None: their numbers (in each graph from 0).
        directed: whether an edge stands there once for its direction, rather than both ways.

    >>> found = FactorGraphs(torch.tensor([[0, 1], [1, 0]]), torch.tensor([[0.9, 0.1], [0.9, 0.1]]),
    ...                      torch.tensor([0, 2]))
    >>> found
    FactorGraphs(2 factors, 1 graphs, 2 edges)
    >>> found.to_scipy()[0].toarray().round(1)
    array([[0. , 0.9],
           [0.9, 0. ]], dtype=float32)
    """

    def __init__(self, edge_index: Tensor, shares: Tensor, offsets: Tensor, names: Optional[Sequence[str]] = None,
                 node_names: Optional[Sequence[Any]] = None, directed: bool = False) -> None:
        self.edge_index = edge_index
        self.shares = checks.as_column("shares", shares, edge_index.size(1), "edges")
        self.offsets = offsets
        self.names = [f"factor_{factor + 1}" for factor in range(shares.size(1))] if names is None else list(names)
        self.node_names = None if node_names is None else list(node_names)
        self.directed = directed

    @property
    def num_graphs(self) -> int:
        return int(self.offsets.numel()) - 1

    def __len__(self) -> int:
        return len(self.names)

    def of_graph(self, graph: int) -> "FactorGraphs":
        """Those of one graph alone, whose nodes then begin with 0."""
        if not 0 <= graph < self.num_graphs:
            raise ValueError(f"graph is {graph}; there are 0 to {self.num_graphs - 1}")
        first, end = (int(self.offsets[place]) for place in (graph, graph + 1))
        inside = (self.edge_index[1] >= first) & (self.edge_index[1] < end)
        return FactorGraphs(self.edge_index[:, inside] - first, self.shares[inside], torch.tensor([0, end - first]),
                            self.names, None if self.node_names is None else self.node_names[first:end],
                            self.directed)

    def to_scipy(self) -> "list[scipy.sparse.csr_array]":
        """K matrices [N, N], row source, column target."""
        import scipy.sparse

        nodes = int(self.offsets[-1])
        source, target = self.edge_index.cpu().numpy()
        return [scipy.sparse.csr_array((column.cpu().numpy(), (source, target)), shape=(nodes, nodes))
                for column in self.shares.float().t()]

    def to_pandas(self) -> "pandas.DataFrame":
        """A row for each edge: source, target, graph (where there are several) and a column for each factor. Of an
        undirected graph both directions, which may count differently."""
        import pandas

        graph = torch.bucketize(self.edge_index[1], self.offsets, right=True) - 1
        ends = self.edge_index if self.num_graphs == 1 else self.edge_index - self.offsets[graph]
        columns: dict[str, Any] = {name: self._named(end, row) for name, end, row in
                                   zip(("source", "target"), ends, self.edge_index)}
        if self.num_graphs > 1:
            columns["graph"] = graph.cpu().numpy()
        columns.update((name, column.cpu().numpy()) for name, column in zip(self.names, self.shares.t()))
        return pandas.DataFrame(columns)

    def _named(self, numbers: Tensor, through_all: Tensor) -> list[Any]:
        if self.node_names is None:
            return numbers.tolist()
        return [self.node_names[node] for node in through_all.tolist()]

    def to_networkx(self, graph: int = 0) -> "networkx.Graph":
        """One graph with an attribute for each factor on its edges; of an undirected graph's two directions the mean.
        """
        import networkx

        own = self.of_graph(graph)
        result = networkx.DiGraph() if own.directed else networkx.Graph()
        nodes = own.node_names if own.node_names is not None else list(range(int(own.offsets[-1])))
        result.add_nodes_from(nodes)
        for source, target, values in zip(*own.edge_index.tolist(), own.shares.tolist()):
            ends = (nodes[source], nodes[target])
            back = result.edges[ends] if result.has_edge(*ends) else None
            for name, value in zip(own.names, values):
                if back is None:
                    result.add_edge(*ends, **{name: value})
                else:
                    back[name] = (back[name] + value) / 2
        return result

    def __repr__(self) -> str:
        return f"FactorGraphs({len(self)} factors, {self.num_graphs} graphs, {self.edge_index.size(1)} edges)"
