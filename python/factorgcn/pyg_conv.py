"""The disentangle layer within PyTorch Geometric: its arguments and results are those of ``GATConv``.

``forward`` goes through the fused kernels. Where somebody looks into single messages (explainers, hooks), it goes
through ``propagate`` and ``message``, which store edges x factors x width.
"""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import torch
from torch import Tensor
from torch_geometric.nn import MessagePassing

from factorgcn.edges import Edges
from factorgcn.nn import functional, oracle
from factorgcn.nn.disentangle_conv import Rows
from factorgcn.nn.inputs import EdgeCache, autocast_off, edges_of, full_precision
from factorgcn.nn.layer_weights import LayerWeights
from factorgcn.sparse_index import edge_index_of, is_sparse_adjacency

OptPairTensor = Tuple[Tensor, Optional[Tensor]]


class DisentangleConv(LayerWeights, MessagePassing):  # type: ignore[misc]
    """See :class:`factorgcn.nn.DisentangleConv`, whose weights it shares name by name.

    Shapes: x [N, in] or ([S, in], [T, in] or None); edge_index int64 [2, E], SparseTensor or torch sparse [T, S]
    -> [N, out], [T, out].
    """

    def __init__(self, in_channels: Union[int, tuple[int, int]], out_channels: int, factors: int = 4,
                 gate_scale: float = 6.0, norm: str = "source", add_self_loops: bool = True, **kwargs: Any) -> None:
        kwargs.setdefault("aggr", "add")
        super().__init__(node_dim=0, **kwargs)  # type: ignore[call-arg]
        if self.flow != "source_to_target":
            raise ValueError(f"flow is {self.flow!r}; this layer sums at targets (turn edge_index.flip(0) around)")
        self.set_up(in_channels, out_channels, factors, gate_scale, norm, add_self_loops, edge_weights=False)
        self._cache = EdgeCache()
        self._alpha: Optional[Tensor] = None

    def forward(self, x: Rows, edge_index: Any, edge_weight: Optional[Tensor] = None,
                size: Optional[tuple[int, int]] = None, return_attention_weights: Optional[bool] = None) -> Any:
        """-> [N, out]; with ``return_attention_weights`` also (edge_index, coefficients [E, K]), loops included."""
        two = isinstance(x, (tuple, list))
        rows, x_target = x if isinstance(x, (tuple, list)) else (x, None)
        self.check_input("x", rows, self.weight)
        self.take_width(rows, x_target)
        adjacency = edge_index
        if is_sparse_adjacency(edge_index):
            edge_index, stored, size = edge_index_of(edge_index)
            if edge_weight is None and stored is not None and stored.dim() == 1 and not bool((stored == 1).all()):
                edge_weight = stored
        watched = self._is_watched()
        if watched and self.add_self_loops and isinstance(edge_index, Tensor):
            # Explainers count a loop for each node behind the edges that are none.
            real = edge_index[0] != edge_index[1]
            edge_weight = None if edge_weight is None else edge_weight[real]
            edge_index = edge_index[:, real]
        targets = self._targets(x_target, edge_index, size) if two else None
        edges = edges_of(edge_index, self._cache, rows.size(0), targets, self.add_self_loops, size, edge_weight)
        messages = self.messages(edges, full_precision(rows).dtype, None if edge_weight is None else edges.edge_weight)
        if watched:
            with autocast_off(rows.device):
                out, gates = self._by_messages(rows, x_target, targets, edges, messages)
            return self._result(out, gates, edges, adjacency, return_attention_weights)
        output = self.on_one_table(messages, rows) if targets is None else \
            self.on_two_tables(messages, rows, x_target, targets)
        gates = None
        if return_attention_weights is not None:
            gates = edges.given_order(torch.ops.factorgcn_python.factor_gates(output.left, output.right, edges.lists,
                                                                              self.gate_scale))
        return self._result(output.out, gates, edges, adjacency, return_attention_weights)

    @staticmethod
    def _targets(x_target: Optional[Tensor], edge_index: Any, size: Optional[tuple[int, int]]) -> int:
        if x_target is not None:
            return x_target.size(0)
        return int(size[1]) if size is not None else int(edge_index[1].max()) + 1

    @staticmethod
    def _result(out: Tensor, gates: Optional[Tensor], edges: Edges, adjacency: Any, wanted: Optional[bool]) -> Any:
        out = out.flatten(1)
        return out if wanted is None or gates is None else (out, _with_edges(adjacency, edges, gates))

    def _is_watched(self) -> bool:
        """Whether somebody wants to see single messages."""
        hooks = ("_propagate_forward_pre_hooks", "_propagate_forward_hooks", "_message_forward_pre_hooks",
                 "_message_forward_hooks", "_aggregate_forward_pre_hooks", "_aggregate_forward_hooks")
        return bool(getattr(self, "explain", False)) or any(getattr(self, name, None) for name in hooks)

    def _by_messages(self, rows: Tensor, x_target: Optional[Tensor], targets: Optional[int], edges: Edges,
                     messages: functional.Messages) -> tuple[Tensor, Optional[Tensor]]:
        h, left, right = self.ends(full_precision(rows), x_target, targets)
        size = (edges.num_sources, edges.num_targets)
        weights = weights_of_edges(edges, messages, h)
        # PyTorch Geometric reads the next lines.
        # propagate_type: (h: OptPairTensor, left: OptPairTensor, right: Tuple[Optional[Tensor], Tensor],
        #                  weight: Tensor)
        out: Tensor = self.propagate(  # type: ignore[operator]
            edges.edge_index(), h=(h, None), left=(left, None), right=(None, right), weight=weights, size=size)
        gates, self._alpha = self._alpha, None
        return out, gates

    def message(self, h_j: Tensor, left_j: Tensor, right_i: Tensor, weight: Tensor) -> Tensor:
        """What an edge carries: [E, K, d]. Its coefficients are ``_alpha`` meanwhile, where explainers find them."""
        self._alpha = torch.sigmoid(self.gate_scale * (left_j + right_i))
        return oracle.message(h_j, left_j, right_i, weight, self.gate_scale)

    def __prepare_scriptable__(self) -> torch.nn.Module:
        from factorgcn.nn.scripted import ScriptedConv

        return ScriptedConv(self).train(self.training)


def weights_of_edges(edges: Edges, messages: functional.Messages, like: Tensor) -> Tensor:
    """w_ij of each edge as :meth:`Edges.edge_index` has them, [E]."""
    source, target = edges.edge_index()
    weights = like.new_ones(edges.num_edges)
    if messages.edge_weight is not None:
        weights = weights * edges.given_order(messages.edge_weight).to(like.dtype)
    if messages.source_weight is not None:
        weights = weights * messages.source_weight[source]
    if messages.target_weight is not None:
        weights = weights * messages.target_weight[target]
    return weights


def _with_edges(adjacency: Any, edges: Edges, gates: Tensor) -> Any:
    """Coefficients with their edges, in the kind of adjacency that was given."""
    index = edges.edge_index()
    if isinstance(adjacency, Tensor) and adjacency.layout == torch.strided:
        return index, gates
    if isinstance(adjacency, Tensor):
        shape = (edges.num_targets, edges.num_sources, gates.size(1))
        return torch.sparse_coo_tensor(index.flip(0), gates, shape), gates
    return type(adjacency)(row=index[1], col=index[0], value=gates, sparse_sizes=(edges.num_targets, edges.num_sources))
