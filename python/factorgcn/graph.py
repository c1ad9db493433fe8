"""A graph as this package takes it, from whatever people keep graphs in.

    graph = Graph.from_networkx(nx.karate_club_graph(), label="club")
    graph = Graph.from_edge_index(edge_index, x=x, y=y)
    batch = Graph.batch([graph, graph])
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Optional, Union

import torch
from torch import Tensor

from factorgcn import checks
from factorgcn.conversions import GraphConversions
from factorgcn.directions import is_symmetric
from factorgcn.edges import Edges, edges_to_groups
from factorgcn.graph_columns import features_of, types_of, weights_of

if TYPE_CHECKING:
    from factorgcn.chosen import ChosenNodes

#: Columns that go with edges, with nodes, and with nodes or graphs.
EDGE_COLUMNS = ("edge_weight", "edge_type")
MASKS = ("train_mask", "val_mask", "test_mask")
NAMES = ("node_names", "relation_names", "class_names")


class Graph(GraphConversions):
    """Nodes 0 .. N - 1 and directed edges; an undirected graph holds both directions of each edge.

    Args:
        edge_index: [2, E] whole numbers, sources above targets.
        num_nodes: N; None: as many as the largest id, ``x``, names or offsets tell.
        x: [N, F] numbers, or whole numbers [N]: a type for each node.
        y: what is to be predicted: whole numbers [N] (a class of each node; -1: not known) or [G] (of each graph),
            numbers [G, C], or booleans [G, C] (labels).
        edge_weight: [E] numbers.
        edge_type: [E] whole numbers from 0: which relation an edge is, where that is known. Scores of factor graphs
            compare with it; models do not see it.
        train_mask, val_mask, test_mask: booleans over nodes or graphs, or the places that are in.
        directed: False: every edge has its reverse, with the same weight and type; None: found out.
        offsets: [G + 1]: a batch of G graphs, graph g being the nodes offsets[g] .. offsets[g + 1]; None: one graph.
        node_names, relation_names, class_names: what the source calls nodes, types of edges and classes.

    >>> graph = Graph(torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), x=torch.ones(3, 2))
    >>> graph
    Graph(3 nodes, 2 undirected edges, x [3, 2])
    >>> graph.directed, graph.num_edges
    (False, 4)
    """

    def __init__(self, edge_index: Any, num_nodes: Optional[int] = None, *, x: Any = None, y: Any = None,
                 edge_weight: Any = None, edge_type: Any = None, train_mask: Any = None, val_mask: Any = None,
                 test_mask: Any = None, directed: Optional[bool] = None, offsets: Any = None,
                 node_names: Optional[Sequence[Any]] = None, relation_names: Optional[Sequence[Any]] = None,
                 class_names: Optional[Sequence[Any]] = None) -> None:
        self.edge_index: Tensor = checks.as_edge_index(edge_index)
        self.node_names = None if node_names is None else list(node_names)
        self.relation_names = None if relation_names is None else list(relation_names)
        self.class_names = None if class_names is None else list(class_names)
        self.offsets: Optional[Tensor] = None if offsets is None else checks.as_whole_numbers(offsets, "offsets")
        self.x: Optional[Tensor] = None if x is None else features_of(x)
        self.num_nodes: int = self._count_nodes(num_nodes)
        self._check_nodes()
        edges = self.edge_index.size(1)
        self.edge_weight: Optional[Tensor] = None if edge_weight is None else weights_of(edge_weight, edges)
        self.edge_type: Optional[Tensor] = None
        if edge_type is not None:
            self.edge_type = types_of(edge_type, edges, self.relation_names)
        self.y: Optional[Tensor] = None if y is None else self._targets(y)
        rows = self.num_nodes if self.y is None else self.y.size(0)
        self.train_mask, self.val_mask, self.test_mask = (
            None if mask is None else checks.as_mask(name, mask, rows)
            for name, mask in zip(MASKS, (train_mask, val_mask, test_mask)))
        symmetric = is_symmetric(self.edge_index, self.edge_weight, self.edge_type) if directed is not True else False
        if directed is False and not symmetric:
            raise ValueError("directed is False, but not every edge has its reverse with the same weight and type; "
                             "add reverses with Graph.undirected(...), or leave directed out")
        self.directed: bool = not symmetric
        self._edges: dict[bool, Edges] = {}
        self._pooling: Optional[Edges] = None

    @classmethod
    def of_parts(cls, edge_index: Tensor, num_nodes: int, directed: bool, **columns: Any) -> "Graph":
        """Of tensors that are known to fit each other, such as those of other graphs: nothing is checked."""
        graph = cls.__new__(cls)
        graph.edge_index, graph.num_nodes, graph.directed = edge_index, num_nodes, directed
        for name in ("x", "y", *EDGE_COLUMNS, *MASKS, "offsets", *NAMES):
            setattr(graph, name, columns.pop(name, None))
        if columns:
            raise TypeError(f"a Graph has no {next(iter(columns))}")
        graph._edges, graph._pooling = {}, None
        return graph

    def _count_nodes(self, given: Optional[int]) -> int:
        if given is not None:
            return checks.as_count("num_nodes", given)
        if self.x is not None:
            return int(self.x.size(0))
        if self.node_names is not None:
            return len(self.node_names)
        if self.offsets is not None and self.offsets.numel() > 0:
            return int(self.offsets[-1])
        return int(self.edge_index.max()) + 1 if self.edge_index.numel() > 0 else 0

    def _check_nodes(self) -> None:
        for row, name in enumerate(("edge_index[0]", "edge_index[1]")):
            checks.check_ids(self.edge_index[row], self.num_nodes, name)
        if self.x is not None:
            checks.as_column("x", self.x, self.num_nodes, "nodes")
        if self.node_names is not None and len(self.node_names) != self.num_nodes:
            raise ValueError(f"node_names holds {len(self.node_names)} names; there are {self.num_nodes} nodes")
        if self.offsets is not None:
            self._check_offsets(self.offsets)

    def _check_offsets(self, offsets: Tensor) -> None:
        if offsets.dim() != 1 or offsets.numel() == 0 or int(offsets[0]) != 0 or int(offsets[-1]) != self.num_nodes:
            raise ValueError(f"offsets is {_few(offsets)}; it must begin with 0 and end with {self.num_nodes}, the "
                             "number of nodes")
        if bool((offsets.diff() < 0).any()):
            raise ValueError(f"offsets is {_few(offsets)}; it must not fall")
        graph = torch.bucketize(self.edge_index, offsets, right=True)
        across = graph[0] != graph[1]
        if bool(across.any()):
            place = int(across.to(torch.uint8).argmax())
            source, target = self.edge_index[:, place].tolist()
            raise ValueError(f"the edge {source} -> {target} at place {place} leads from one graph of the batch to "
                             "another")

    def _targets(self, value: Any) -> Tensor:
        y = checks.as_tensor("y", value)
        if y.dtype in checks.WHOLE_TYPES:
            y = y.to(torch.int64)
        elif y.dtype != torch.bool:
            y = checks.as_finite_floats("y", y)
        if y.dim() not in (1, 2) or y.size(0) not in (self.num_nodes, self.num_graphs):
            raise ValueError(f"y has shape {tuple(y.shape)}; expected a row for each of the {self.num_nodes} nodes or "
                             f"of the {self.num_graphs} graphs")
        return y

    # ------------------------------------------------------------------ sizes

    @property
    def num_edges(self) -> int:
        """Directed edges: an undirected edge counts twice, an undirected loop once."""
        return int(self.edge_index.size(1))

    @property
    def num_graphs(self) -> int:
        return 1 if self.offsets is None else int(self.offsets.numel()) - 1

    @property
    def device(self) -> torch.device:
        return self.edge_index.device

    def sizes(self) -> Tensor:
        """int64 [G]: nodes of each graph."""
        return torch.tensor([self.num_nodes], device=self.device) if self.offsets is None else self.offsets.diff()

    def node_graph(self) -> Tensor:
        """int64 [N]: which graph of the batch each node is in."""
        return torch.repeat_interleave(torch.arange(self.num_graphs, device=self.device), self.sizes())

    # ------------------------------------------------------------------ what layers take

    def edges(self, add_self_loops: bool = False) -> Edges:
        """The edges as layers take them; made at the first call and kept."""
        if add_self_loops not in self._edges:
            self._edges[add_self_loops] = Edges(self.edge_index, self.num_nodes, add_self_loops, self.edge_weight)
        return self._edges[add_self_loops]

    def pooling(self) -> Edges:
        """An edge from each node to its graph, kept: sums over graphs are then sums over in-edges, with the same bits
        on every run."""
        if self._pooling is None:
            self._pooling = edges_to_groups(self.node_graph(), self.num_graphs)
        return self._pooling

    # ------------------------------------------------------------------ other graphs of this one

    def to(self, device: Union[str, torch.device]) -> "Graph":
        """The same graph in the memory of another device."""
        moved = self.replace(**{name: value.to(device) for name, value in self._tensors().items()})
        moved._edges = {loops: edges.to(device) for loops, edges in self._edges.items()}
        return moved

    def replace(self, **changes: Any) -> "Graph":
        """The same graph but for some tensors of the same shapes, or columns that it had not; nothing is checked."""
        other = copy.copy(self)
        other._edges, other._pooling = {}, None
        for name, value in changes.items():
            setattr(other, name, value)
        return other

    def __getitem__(self, nodes: Any) -> "ChosenNodes":
        """The same graph with some nodes chosen: what scikit-learn's splits make of it (see `Disentangler`)."""
        from factorgcn.chosen import ChosenNodes

        return ChosenNodes(self, nodes)

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("a Graph is not a list of nodes; use range(graph.num_nodes)")

    def __len__(self) -> int:
        return self.num_nodes

    @property
    def shape(self) -> tuple[int]:
        """(N,): for scikit-learn a graph is a list of N nodes."""
        return (self.num_nodes,)

    @staticmethod
    def batch(graphs: Sequence["Graph"]) -> "Graph":
        """Many graphs as one, whose node ids go on from graph to graph. All must have the same columns.

        >>> pair = Graph(torch.tensor([[0, 1], [1, 0]]), y=torch.tensor([1]))
        >>> both = Graph.batch([pair, pair])
        >>> both.edge_index, both.offsets, both.y
        (tensor([[0, 1, 2, 3],
                [1, 0, 3, 2]]), tensor([0, 2, 4]), tensor([1, 1]))
        """
        from factorgcn.batching import batch

        return batch(graphs)

    def unbatch(self) -> "list[Graph]":
        """The graphs of a batch, one by one.

        >>> parts = Graph.batch([Graph([[0], [1]]), Graph([[1], [0]])]).unbatch()
        >>> [part.edge_index.tolist() for part in parts]
        [[[0], [1]], [[1], [0]]]
        """
        from factorgcn.batching import unbatch

        return unbatch(self)

    def _tensors(self) -> dict[str, Tensor]:
        names = ("edge_index", "x", "y", *EDGE_COLUMNS, *MASKS, "offsets")
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    # ------------------------------------------------------------------ of edges alone

    @classmethod
    def from_edge_index(cls, edge_index: Any, num_nodes: Optional[int] = None, **columns: Any) -> "Graph":
        """Of sources above targets; ``columns`` are those of :class:`Graph`."""
        return cls(edge_index, num_nodes, **columns)

    @classmethod
    def undirected(cls, edge_index: Any, num_nodes: Optional[int] = None, **columns: Any) -> "Graph":
        """Of edges that stand there once each: their reverses are added, behind them; loops have none.

        >>> Graph.undirected([[0, 1], [1, 2]]).edge_index
        tensor([[0, 1, 1, 2],
                [1, 2, 0, 1]])
        """
        from factorgcn.directions import with_reverses

        index = checks.as_edge_index(edge_index)
        for name in EDGE_COLUMNS:
            if columns.get(name) is not None:
                columns[name] = checks.as_column(name, columns[name], index.size(1), "edges")
        both, rows = with_reverses(index)
        for name in EDGE_COLUMNS:
            if columns.get(name) is not None:
                columns[name] = columns[name][rows]
        return cls(both, num_nodes, directed=False, **columns)

    def __repr__(self) -> str:
        kind = f"{self.num_edges} directed edges"
        if not self.directed:
            loops = int((self.edge_index[0] == self.edge_index[1]).sum())
            kind = f"{(self.num_edges + loops) // 2} undirected edges"
        graphs = "" if self.offsets is None else f"{self.num_graphs} graphs, "
        columns = "".join(f", {name} {list(value.shape)}" for name, value in self._tensors().items()
                          if name not in ("edge_index", "offsets"))
        return f"Graph({graphs}{self.num_nodes} nodes, {kind}{columns})"


def _few(values: Tensor) -> str:
    shown = ", ".join(str(value) for value in values.flatten()[:8].tolist())
    return f"[{shown}{', ...' if values.numel() > 8 else ''}]"
