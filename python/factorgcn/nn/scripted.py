"""What torch.jit.script makes of the modules: the same weights, plain edge_index in, edges checked inside."""

from typing import Any, List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor

from factorgcn.nn.ends import activate, batch_norm, input_rows, size_scale
from factorgcn.nn.functional import Messages, disentangle, linear, mean_of_groups, sum_of_groups
from factorgcn.norms import norm_weights


def messages_of_index(edge_index: Tensor, nodes: int, add_self_loops: bool, norm: str, double: bool) -> Messages:
    """Edges of one table without weights, checked and sorted."""
    lists = torch.classes.factorgcn.Edges(edge_index, nodes, -1, add_self_loops, None).lists()
    source, target = norm_weights(lists, True, norm, None, double)
    return Messages(lists, source, target, None)


class ScriptedConv(torch.nn.Module):
    """forward(x [N, in], edge_index [2, E]) -> [N, out]; weights keep their names."""

    weight: Tensor
    bias: Tensor
    gate_weight: Tensor
    gate_bias: Tensor

    def __init__(self, layer: Any) -> None:
        super().__init__()
        if layer.edge_weights or layer.target_weight is not None:
            raise ValueError("TorchScript serves layers on one table of nodes without weights of edges")
        for name in ("weight", "bias", "gate_weight", "gate_bias"):
            self.register_parameter(name, getattr(layer, name))
        self.gate_scale: float = layer.gate_scale
        self.norm: str = layer.norm
        self.add_self_loops: bool = layer.add_self_loops

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        messages = messages_of_index(edge_index, x.size(0), self.add_self_loops, self.norm, x.dtype == torch.float64)
        return self.on_messages(x, messages)

    def on_messages(self, x: Tensor, messages: Messages) -> Tensor:
        graphs = disentangle(messages, x, self.weight, self.bias, self.gate_weight, self.gate_bias, self.gate_scale)
        return graphs.out.flatten(1)


class ScriptedBlock(torch.nn.Module):
    """A layer and its end."""

    mean: Tensor
    variance: Tensor

    def __init__(self, network: Any, layer: int) -> None:
        super().__init__()
        own = network.settings
        self.conv = ScriptedConv(network.layer(layer))
        self.has_norm: bool = own.batch_norm
        ones = torch.ones(0)
        parts = [getattr(network, f"norm{layer}_{name}") if own.batch_norm else ones
                 for name in ("gamma", "beta", "mean", "variance")]
        self.gamma, self.beta = parts[0], parts[1]
        self.register_buffer("mean", parts[2])
        self.register_buffer("variance", parts[3])
        self.activation: str = own.activation
        self.slope: float = own.slope
        self.dropout: float = 0.0 if own.reads_every_level else own.dropout

    def forward(self, x: Tensor, messages: Messages, rows_scale: Optional[Tensor]) -> Tensor:
        y = self.conv.on_messages(x, messages)
        if rows_scale is not None:
            y = y * rows_scale
        if self.has_norm:
            y = batch_norm(y, self.gamma, self.beta, self.mean, self.variance, self.training)
        return F.dropout(activate(y, self.activation, self.slope), self.dropout, self.training)


class ScriptedHead(torch.nn.Module):
    """One of the readout's linear maps."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        super().__init__()
        self.weight, self.bias = weight, bias

    def forward(self, x: Tensor) -> Tensor:
        return linear(x, self.weight, self.bias)


class ScriptedNetwork(torch.nn.Module):
    """forward(x, edge_index, batch) -> predictions; without discriminators, which training alone needs."""

    def __init__(self, network: Any) -> None:
        super().__init__()
        own = network.settings
        if own.edge_weights or own.scale != "none":
            raise ValueError("TorchScript serves networks without weights of edges and without scaling")
        self.blocks = torch.nn.ModuleList([ScriptedBlock(network, layer + 1) for layer in range(len(own.factors))])
        self.embedding = network.embedding if own.node_types > 0 and own.embedding > 0 else None
        self.node_types: int = own.node_types
        self.input_dropout: float = own.input_dropout
        self.add_self_loops: bool = network.add_self_loops
        self.norm: str = own.norm
        self.size_norm: bool = own.size_norm
        self.readout: str = own.readout
        self.per_node: bool = own.per_node
        self.every_level: bool = own.reads_every_level
        self.dropout: float = own.dropout
        self.heads = torch.nn.ModuleList([ScriptedHead(weight, bias) for weight, bias in network.head_maps()])

    def forward(self, x: Tensor, edge_index: Tensor, batch: Optional[Tensor] = None) -> Tensor:
        if self.node_types > 0:
            x = input_rows(x, self.embedding, self.node_types, torch.float32, self.input_dropout, self.training)
        else:
            x = F.dropout(x, self.input_dropout, self.training)
        double = x.dtype == torch.float64
        messages = messages_of_index(edge_index, x.size(0), self.add_self_loops, self.norm, double)
        pooling = self.groups(x, batch)
        rows_scale: Optional[Tensor] = None
        if self.size_norm:
            rows_scale = size_scale(pooling[0].diff(), x.dtype)
        levels = [x]
        for block in self.blocks:
            x = block(x, messages, rows_scale)
            levels.append(x)
        if self.every_level:
            scores: List[Tensor] = []
            for level, head in enumerate(self.heads):
                summed = sum_of_groups(pooling, levels[level])
                scores.append(F.dropout(head(summed), self.dropout, self.training))
            return torch.stack(scores).sum(0)
        if not self.per_node:
            x = mean_of_groups(pooling, x)
        if self.readout == "mean_tanh":
            x = torch.tanh(x)
        elif self.readout != "node_linear":
            x = torch.relu(x)
        for level, head in enumerate(self.heads):
            x = head(torch.relu(x) if level > 0 else x)
        return x

    def groups(self, x: Tensor, batch: Optional[Tensor]) -> List[Tensor]:
        rows = torch.arange(x.size(0), device=x.device)
        group = torch.zeros_like(rows) if batch is None else batch
        count = 1 if batch is None else (int(group.max()) + 1 if group.numel() > 0 else 0)
        edges = torch.classes.factorgcn.Edges(torch.stack([rows, group]), x.size(0), count, False, None)
        return edges.lists()
