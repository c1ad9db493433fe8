// Parts do not know of each other: a part is as large whatever else lies in its graph, and where it lies says nothing
// about where the others lie. A split that mixes parts breaks both, and that is seen without knowing any part.
//
//   s_k    = least squares of the graphs' sizes (sum of U) on their labels: how large the part of label k is
//   size   mean over the labels k of all graphs of (relu(|sum of C_k - s_k| - slack) / mean s)^2
//   apart  mean over labels k != l of the sum of squared correlations between what factors k and l hold at a node, over
//          the nodes of graphs that have both, each less its mean over the graph's nodes: degree d, tanh d, and the sum
//          of the neighbours' d, in factor k (or l) alone
//
// `slack` is twice what the sizes of graphs differ from those of their labels' parts, so that parts of no fixed size
// are not asked for one. Edges spread alike over all factors contradict both, where parts differ in size or nodes in
// degree. Cost: sums over arcs of [2 P, K], products of [N, 3 K].
#pragma once

#include <ATen/core/Tensor.h>

#include "nn/aligned/pair_graphs.h"

namespace factorgcn::aligned {

struct PartSizes {
  at::Tensor sizes;  ///< double [K]
  double slack = 0;  ///< how far a part may be from its size
};

/// How large the part of each label is, by a batch that is in main memory; labels: float [G, K].
FACTORGCN_API PartSizes part_sizes(const PairGraphs& graphs, const at::Tensor& labels);

/// Scalars. coefficients: [P, K], labels: [G, K], where the coefficients are.
FACTORGCN_API at::Tensor size_loss(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels,
                                   const PartSizes& parts);
FACTORGCN_API at::Tensor apart_loss(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels);

}  // namespace factorgcn::aligned
