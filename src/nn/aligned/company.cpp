// Libtorch's own operations on [P, K] and [N, 3 K], which are small beside the networks' rows.
#include "nn/aligned/company.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/linalg_solve.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/repeat_interleave.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "factorgcn/ops/segment_reduce.h"
#include "nn/aligned/gather.h"

namespace factorgcn::aligned {
namespace {

/// What is looked at of a factor at a node.
constexpr std::int64_t kLooks = 3;

/// [N, kLooks K]: all factors' degrees, then the others.
at::Tensor looks_of_nodes(const PairGraphs& graphs, const at::Tensor& coefficients) {
  const Adjacency& arcs = graphs.arcs;
  // A pair has two arcs: its gradient is a sum of two, the same in any order.
  const at::Tensor held = coefficients.index_select(0, graphs.pair_of_arc);
  const at::Tensor degrees = segment_sum(held, arcs.in_offsets);
  // The arcs that leave a node are the reverses of those that reach it.
  const at::Tensor of_sources = gather_rows(degrees, arcs.in_sources.to(at::kLong), {arcs.in_offsets, arcs.in_to_out});
  return at::cat({degrees, degrees.tanh(), segment_sum(held * of_sources, arcs.in_offsets)}, 1);
}

}  // namespace

PartSizes part_sizes(const PairGraphs& graphs, const at::Tensor& labels) {
  constexpr double kRidge = 1e-6, kSlackInDeviations = 2;  // the ridge decides where labels always come together
  const at::Tensor present = labels.gt(0).to(at::kDouble);
  const at::Tensor totals = segment_sum(graphs.multiplicity.to(at::kDouble).unsqueeze(1), graphs.pair_offsets);
  const auto count = static_cast<double>(labels.size(0)), unknown = static_cast<double>(labels.size(1));
  const at::Tensor normal = present.t().matmul(present) + at::eye(labels.size(1), present.options()) * (kRidge * count);
  const at::Tensor sizes = at::linalg_solve(normal, present.t().matmul(totals));
  PartSizes parts{sizes.squeeze(1).clamp_min(0), std::numeric_limits<double>::infinity()};
  if (count > unknown) {
    const auto missed = (totals - present.matmul(sizes)).square().sum().item<double>();
    parts.slack = kSlackInDeviations * std::sqrt(missed / (count - unknown));
  }
  return parts;
}

at::Tensor size_loss(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels,
                     const PartSizes& parts) {
  const at::Tensor present = labels.gt(0).to(coefficients.scalar_type());
  const at::Tensor held = segment_sum(coefficients, graphs.pair_offsets);
  if (std::isinf(parts.slack)) {
    return held.sum() * 0;  // fewer graphs than labels: nothing is known of sizes
  }
  const double unit = std::max(parts.sizes.mean().item<double>(), 1.0);
  const at::Tensor wanted = parts.sizes.to(held.options());
  const at::Tensor off = ((held - wanted).abs() - parts.slack).relu() * present / unit;
  return (off * off).sum() / present.sum().clamp_min(1);
}

at::Tensor apart_loss(const PairGraphs& graphs, const at::Tensor& coefficients, const at::Tensor& labels) {
  constexpr double kLeastVariance = 0.01;  // of degrees: below it a factor is as good as empty
  const std::int64_t factors = coefficients.size(1), nodes = graphs.num_nodes();
  const at::Tensor present = labels.gt(0).to(coefficients.scalar_type());
  const at::Tensor graph_of_node =
      at::repeat_interleave(graphs.graph_offsets.diff(), c10::optional<std::int64_t>(nodes));
  const at::Tensor looks = looks_of_nodes(graphs, coefficients);
  const at::Tensor means =
      gather_rows(segment_mean(looks, graphs.graph_offsets), graph_of_node, {graphs.graph_offsets, {}});
  const at::Tensor here = present.index_select(0, graph_of_node);
  const at::Tensor x = (looks - means) * here.repeat({1, kLooks});
  const double count = static_cast<double>(std::max<std::int64_t>(nodes, 1));
  const at::Tensor products = x.t().matmul(x) / count;
  // Row: a look of factor k; column: of factor l. How much the row's varies in graphs that have label l, too.
  const at::Tensor varies = ((x * x).t().matmul(here) / count + kLeastVariance).repeat({1, kLooks});
  const at::Tensor others = 1 - at::eye(factors, x.options()).repeat({kLooks, kLooks});
  return (products * products / (varies * varies.t()) * others).sum() /
         static_cast<double>(std::max<std::int64_t>(factors * (factors - 1), 1));
}

}  // namespace factorgcn::aligned
