// What is asked of a split of the edges whatever its parts may be. With n pairs in a batch, Y the labels, P_g the
// number of labels of graph g and n_g that of its pairs:
//
//   empty    sum of C_k over pairs of graphs without label k, / n
//   cover    sum of (sum_k C_k - U)^2, / n: together the factors hold each edge as often as parts lie on it
//   entropy  sum of C (1 - C), / n: an edge is in a factor or it is not
//   share    mean over present labels of relu(floor / P_g - sum of C_k / n_g)
//
// `share` is a prior: the factor of a present label holds at least `floor` of an equal share of its graph's edges.
// Without it a factor may stay nearly empty and let a few of its edges serve as a flag that the label is read from,
// while the rest of its part lies in another factor. Cost: a pass over [P, K] each.
#pragma once

#include <ATen/core/Tensor.h>

#include "nn/aligned/pair_graphs.h"

namespace factorgcn::aligned {

/// Scalars.
struct SplitLosses {
  at::Tensor empty, cover, entropy, share;
};

/// coefficients: [P, K]; labels: [G, K], where the coefficients are.
FACTORGCN_API SplitLosses split_losses(const PairGraphs& graphs, const at::Tensor& coefficients,
                                       const at::Tensor& labels, double share_floor);

/// What the factors hold: bool [P, K], pairs whose coefficient is above 1/2. `whole`: every pair is also held by the
/// strongest of the factors whose labels are present, so that a split which is not sure of anything yet has parts, too.
FACTORGCN_API at::Tensor held_pairs(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels,
                                    bool whole);

/// Mean cross entropy of coefficients against what they should be, [P, K] both, summed over factors. Coefficients are
/// kept 1e-4 away from 0 and 1, beyond which nothing is left to learn.
FACTORGCN_API at::Tensor coefficient_loss(const at::Tensor& coefficients, const at::Tensor& wanted);

}  // namespace factorgcn::aligned
