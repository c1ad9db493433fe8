"""Which edges have a reverse, and adding those that are missing."""

from __future__ import annotations

from typing import Optional

import torch
from torch import Tensor


def is_symmetric(edge_index: Tensor, weight: Optional[Tensor] = None, kind: Optional[Tensor] = None) -> bool:
    """Whether every edge has its reverse, as often, with the same weights and types. Cost: O(E log E)."""
    import numpy

    columns = [column.detach().cpu().numpy() for column in (weight, kind) if column is not None]
    source, target = edge_index.cpu().numpy()

    def in_order(first: numpy.ndarray, second: numpy.ndarray) -> list[numpy.ndarray]:
        order = numpy.lexsort((*columns, second, first))
        return [column[order] for column in (first, second, *columns)]

    pairs = zip(in_order(source, target), in_order(target, source))
    return all(numpy.array_equal(one, other) for one, other in pairs)


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
