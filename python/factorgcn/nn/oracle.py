"""The layer in plain torch, edge by edge: what tests compare with, and what explainers look into.

Memory: edges x factors x width. Second derivatives and any type of float work here.
"""

from typing import Optional

import torch
from torch import Tensor


def message(h_source: Tensor, left: Tensor, right: Tensor, weight: Optional[Tensor], gate_scale: float) -> Tensor:
    """What each edge carries: h [E, d] and left [E, K] at its source, right [E, K] at its target, w_ij [E] or None,
    to [E, K, d]."""
    gates = torch.sigmoid(gate_scale * (left + right))
    if weight is not None:
        gates = gates * weight.unsqueeze(1)
    return gates.unsqueeze(2) * h_source.unsqueeze(1)


def disentangle(edge_index: Tensor, h: Tensor, left: Tensor, right: Tensor, gate_scale: float,
                weight: Optional[Tensor] = None) -> Tensor:
    """Messages summed at their targets: h [S, d], left [S, K], right [T, K], weight [E] to [T, K, d]."""
    source, target = edge_index
    messages = message(h[source], left[source], right[target], weight, gate_scale)
    return h.new_zeros(right.size(0), *messages.shape[1:]).index_add(0, target, messages)


def edge_weights(edge_index: Tensor, sources: int, targets: int, norm: str,
                 weight: Optional[Tensor] = None, square: bool = True) -> Tensor:
    """w_ij of each edge, double [E]: degrees are sums of `weight` (ones where None), 1 where that is 0."""
    source, target = edge_index
    values = torch.ones(source.numel(), dtype=torch.float64) if weight is None else weight.to(torch.float64)
    into = torch.zeros(targets, dtype=torch.float64).index_add(0, target, values)
    out = into if square else torch.zeros(sources, dtype=torch.float64).index_add(0, source, values)
    into, out = (torch.where(degree > 0, degree, torch.ones_like(degree)).rsqrt() for degree in (into, out))
    if norm == "none":
        return values
    return values * out[source] * (into[target] if norm == "symmetric" else 1.0)
