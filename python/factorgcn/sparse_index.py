"""Transposed sparse adjacencies, as PyTorch Geometric's layers take them: row target, column source."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor


def is_sparse_adjacency(value: Any) -> bool:
    """torch's sparse tensors of any layout, and torch_sparse's SparseTensor."""
    if isinstance(value, Tensor):
        return value.layout != torch.strided
    return hasattr(value, "sparse_sizes") and hasattr(value, "coo")


def edge_index_of(adjacency: Any) -> tuple[Tensor, Optional[Tensor], tuple[int, int]]:
    """edge_index [2, E], values [E] where there are any, and (sources, targets)."""
    if not isinstance(adjacency, Tensor):
        target, source, values = adjacency.coo()
        targets, sources = adjacency.sparse_sizes()
        return torch.stack([source, target]), values, (int(sources), int(targets))
    if adjacency.dim() != 2:
        raise ValueError(f"the sparse adjacency has shape {tuple(adjacency.shape)}; expected [targets, sources]")
    if adjacency.layout == torch.sparse_csc:
        # Of a [targets, sources] matrix columns are sources.
        counts = adjacency.ccol_indices().diff()
        source = torch.repeat_interleave(torch.arange(counts.numel(), device=counts.device), counts)
        target, values = adjacency.row_indices(), adjacency.values()
    elif adjacency.layout == torch.sparse_csr:
        counts = adjacency.crow_indices().diff()
        target = torch.repeat_interleave(torch.arange(counts.numel(), device=counts.device), counts)
        source, values = adjacency.col_indices(), adjacency.values()
    else:
        entries = adjacency.coalesce()
        (target, source), values = entries.indices(), entries.values()
    index = torch.stack([source, target]).to(torch.int64)
    return index, values, (int(adjacency.size(1)), int(adjacency.size(0)))
