// Libtorch's own operations on [P, K], which is small beside the networks' rows.
#include "nn/aligned/split_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/binary_cross_entropy.h>

#include <algorithm>

#include "factorgcn/ops/segment_reduce.h"

namespace factorgcn::aligned {

SplitLosses split_losses(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels,
                         double share_floor) {
  const double pairs = static_cast<double>(std::max<std::int64_t>(graphs.num_pairs(), 1));
  const at::ScalarType type = coefficients.scalar_type();
  const at::Tensor present = labels.to(type);
  const at::Tensor absent = (1 - present).index_select(0, graphs.graph_of_pair);
  const at::Tensor missing = coefficients.sum(1) - graphs.multiplicity.to(type);
  const at::Tensor counts = graphs.pair_offsets.diff().clamp_min(1).to(type).unsqueeze(1);
  const at::Tensor sizes = segment_sum(coefficients, graphs.pair_offsets) / counts;
  const at::Tensor least = share_floor / present.sum(1, /*keepdim=*/true).clamp_min(1);
  SplitLosses losses;
  losses.empty = (coefficients * absent).sum() / pairs;
  losses.cover = (missing * missing).sum() / pairs;
  losses.entropy = (coefficients * (1 - coefficients)).sum() / pairs;
  losses.share = ((least - sizes).relu() * present).sum() / present.sum().clamp_min(1);
  return losses;
}

at::Tensor held_pairs(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels, bool whole) {
  const at::Tensor c = coefficients.detach();
  const at::Tensor sure = c.gt(0.5);
  if (!whole) {
    return sure;
  }
  const at::Tensor present = c * labels.to(c.scalar_type()).index_select(0, graphs.graph_of_pair);
  return sure.logical_or(present.gt(0).logical_and(present.ge(present.amax({1}, /*keepdim=*/true))));
}

at::Tensor coefficient_loss(const at::Tensor& coefficients, const at::Tensor& wanted) {
  constexpr double kSure = 1e-4;
  const double pairs = static_cast<double>(std::max<std::int64_t>(coefficients.size(0), 1));
  return at::binary_cross_entropy(coefficients.clamp(kSure, 1 - kSure), wanted, {}, at::Reduction::Sum) / pairs;
}

}  // namespace factorgcn::aligned
