"""Which edges have a reverse, and adding those that are missing."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor


def is_symmetric(edge_index: Tensor, weight: Optional[Tensor] = None, kind: Optional[Tensor] = None) -> bool:
    """Whether every edge has its reverse, as often, with the same weights and types. Cost: O(E log E)."""
    columns = [column for column in (weight, kind) if column is not None]
    source, target = edge_index
    there, back = in_order([source, target, *columns]), in_order([target, source, *columns])
    return all(torch.equal(one, other) for one, other in zip(there, back))


def in_order(columns: list[Tensor]) -> list[Tensor]:
    """Rows of a table sorted by its first column, among equals by the second, and so on."""
    order = torch.arange(columns[0].numel(), device=columns[0].device)
    for column in reversed(columns):
        order = order[torch.argsort(column[order], stable=True)]
    return [column[order] for column in columns]


def with_reverses(edge_index: Tensor) -> tuple[Tensor, Tensor]:
    """The edges, then the reverse of each that is no loop; and for all of these the edge they come from."""
    real = (edge_index[0] != edge_index[1]).nonzero().flatten()
    both = torch.cat([edge_index, edge_index[:, real].flip(0)], dim=1)
    return both, torch.cat([torch.arange(edge_index.size(1), device=edge_index.device), real])


def each_once(edge_index: Tensor, directed: bool) -> Tensor:
    """Places of edges, each undirected edge once (from the lower id to the higher); of directed ones all."""
    source, target = edge_index
    if directed:
        return torch.arange(edge_index.size(1), device=edge_index.device)
    return (source <= target).nonzero().flatten()
