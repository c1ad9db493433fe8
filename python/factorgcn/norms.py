"""What messages are multiplied by at both ends of an edge; TorchScript reads it.

    "source": deg(source)^-1/2        "symmetric": (deg(source) deg(target))^-1/2        "none": 1

Degrees are in-degrees, or sums of in-edges' weights, and 1 where that is 0; of two tables a source's goes by its
out-edges.
"""

from typing import List, Optional, Tuple

import torch
from torch import Tensor


def norm_weights(lists: List[Tensor], is_square: bool, norm: str, edge_weight: Optional[Tensor],
                 double: bool) -> Tuple[Optional[Tensor], Optional[Tensor]]:
    """At the source, [S], and at the target, [T], float64 or float32; None stands for ones. ``lists``: of
    :class:`factorgcn.Edges`; ``edge_weight`` [E] in their order."""
    if norm == "none":
        return None, None
    by_target: Optional[Tensor] = None
    if is_square or norm == "symmetric":
        by_target = _inverse_root(_degrees(lists[0], edge_weight), double)
    source = by_target
    if not is_square:
        out_weight = edge_weight
        if edge_weight is not None:
            out_weight = torch.zeros_like(edge_weight).index_copy(0, lists[4], edge_weight)
        source = _inverse_root(_degrees(lists[2], out_weight), double)
    return source, by_target if norm == "symmetric" else None


def _degrees(offsets: Tensor, weight: Optional[Tensor]) -> Tensor:
    if weight is None:
        return offsets.diff().to(torch.float64)
    sums: Tensor = torch.ops.factorgcn.segment_reduce(weight.to(torch.float64).unsqueeze(1), offsets, False)
    return sums.squeeze(1)


def _inverse_root(degree: Tensor, double: bool) -> Tensor:
    root = torch.where(degree > 0, degree, torch.ones_like(degree)).sqrt().reciprocal()
    return root if double else root.to(torch.float32)
