"""The disentangle layer as a torch module."""

from __future__ import annotations

from typing import Optional, Union

import torch
from torch import Tensor

from factorgcn.edges import Edges
from factorgcn.nn.functional import LayerOutput
from factorgcn.nn.inputs import AnyEdges, EdgeCache, edges_of
from factorgcn.nn.layer_weights import LayerWeights

Rows = Union[Tensor, tuple[Tensor, Optional[Tensor]]]


class DisentangleConv(LayerWeights):
    """One graph in, K weighted factor graphs out; features are summed in each, and the K sums stand side by side.

    Args:
        in_channels: width of the input; -1: known at the first call; a pair where sources and targets have weights of
            their own.
        out_channels: width of the output, a multiple of ``factors``.
        factors: K.
        gate_scale: how sharply gates open and close; 6 as published, the paper's text has 1.
        norm: "source" (as published), "symmetric" (the paper's equation) or "none".
        add_self_loops: gives nodes without a loop one. `Edges` that are given stay as they are.
        edge_weights: multiplies messages by the weights of edges.

    Shapes: x [N, in] (or a pair [S, in], [T, in]; the second may be None), edge_index [2, E] -> [N, out] ([T, out]).

    Computed in float32 under autocast too. In TorchScript ``forward(x, edge_index)`` on one table.

    >>> _ = torch.manual_seed(0)
    >>> layer = DisentangleConv(-1, 8, factors=4)
    >>> x, edge_index = torch.rand(3, 5), torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    >>> layer(x, edge_index).shape, layer.coefficients(x, edge_index).shape
    (torch.Size([3, 8]), torch.Size([7, 4]))
    >>> layer
    DisentangleConv(-1, 8, factors=4)
    """

    def __init__(self, in_channels: Union[int, tuple[int, int]], out_channels: int, factors: int = 4,
                 gate_scale: float = 6.0, norm: str = "source", add_self_loops: bool = True,
                 edge_weights: bool = False) -> None:
        super().__init__()
        self.set_up(in_channels, out_channels, factors, gate_scale, norm, add_self_loops, edge_weights)
        self._cache = EdgeCache()

    def forward(self, x: Rows, edge_index: AnyEdges, size: Optional[tuple[int, int]] = None) -> Tensor:
        """x, edges -> [N, out]. ``edge_index``: int64 [2, E], a sparse adjacency [T, S], a `Graph` or `Edges`."""
        graphs, _ = self.factor_graphs(x, edge_index, size)
        return graphs.out.flatten(1)

    def factor_graphs(self, x: Rows, edge_index: AnyEdges,
                      size: Optional[tuple[int, int]] = None) -> tuple[LayerOutput, Edges]:
        """The output before it is laid side by side, what led there, and the edges: for `Discriminator`."""
        if not isinstance(x, (tuple, list)):
            rows = self.check_input("x", x, self.weight)
            if self.target_weight is not None:
                raise TypeError("in_channels is a pair, so x must be one: sources and targets")
            targets, x_target = None, None
        else:
            rows = self.check_input("x[0]", x[0], self.weight)
            x_target = x[1]
            if x_target is not None:
                own = self.weight if self.target_weight is None else self.target_weight
                self.check_input("x[1]", x_target, own)
            targets = self._targets(x_target, edge_index, size)
        self.take_width(rows, x_target)
        edges = edges_of(edge_index, self._cache, rows.size(0), targets, self.add_self_loops, size)
        messages = self.messages(edges, rows.dtype)
        if targets is None:
            return self.on_one_table(messages, rows), edges
        return self.on_two_tables(messages, rows, x_target, targets), edges

    def _targets(self, x_target: Optional[Tensor], edge_index: AnyEdges, size: Optional[tuple[int, int]]) -> int:
        if x_target is not None:
            return x_target.size(0)
        if isinstance(edge_index, Edges):
            return edge_index.num_targets
        if size is not None:
            return int(size[1])
        if isinstance(edge_index, Tensor) and edge_index.layout == torch.strided:
            return int(edge_index[1].max()) + 1 if edge_index.numel() > 0 else 0
        raise ValueError("x[1] is None: give size=(sources, targets), which says how many targets there are")

    def coefficients(self, x: Rows, edge_index: AnyEdges, size: Optional[tuple[int, int]] = None) -> Tensor:
        """c_ijk of every edge, [E, K]: the columns of ``edge_index`` in their order, then the added loops
        (:meth:`factorgcn.Edges.edge_index` tells them)."""
        graphs, edges = self.factor_graphs(x, edge_index, size)
        gates = torch.ops.factorgcn_python.factor_gates(graphs.left, graphs.right, edges.lists, self.gate_scale)
        return edges.given_order(gates)

    def __prepare_scriptable__(self) -> torch.nn.Module:
        from factorgcn.nn.scripted import ScriptedConv

        return ScriptedConv(self).train(self.training)
