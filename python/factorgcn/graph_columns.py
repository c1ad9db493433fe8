"""A `Graph`'s columns, checked."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor

from factorgcn import checks


def features_of(value: Any) -> Tensor:
    """Numbers [N, F], or types of nodes int64 [N]."""
    x = checks.as_tensor("x", value)
    if x.dim() == 1:
        if x.dtype not in checks.WHOLE_TYPES:
            raise ValueError(f"x has shape {tuple(x.shape)} and holds {checks.type_name(x)}; expected numbers [nodes, "
                             "features], or whole numbers [nodes]: a type for each node")
        if x.numel() > 0 and int(x.min()) < 0:
            raise ValueError(f"x holds the node type {int(x.min())}; types begin with 0")
        return x.to(torch.int64)
    if x.dim() != 2:
        raise ValueError(f"x has shape {tuple(x.shape)}; expected [nodes, features]")
    return checks.as_finite_floats("x", x)


def weights_of(value: Any, edges: int) -> Tensor:
    """A number for each edge."""
    weight = checks.as_finite_floats("edge_weight", checks.as_column("edge_weight", value, edges, "edges"))
    if weight.dim() != 1:
        raise ValueError(f"edge_weight has shape {tuple(weight.shape)}; expected one number for each edge")
    return weight


def types_of(value: Any, edges: int, names: Optional[list[Any]]) -> Tensor:
    """A whole number from 0 for each edge; with names, below their number."""
    types = checks.as_whole_numbers(checks.as_column("edge_type", value, edges, "edges"), "edge_type")
    if types.dim() != 1:
        raise ValueError(f"edge_type has shape {tuple(types.shape)}; expected one number for each edge")
    most = len(names) if names is not None else max(int(types.max()) + 1, 0) if edges > 0 else 0
    checks.check_ids(types, most, "edge_type", "types")
    return types
