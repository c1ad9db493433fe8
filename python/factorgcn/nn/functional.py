"""The disentangle layer and its discriminator as functions of tensors; TorchScript reads them as they are.

    h           = W x + b                                                [S, d], one h for all factors
    left, right = U h + a, V h + b                                       [S, K], [T, K]
    c_ijk       = sigmoid(gate_scale * (left_k[j] + right_k[i]))         coefficient of the edge j -> i in factor k
    out[i,k,:]  = sum over in-edges of c_ijk * w_ij * h[j,:]             [T, K, d]

S: sources, T: targets, the same for one table of nodes. Nothing of size edges x features is stored.
"""

from typing import List, NamedTuple, Optional

import torch
import torch.nn.functional as F
from torch import Tensor


class Messages(NamedTuple):
    """Which rows are summed where, and w_ij: the product of what is given, of source, target and edge."""

    lists: List[Tensor]
    source_weight: Optional[Tensor]  # [S]
    target_weight: Optional[Tensor]  # [T]
    edge_weight: Optional[Tensor]  # [E], in the order of in-edges


class LayerOutput(NamedTuple):
    """What a layer found: its output, and what the discriminator needs of the way there."""

    out: Tensor  # [T, K, d]
    gate_sum: Tensor  # [T, K], the sum over in-edges of c_ijk * w_ij
    left: Tensor  # [S, K]
    right: Tensor  # [T, K]


def linear(x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """x W^T + b: x [..., in], weight [out, in], bias [out]. For tall, thin products faster than torch's own on a CPU,
    and its gradients have the same bits for any number of threads."""
    y: Tensor = torch.ops.factorgcn.dense(x, weight, bias, None, False)
    return y


def weighted_gates(messages: Messages, left: Tensor, right: Tensor, gate_scale: float,
                   edge_weight: Tensor) -> Tensor:
    """c_ijk times the edge's weight, [E, K]."""
    gates = torch.ops.factorgcn_python.factor_gates(left, right, messages.lists, gate_scale)
    return gates * edge_weight.to(gates.dtype).unsqueeze(1)


def sum_rows(messages: Messages, rows: Tensor, edge_values: Tensor) -> Tensor:
    """Sums over in-edges of edge_values [E, K] times rows [S, d] or [S, K, d]: [T, K, d]."""
    summed: Tensor = torch.ops.factorgcn_python.weighted_aggregate(
        rows, edge_values, messages.source_weight, messages.target_weight, messages.lists)
    return summed


def factor_graphs(messages: Messages, h: Tensor, left: Tensor, right: Tensor, gate_scale: float) -> LayerOutput:
    """Rows of h [S, d] summed in each factor graph."""
    edge_weight = messages.edge_weight
    if edge_weight is not None:
        values = weighted_gates(messages, left, right, gate_scale, edge_weight)
        ones = torch.ones([h.size(0), 1], dtype=h.dtype, device=h.device)
        return LayerOutput(sum_rows(messages, h, values), sum_rows(messages, ones, values).squeeze(2), left, right)
    out, gate_sum = torch.ops.factorgcn_python.factor_aggregate(
        h, left, right, messages.source_weight, messages.target_weight, messages.lists, gate_scale)
    return LayerOutput(out, gate_sum, left, right)


def sum_each(messages: Messages, p: Tensor, left: Tensor, right: Tensor, gate_scale: float) -> Tensor:
    """Rows of p [S, K, d], one for each factor, summed in that factor's graph: [T, K, d]."""
    edge_weight = messages.edge_weight
    if edge_weight is not None:
        return sum_rows(messages, p, weighted_gates(messages, left, right, gate_scale, edge_weight))
    summed: Tensor = torch.ops.factorgcn_python.factor_aggregate_each(
        p, left, right, messages.source_weight, messages.target_weight, messages.lists, gate_scale)
    return summed


def disentangle(messages: Messages, x: Tensor, weight: Tensor, bias: Tensor, gate_weight: Tensor, gate_bias: Tensor,
                gate_scale: float) -> LayerOutput:
    """The layer on one table of nodes.

    x [N, in], weight [d, in], bias [d], gate_weight [2K, d] (U above V), gate_bias [2K].
    """
    factors = gate_bias.size(0) // 2
    h = linear(x, weight, bias)
    ends = linear(h, gate_weight, gate_bias)
    return factor_graphs(messages, h, ends[:, :factors], ends[:, factors:], gate_scale)


def mean_of_groups(pooling: List[Tensor], x: Tensor) -> Tensor:
    """Means of the rows of each group: x [N, C] to [G, C]; 0 for a group without rows."""
    sizes = pooling[0].diff().clamp(min=1).to(x.dtype)
    return sum_of_groups(pooling, x) / sizes.unsqueeze(1)


def sum_of_groups(pooling: List[Tensor], x: Tensor) -> Tensor:
    """Sums of the rows of each group: x [N, C] to [G, C]. ``pooling``: the lists of an edge from each row to its group.
    """
    ones = torch.ones([x.size(0), 1], dtype=x.dtype, device=x.device)
    summed: Tensor = torch.ops.factorgcn_python.weighted_aggregate(x, ones, None, None, pooling)
    return summed.squeeze(1)


def discriminate(messages: Messages, graphs: LayerOutput, pooling: List[Tensor], convolutions: List[Tensor],
                 classifier_weight: Tensor, classifier_bias: Tensor, gate_scale: float) -> Tensor:
    """Class scores of each factor graph, [G, K, K]; row (g, k) should be largest at k.

    convolutions: weight and bias of each, one after the other. A_k is linear, so the first needs no pass over edges:
    A_k(L1 h) = L1w out[:, k, :] + L1b gate_sum[:, k].
    """
    features: Tensor = torch.ops.factorgcn.dense(graphs.out, convolutions[0], convolutions[1], graphs.gate_sum, True)
    for level in range(1, len(convolutions) // 2):
        gathered = sum_each(messages, features, graphs.left, graphs.right, gate_scale)
        features = torch.ops.factorgcn.dense(gathered, convolutions[2 * level], convolutions[2 * level + 1],
                                             graphs.gate_sum, True)
    factors, width = features.size(1), features.size(2)
    means = mean_of_groups(pooling, features.reshape(-1, factors * width)).reshape(-1, factors, width)
    return linear(torch.tanh(means), classifier_weight, classifier_bias)


def factor_label_loss(scores: Tensor) -> Tensor:
    """Cross entropy of :func:`discriminate` against the factors' numbers, averaged over graphs and factors."""
    graphs, factors = scores.size(0), scores.size(1)
    labels = torch.arange(factors, device=scores.device).repeat(graphs)
    return F.cross_entropy(scores.reshape(graphs * factors, factors), labels)
