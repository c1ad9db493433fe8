"""Shapes of what the library's operations give, for torch 2.x while it traces a program (torch.compile, export).

Each function here has the arguments of the operation of its name and gives empty tensors of the results' shapes and
types. Nothing is looked at but shapes.
"""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

Lists = list[Tensor]


def register_fakes() -> None:
    """Where torch takes them."""
    register = getattr(torch.library, "register_fake", None)
    if register is None:
        return
    for namespace, operations in _OPERATIONS.items():
        for operation in operations:
            register(f"{namespace}::{operation.__name__}")(operation)


def factor_aggregate(h: Tensor, left: Tensor, right: Tensor, source_weight: Optional[Tensor],
                     target_weight: Optional[Tensor], edges: Lists, gate_scale: float) -> tuple[Tensor, Tensor]:
    targets, factors = right.shape
    return h.new_empty(targets, factors, h.shape[1]), h.new_empty(targets, factors)


def factor_aggregate_each(p: Tensor, left: Tensor, right: Tensor, source_weight: Optional[Tensor],
                          target_weight: Optional[Tensor], edges: Lists, gate_scale: float) -> Tensor:
    return p.new_empty(right.shape[0], right.shape[1], p.shape[2])


def factor_aggregate_backward(grad_out: Optional[Tensor], grad_gate_sum: Optional[Tensor], x: Tensor, left: Tensor,
                              right: Tensor, source_weight: Optional[Tensor], target_weight: Optional[Tensor],
                              edges: Lists, gate_scale: float) -> tuple[Tensor, Tensor, Tensor]:
    return x.new_empty(x.shape), left.new_empty(left.shape), right.new_empty(right.shape)


def factor_gates(left: Tensor, right: Tensor, edges: Lists, gate_scale: float) -> Tensor:
    return left.new_empty(edges[1].shape[0], left.shape[1])


def factor_gates_backward(grad: Tensor, gates: Tensor, edges: Lists, gate_scale: float) -> tuple[Tensor, Tensor]:
    factors = gates.shape[1]
    return gates.new_empty(edges[2].shape[0] - 1, factors), gates.new_empty(edges[0].shape[0] - 1, factors)


def weighted_aggregate(x: Tensor, edge_values: Tensor, source_weight: Optional[Tensor],
                       target_weight: Optional[Tensor], edges: Lists) -> Tensor:
    return x.new_empty(edges[0].shape[0] - 1, edge_values.shape[1], x.shape[-1])


def weighted_aggregate_backward(grad_out: Tensor, x: Tensor, edge_values: Tensor, source_weight: Optional[Tensor],
                                target_weight: Optional[Tensor], edges: Lists) -> tuple[Tensor, Tensor]:
    return x.new_empty(x.shape), edge_values.new_empty(edge_values.shape)


def dense(x: Tensor, weight: Tensor, bias: Optional[Tensor], bias_scale: Optional[Tensor], tanh: bool) -> Tensor:
    return x.new_empty((*x.shape[:-1], weight.shape[0]))


def dense_backward(grad_y: Tensor, y: Tensor, x: Tensor, weight: Tensor, bias: Optional[Tensor],
                   bias_scale: Optional[Tensor], tanh: bool, wanted: list[bool]) -> Any:
    return tuple(tensor.new_empty(tensor.shape) if tensor is not None and asked else None
                 for tensor, asked in zip((x, weight, bias, bias_scale), wanted))


def segment_reduce(x: Tensor, offsets: Tensor, mean: bool) -> Tensor:
    return x.new_empty(offsets.shape[0] - 1, x.shape[1])


def segment_reduce_backward(grad: Tensor, offsets: Tensor, rows: int, mean: bool) -> Tensor:
    return grad.new_empty(rows, grad.shape[1])


_OPERATIONS = {
    "factorgcn_python": (factor_aggregate, factor_aggregate_each, factor_aggregate_backward, factor_gates,
                         factor_gates_backward, weighted_aggregate, weighted_aggregate_backward),
    "factorgcn": (dense, dense_backward, segment_reduce, segment_reduce_backward),
}
