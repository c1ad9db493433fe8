"""Initial weights: uniform within 1 / sqrt(inputs), weights and biases alike, as the command line draws them.

(From torch's generator; the command line has its own, so a seed gives other numbers there.)
"""

from __future__ import annotations

import math
from typing import Optional

import torch
from torch import Tensor


def reset_linear(weight: Tensor, bias: Optional[Tensor] = None) -> None:
    """Of a linear map [out, in] and its bias [out]."""
    bound = 1.0 / math.sqrt(max(weight.size(1), 1))
    with torch.no_grad():
        weight.uniform_(-bound, bound)
        if bias is not None:
            bias.uniform_(-bound, bound)
