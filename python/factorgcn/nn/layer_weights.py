"""Weights of a disentangle layer, whatever module holds them: sizes, lazy ones too, start, saving and loading."""

from __future__ import annotations

import math
from typing import Any, Optional, Union, cast

import torch
from torch import Tensor
from torch.nn.parameter import Parameter, UninitializedParameter, is_lazy

from factorgcn import checks
from factorgcn.edges import NORMS, Edges
from factorgcn.nn import functional
from factorgcn.nn.functional import LayerOutput, Messages, linear
from factorgcn.nn.inputs import autocast_off, full_precision
from factorgcn.nn.starts import reset_linear


class LayerWeights(torch.nn.Module):
    """W [d, in], b [d], U above V [2K, d], and their bias [2K], with d = out / K; and what they compute.

    With a pair of input widths, targets have a W and b of their own.
    """

    def set_up(self, in_channels: Union[int, tuple[int, int]], out_channels: int, factors: int, gate_scale: float,
               norm: str, add_self_loops: bool, edge_weights: bool) -> None:
        """Checks all of them and registers the weights. To be called once, by the module's constructor."""
        widths = in_channels if isinstance(in_channels, tuple) else (in_channels,)
        if len(widths) not in (1, 2):
            raise ValueError(f"in_channels is {in_channels!r}; expected a number, or a pair for sources and targets")
        for width in widths:
            if checks.as_count("in_channels", width, -1) == 0:
                raise ValueError("in_channels is 0; it must be at least 1, or -1: known at the first call")
        self.in_channels = in_channels
        self.out_channels = checks.as_count("out_channels", out_channels, 1)
        self.factors = checks.as_count("factors", factors, 1)
        if out_channels % factors != 0:
            raise ValueError(f"out_channels is {out_channels}, which does not divide by {factors} factors; choose a "
                             f"multiple of {factors}")
        self.gate_scale = float(gate_scale)
        if not (math.isfinite(self.gate_scale) and self.gate_scale > 0):
            raise ValueError(f"gate_scale is {gate_scale}; it must be positive")
        self.norm = checks.as_choice("norm", norm, NORMS)
        self.add_self_loops = bool(add_self_loops)
        self.edge_weights = bool(edge_weights)
        width = out_channels // factors
        self.weight, self.bias = _map(width, widths[0])
        self.gate_weight, self.gate_bias = _map(2 * factors, width)
        if len(widths) == 2:
            self.target_weight, self.target_bias = _map(width, widths[1])
        else:
            self.register_parameter("target_weight", None)
            self.register_parameter("target_bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draws all weights anew from torch's generator; those without a size yet are drawn at the first call."""
        for weight, bias in ((self.weight, self.bias), (self.gate_weight, self.gate_bias),
                             (self.target_weight, self.target_bias)):
            if weight is not None and not is_lazy(weight):
                reset_linear(weight, bias)

    def take_width(self, x: Tensor, x_target: Optional[Tensor] = None) -> None:
        """Gives weights that were made with -1 the inputs' widths."""
        for weight, bias, rows in ((self.weight, self.bias, x), (self.target_weight, self.target_bias, x_target)):
            if rows is not None and weight is not None and _has_no_size(weight):
                cast(UninitializedParameter, weight).materialize((self.out_channels // self.factors, rows.size(1)))
                reset_linear(weight, bias)

    def check_input(self, name: str, x: Any, weight: Tensor) -> Tensor:
        """Numbers [nodes, in_channels]."""
        if not isinstance(x, Tensor):
            raise TypeError(f"{name} is a {type(x).__name__}; expected a tensor")
        if not x.is_floating_point():
            raise TypeError(f"{name} holds {checks.type_name(x)}; expected float32 or float64")
        if x.dim() != 2 or (not _has_no_size(weight) and x.size(1) != weight.size(1)):
            columns = "features" if _has_no_size(weight) else weight.size(1)
            raise ValueError(f"{name} has shape {tuple(x.shape)}; expected [nodes, {columns}]")
        return x

    def messages(self, edges: Edges, dtype: torch.dtype, edge_weight: Optional[Tensor] = None) -> Messages:
        """Which rows go where, weighted by the norm and, where this layer looks at them, the weights of edges."""
        if self.edge_weights and edge_weight is None:
            edge_weight = edges.edge_weight
            if edge_weight is None:
                raise ValueError("edge_weights is True, but the edges have no weights")
        return messages_of(edges, self.norm, dtype, edge_weight)

    def on_one_table(self, messages: Messages, x: Tensor) -> LayerOutput:
        with autocast_off(x.device):
            return functional.disentangle(messages, full_precision(x), self.weight, self.bias, self.gate_weight,
                                          self.gate_bias, self.gate_scale)

    def on_two_tables(self, messages: Messages, x: Tensor, x_target: Optional[Tensor], targets: int) -> LayerOutput:
        with autocast_off(x.device):
            h, left, right = self.ends(full_precision(x), x_target, targets)
            return functional.factor_graphs(messages, h, left, right, self.gate_scale)

    def ends(self, x: Tensor, x_target: Optional[Tensor], targets: Optional[int]) -> tuple[Tensor, Tensor, Tensor]:
        """h [S, d], left [S, K] and right [T, K]; ``targets`` None: of one table. Targets without features have zeros.
        """
        h = linear(x, self.weight, self.bias)
        left = linear(h, self.gate_weight[:self.factors], self.gate_bias[:self.factors])
        if targets is None:
            h_target = h
        elif x_target is None:
            return h, left, self.gate_bias[self.factors:].expand(targets, self.factors)
        elif self.target_weight is None:
            h_target = linear(full_precision(x_target), self.weight, self.bias)
        else:
            h_target = linear(full_precision(x_target), self.target_weight, self.target_bias)
        return h, left, linear(h_target, self.gate_weight[self.factors:], self.gate_bias[self.factors:])

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        for name, value in self._parameters.items():
            if value is not None:
                destination[prefix + name] = value if is_lazy(value) or keep_vars else value.detach()

    def _load_from_state_dict(self, state_dict: Any, prefix: str, *others: Any) -> None:
        for name, value in self._parameters.items():
            loaded = state_dict.get(prefix + name)
            if value is not None and loaded is not None and is_lazy(value) and not is_lazy(loaded):
                with torch.no_grad():
                    cast(UninitializedParameter, value).materialize(loaded.shape)
        super()._load_from_state_dict(state_dict, prefix, *others)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.in_channels}, {self.out_channels}, factors={self.factors})"


def messages_of(edges: Edges, norm: str, dtype: torch.dtype, edge_weight: Optional[Tensor] = None) -> Messages:
    """w_ij as the norm has it; degrees are sums of `edge_weight` where that is given. Its gradient counts degrees too.
    """
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    source, target = edges.norm_weights(norm, wide, edge_weight)
    if edge_weight is not None and edge_weight.requires_grad:
        # Operations give no gradient for weights of nodes: here these become part of the edges' own.
        if source is not None:
            edge_weight = edge_weight * source.index_select(0, edges.lists[1])
        if target is not None:
            edge_weight = edge_weight * target.repeat_interleave(edges.lists[0].diff())
        source = target = None
    return Messages(edges.lists, source, target, edge_weight)


def _has_no_size(weight: Tensor) -> bool:
    """Whether the first call will give it one. Compiled code, which cannot ask, has sizes for all."""
    return not checks.is_compiling() and bool(is_lazy(weight))


def _map(out: int, width: int) -> tuple[Parameter, Parameter]:
    weight = UninitializedParameter() if width == -1 else Parameter(torch.empty(out, width))
    return cast(Parameter, weight), Parameter(torch.empty(out))
