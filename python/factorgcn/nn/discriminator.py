"""Tells a layer's factor graphs apart, and so keeps them different."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.parameter import Parameter

from factorgcn import checks
from factorgcn.edges import Edges
from factorgcn.nn import functional
from factorgcn.nn.functional import LayerOutput, Messages
from factorgcn.nn.inputs import autocast_off
from factorgcn.nn.starts import reset_linear


class Discriminator(torch.nn.Module):
    """From a factor graph to its number: two graph convolutions (three in the paper's text) on it, a mean over nodes, a
    linear map.

        p1 = tanh(A_k(L1 h)), L1: d -> m              m = max(d / 2, 1); A_k: the layer's weighted sum over factor k
        p2 = tanh(A_k(L2 p1)), L2: m -> d
        r_k = tanh(mean over the graph's nodes of p2);  scores = C r_k, C: d -> K

    Args:
        width: d, the width of one factor of the layer it judges.
        factors: K.
        gate_scale: the layer's.
        depth: convolutions, 2 or 3.

    Shapes: a layer's factor graphs over G graphs -> scores [G, K, K]; row (g, k) should be largest at k.

    >>> from factorgcn.nn import DisentangleConv
    >>> from factorgcn import Graph
    >>> graph = Graph.undirected([[0, 1], [1, 2]])
    >>> layer, judge = DisentangleConv(5, 8, factors=4), Discriminator(2, factors=4)
    >>> factor_graphs, edges = layer.factor_graphs(torch.rand(3, 5), graph)
    >>> judge.loss(factor_graphs, layer.messages(edges, torch.float32), graph.pooling()).shape
    torch.Size([])
    """

    def __init__(self, width: int, factors: int, gate_scale: float = 6.0, depth: int = 2) -> None:
        super().__init__()
        self.width = checks.as_count("width", width, 1)
        self.factors = checks.as_count("factors", factors, 1)
        self.gate_scale = float(gate_scale)
        if depth not in (2, 3):
            raise ValueError(f"depth is {depth}; choose 2 (published) or 3 (the paper's text)")
        self.depth = depth
        narrow = max(width // 2, 1)
        widths = [width, *[narrow] * (depth - 1), width]
        for level, (inputs, outputs) in enumerate(zip(widths, widths[1:]), start=1):
            self.register_parameter(f"convolution{level}_weight", Parameter(torch.empty(outputs, inputs)))
            self.register_parameter(f"convolution{level}_bias", Parameter(torch.empty(outputs)))
        self.classifier_weight = Parameter(torch.empty(factors, width))
        self.classifier_bias = Parameter(torch.empty(factors))
        self.reset_parameters()

    def convolutions(self) -> list[Tensor]:
        """Weight and bias of each convolution, one after the other."""
        return [getattr(self, f"convolution{level}_{part}") for level in range(1, self.depth + 1)
                for part in ("weight", "bias")]

    def reset_parameters(self) -> None:
        """Draws all weights anew from torch's generator."""
        maps = self.convolutions()
        for weight, bias in zip(maps[::2], maps[1::2]):
            reset_linear(weight, bias)
        reset_linear(self.classifier_weight, self.classifier_bias)

    def forward(self, graphs: LayerOutput, messages: Messages, pooling: Edges) -> Tensor:
        """Scores [G, K, K]. ``pooling``: an edge from each node to its graph (:meth:`factorgcn.Graph.pooling`)."""
        if graphs.left.size(0) != graphs.right.size(0):
            raise ValueError(f"the layer leads from {graphs.left.size(0)} sources to {graphs.right.size(0)} targets; a "
                             "discriminator needs one table of nodes")
        if graphs.out.shape[1:] != (self.factors, self.width):
            raise ValueError(f"the layer's output is {tuple(graphs.out.shape)}; expected [nodes, {self.factors}, "
                             f"{self.width}]")
        with autocast_off(graphs.out.device):
            return functional.discriminate(messages, graphs, pooling.lists, self.convolutions(),
                                           self.classifier_weight, self.classifier_bias, self.gate_scale)

    def loss(self, graphs: LayerOutput, messages: Messages, pooling: Edges) -> Tensor:
        """Cross entropy of the scores against the factors' numbers, averaged over graphs and factors: a scalar."""
        return functional.factor_label_loss(self(graphs, messages, pooling))

    def extra_repr(self) -> str:
        return f"{self.width}, factors={self.factors}, depth={self.depth}"
