"""FactorGCN: disentangle layers, each with its discriminator, between an input and a readout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Optional, cast

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.parameter import Parameter

from factorgcn import checks
from factorgcn.edges import Edges
from factorgcn.graph import Graph
from factorgcn.nn import functional
from factorgcn.nn.discriminator import Discriminator
from factorgcn.nn.disentangle_conv import DisentangleConv
from factorgcn.nn.ends import activate, batch_norm, input_rows, size_scale
from factorgcn.nn.functional import LayerOutput, Messages, linear
from factorgcn.nn.inputs import AnyEdges, EdgeCache, Grouping, autocast_off, edges_of, full_precision
from factorgcn.nn.layer_weights import messages_of
from factorgcn.nn.network_settings import NetworkSettings
from factorgcn.nn.starts import reset_linear


class FactorGCN(torch.nn.Module):
    """The network of the paper, with the command line's settings and names of weights.

        block l: x = activation(batch_norm(n_graph^-1/2 * layer_l(x)))
        readout: mean_tanh | mean_relu | mean_mlp (over each graph) | node_mlp | node_linear | layer_sum

    Args:
        in_channels: columns of x; 0 where x holds node types.
        hidden_channels: width of each layer, a multiple of each layer's factors.
        out_channels: classes, labels or values to predict.
        factors: K of each layer; as many layers as numbers.
        add_self_loops: gives nodes without a loop one. False for graphs that come with theirs, as data sets do.
        settings: any other of :class:`factorgcn.nn.network_settings.NetworkSettings`, such as ``readout`` or
            ``batch_norm``.

    Shapes: x [N, in_channels] (or int64 [N] node types), edges, batch -> [G, out_channels]; with a readout per node
    [N, out_channels].

    In training add :meth:`forward_and_judge`'s second result, times 0.5 or so, to the loss: it keeps the factor graphs
    different.

    >>> from factorgcn import Graph
    >>> _ = torch.manual_seed(0)
    >>> network = FactorGCN(5, 8, 3, factors=(4, 2))
    >>> graph = Graph.undirected([[0, 1], [1, 2]], x=torch.rand(3, 5))
    >>> network(graph.x, graph).shape
    torch.Size([1, 3])
    >>> prediction, judged = network.forward_and_judge(graph.x, graph)
    >>> judged.shape
    torch.Size([])
    """

    input_mean: Tensor
    input_factor: Tensor
    edge_weight_mean: Tensor

    def __init__(self, in_channels: int, hidden_channels: int, out_channels: int, factors: Sequence[int] = (4, 2), *,
                 add_self_loops: bool = True, node_types: int = 0, **settings: Any) -> None:
        super().__init__()
        self.settings = NetworkSettings(in_features=in_channels, node_types=node_types, outputs=out_channels,
                                        hidden=hidden_channels, factors=tuple(factors), **settings)
        self.add_self_loops = bool(add_self_loops)
        self._cache, self._groups = EdgeCache(), Grouping()
        self._register()
        self.reset_parameters()

    @classmethod
    def of(cls, settings: NetworkSettings, add_self_loops: bool = True) -> "FactorGCN":
        """A network of settings that are there already."""
        network = cls.__new__(cls)
        torch.nn.Module.__init__(network)
        network.settings, network.add_self_loops = settings, add_self_loops
        network._cache, network._groups = EdgeCache(), Grouping()
        network._register()
        network.reset_parameters()
        return network

    def _register(self) -> None:
        own = self.settings
        if own.node_types > 0 and own.embedding > 0:
            self.embedding = Parameter(torch.empty(own.node_types, own.embedding))
        if own.scale == "standard":
            self.register_buffer("input_mean", torch.zeros(own.in_features))
            self.register_buffer("input_factor", torch.ones(own.in_features))
        if own.edge_weights:
            self.register_buffer("edge_weight_mean", torch.ones(1))
        width = own.input_width
        for layer, factors in enumerate(own.factors, start=1):
            if own.batch_norm:
                for name, value in (("gamma", torch.ones(own.hidden)), ("beta", torch.zeros(own.hidden))):
                    self.register_parameter(f"norm{layer}_{name}", Parameter(value))
                self.register_buffer(f"norm{layer}_mean", torch.zeros(own.hidden))
                self.register_buffer(f"norm{layer}_variance", torch.ones(own.hidden))
            conv = DisentangleConv(width, own.hidden, factors, own.gate_scale, own.norm, self.add_self_loops)
            self.add_module(f"layer{layer}", conv)
            if own.discriminator:
                self.add_module(f"discriminator{layer}", Discriminator(own.hidden // factors, factors, own.gate_scale,
                                                                       own.discriminator_depth))
            width = own.hidden
        for name, inputs, outputs in own.heads():
            self.register_parameter(f"{name}_weight", Parameter(torch.empty(outputs, inputs)))
            self.register_parameter(f"{name}_bias", Parameter(torch.empty(outputs)))

    def reset_parameters(self) -> None:
        """Draws all weights anew from torch's generator, and forgets running means."""
        with torch.no_grad():
            if self.settings.node_types > 0 and self.settings.embedding > 0:
                self.embedding.uniform_(-(3.0**0.5), 3.0**0.5)
            for layer in range(1, len(self.settings.factors) + 1):
                if self.settings.batch_norm:
                    for name, value in (("gamma", 1.0), ("beta", 0.0), ("mean", 0.0), ("variance", 1.0)):
                        getattr(self, f"norm{layer}_{name}").fill_(value)
        for module in self.children():
            cast(Any, module).reset_parameters()
        for weight, bias in self.head_maps():
            reset_linear(weight, bias)

    def head_maps(self) -> list[tuple[Tensor, Tensor]]:
        """Weight and bias of the readout's linear maps."""
        return [(getattr(self, f"{name}_weight"), getattr(self, f"{name}_bias"))
                for name, _, _ in self.settings.heads()]

    def layer(self, number: int) -> DisentangleConv:
        """From 1."""
        if not 1 <= number <= len(self.settings.factors):
            raise ValueError(f"layer is {number}; there are 1 to {len(self.settings.factors)}")
        conv: DisentangleConv = getattr(self, f"layer{number}")
        return conv

    # ------------------------------------------------------------------ what it computes

    def forward(self, x: Tensor, edge_index: AnyEdges, batch: Optional[Tensor] = None) -> Tensor:
        """Predictions: logits or values.

        Args:
            x: [N, in_channels], or node types int64 [N].
            edge_index: int64 [2, E], a sparse adjacency, a `Graph` or `Edges`.
            batch: int64 [N], which graph each node is in, rising; None: one graph, or those of the `Graph`.
        """
        return self._run(x, edge_index, batch, judged=False)[0]

    def forward_and_judge(self, x: Tensor, edge_index: AnyEdges,
                          batch: Optional[Tensor] = None) -> tuple[Tensor, Tensor]:
        """Predictions, and the sum over layers of the discriminators' losses: a scalar to be weighted and added."""
        if not self.settings.discriminator:
            raise ValueError("discriminator is False: there is nothing to judge")
        prediction, judged = self._run(x, edge_index, batch, judged=True)
        assert judged is not None
        return prediction, judged

    def coefficients(self, x: Tensor, edge_index: AnyEdges, batch: Optional[Tensor] = None, *,
                     layer: int = 1) -> Tensor:
        """c_ijk of a layer's edges, double [E, K]: the columns of ``edge_index`` in their order, then the added loops.
        In double, since a trained layer has many that are 1 to all digits of a float and differ all the same."""
        scale = self.layer(layer).gate_scale
        with torch.no_grad(), autocast_off(x.device):
            edges = edges_of(edge_index, self._cache, x.size(0), None, self.add_self_loops)
            blocks = self._blocks(x, edges, self._grouping(x, edge_index, batch))
            graphs = next(graphs for number, graphs, _, _ in blocks if number == layer and graphs is not None)
            gates = torch.ops.factorgcn_python.factor_gates(graphs.left.double(), graphs.right.double(), edges.lists,
                                                            scale)
            return edges.given_order(gates)

    def _run(self, x: Tensor, given: AnyEdges, batch: Optional[Tensor],
             judged: bool) -> tuple[Tensor, Optional[Tensor]]:
        with autocast_off(x.device):
            edges = edges_of(given, self._cache, x.size(0), None, self.add_self_loops)
            pooling = self._grouping(x, given, batch)
            levels, losses = [], []
            for number, graphs, messages, features in self._blocks(x, edges, pooling):
                levels.append(features)
                if judged and graphs is not None:
                    losses.append(getattr(self, f"discriminator{number}").loss(graphs, messages, pooling))
            prediction = self._read_out(levels if self.settings.reads_every_level else levels[-1:], pooling)
            return prediction, torch.stack(losses).sum() if judged else None

    def _blocks(self, x: Tensor, edges: Edges,
                pooling: Edges) -> Iterator[tuple[int, Optional[LayerOutput], Messages, Tensor]]:
        """The input as number 0, then each layer: its number, what it found, over which messages, and its end."""
        features = self._input(x)
        messages = self._messages(edges, features.dtype)
        rows_scale = size_scale(pooling.lists[0].diff(), features.dtype) if self.settings.size_norm else None
        yield 0, None, messages, features
        for number in range(1, len(self.settings.factors) + 1):
            graphs = self.layer(number).on_one_table(messages, features)
            features = self._end(number, graphs.out.flatten(1), rows_scale)
            yield number, graphs, messages, features

    def _grouping(self, x: Tensor, given: AnyEdges, batch: Optional[Tensor]) -> Edges:
        if batch is None and isinstance(given, Graph):
            return given.pooling()
        return self._groups.of_batch(batch, x.size(0), x.device)

    def _input(self, x: Tensor) -> Tensor:
        own = self.settings
        if own.node_types > 0:
            types = checks.as_whole_numbers(x, "x")
            checks.check_ids(types, own.node_types, "x", "node types")
            table = self.embedding if own.embedding > 0 else None
            return input_rows(types, table, own.node_types, self.layer(1).weight.dtype, own.input_dropout,
                              self.training)
        if not x.is_floating_point() or x.dim() != 2 or x.size(1) != own.in_features:
            raise ValueError(f"x holds {checks.type_name(x)} and has shape {tuple(x.shape)}; expected numbers [nodes, "
                             f"{own.in_features}]")
        x = full_precision(x)
        if own.scale == "rows":
            sums = x.abs().sum(1, keepdim=True)
            x = x / sums.masked_fill(sums == 0, 1.0)
        elif own.scale == "standard":
            x = (x - self.input_mean) * self.input_factor
        return F.dropout(x, own.input_dropout, self.training)

    def _messages(self, edges: Edges, dtype: torch.dtype) -> Messages:
        weight = None
        if self.settings.edge_weights:
            if edges.edge_weight is None:
                raise ValueError("edge_weights is True, but the edges have no weights; give a Graph or Edges with them")
            weight = edges.edge_weight.to(dtype) / self.edge_weight_mean.to(dtype)
        return messages_of(edges, self.settings.norm, dtype, weight)

    def _end(self, layer: int, y: Tensor, rows_scale: Optional[Tensor]) -> Tensor:
        own = self.settings
        if rows_scale is not None:
            y = y * rows_scale
        if own.batch_norm:
            parts = [getattr(self, f"norm{layer}_{name}") for name in ("gamma", "beta", "mean", "variance")]
            y = batch_norm(y, parts[0], parts[1], parts[2], parts[3], self.training)
        y = activate(y, own.activation, own.slope)
        return y if own.reads_every_level else F.dropout(y, own.dropout, self.training)

    def _read_out(self, levels: list[Tensor], pooling: Edges) -> Tensor:
        own, maps = self.settings, self.head_maps()
        if own.reads_every_level:
            scores = [F.dropout(linear(functional.sum_of_groups(pooling.lists, level), *head), own.dropout,
                                self.training) for level, head in zip(levels, maps)]
            return torch.stack(scores).sum(0)
        x = levels[0]
        if not own.per_node:
            x = functional.mean_of_groups(pooling.lists, x)
        if own.readout in ("mean_mlp", "node_mlp"):
            return linear(torch.relu(linear(torch.relu(x), *maps[0])), *maps[1])
        x = torch.tanh(x) if own.readout == "mean_tanh" else torch.relu(x) if own.readout == "mean_relu" else x
        return linear(x, *maps[0])

    def __prepare_scriptable__(self) -> torch.nn.Module:
        from factorgcn.nn.scripted import ScriptedNetwork

        return ScriptedNetwork(self).train(self.training)

    def extra_repr(self) -> str:
        own = self.settings
        return f"{own.in_features or own.node_types}, {own.hidden}, {own.outputs}, factors={own.factors}, " \
               f"readout={own.readout!r}"
