"""What stands between a network's layers: input rows, size norm, batch norm, activations. TorchScript reads it."""

from typing import Optional

import torch
import torch.nn.functional as F
from torch import Tensor


def input_rows(types: Tensor, table: Optional[Tensor], node_types: int, dtype: torch.dtype, dropout: float,
               training: bool) -> Tensor:
    """Rows of the embedding, or one-hot rows where there is none."""
    if table is not None:
        rows = F.embedding(types, table)
    else:
        rows = F.one_hot(types, node_types).to(dtype)
    return F.dropout(rows, dropout, training)


def size_scale(sizes: Tensor, dtype: torch.dtype) -> Tensor:
    """n_graph^-1/2 of each node's graph, [N, 1]."""
    return torch.repeat_interleave(sizes.to(dtype).rsqrt(), sizes).unsqueeze(1)


def batch_norm(x: Tensor, gamma: Tensor, beta: Tensor, mean: Tensor, variance: Tensor, training: bool) -> Tensor:
    """Over rows; in training with the batch's own moments, which the running ones move towards."""
    return F.batch_norm(x, mean, variance, gamma, beta, training, 0.1, 1e-5)


def activate(x: Tensor, activation: str, slope: float) -> Tensor:
    if activation == "leaky_relu":
        return F.leaky_relu(x, slope)
    if activation == "relu":
        return torch.relu(x)
    if activation == "elu":
        return F.elu(x)
    if activation == "tanh":
        return torch.tanh(x)
    return x
