// See oracle.h.
#include "ops/oracle.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

namespace factorgcn::oracle {
namespace {

/// Gate times edge weight, [E, K].
at::Tensor weighted_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right,
                          const NodeWeights& weights, double gate_scale) {
  const EdgeEnds ends = edge_ends(edges);
  at::Tensor weighted = oracle::factor_gates(edges, left, right, gate_scale);
  if (weights.source.defined()) {
    weighted = weighted * weights.source.index_select(0, ends.source).unsqueeze(1);
  }
  if (weights.target.defined()) {
    weighted = weighted * weights.target.index_select(0, ends.target).unsqueeze(1);
  }
  return weighted;
}

/// Sum of each edge's message at its target.
at::Tensor sum_at_targets(const Adjacency& edges, const at::Tensor& messages) {
  std::vector<std::int64_t> shape = messages.sizes().vec();
  shape[0] = edges.num_targets();
  return at::index_add(at::zeros(shape, messages.options()), 0, edge_ends(edges).target, messages);
}

}  // namespace

EdgeEnds edge_ends(const Adjacency& edges) {
  std::vector<std::int64_t> source, target;
  const std::int64_t* offsets = edges.in_offsets.data_ptr<std::int64_t>();
  const std::int32_t* sources = edges.in_sources.data_ptr<std::int32_t>();
  for (std::int64_t node = 0; node < edges.num_targets(); ++node) {
    for (std::int64_t e = offsets[node]; e < offsets[node + 1]; ++e) {
      source.push_back(sources[e]);
      target.push_back(node);
    }
  }
  return {at::tensor(source, at::kLong), at::tensor(target, at::kLong)};
}

at::Tensor factor_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right, double gate_scale) {
  const EdgeEnds ends = edge_ends(edges);
  return at::sigmoid(gate_scale * (left.index_select(0, ends.source) + right.index_select(0, ends.target)));
}

FactorAggregate factor_aggregate(const Adjacency& edges, const at::Tensor& h, const at::Tensor& left,
                                 const at::Tensor& right, const NodeWeights& weights, double gate_scale) {
  const at::Tensor gates = weighted_gates(edges, left, right, weights, gate_scale);
  const at::Tensor messages = gates.unsqueeze(2) * h.index_select(0, edge_ends(edges).source).unsqueeze(1);
  return {sum_at_targets(edges, messages), sum_at_targets(edges, gates)};
}

at::Tensor factor_aggregate_each(const Adjacency& edges, const at::Tensor& p, const at::Tensor& left,
                                 const at::Tensor& right, const NodeWeights& weights, double gate_scale) {
  const at::Tensor gates = weighted_gates(edges, left, right, weights, gate_scale);
  return sum_at_targets(edges, gates.unsqueeze(2) * p.index_select(0, edge_ends(edges).source));
}

}  // namespace factorgcn::oracle
