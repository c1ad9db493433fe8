// Slow, obviously right twins of the operations: one line of the formula per line of code, edge by edge tensors and
// all.
//
// Differentiable through libtorch's own operations, in whatever type they are given (float64 for checking). For tests
// only: everything of size E * K * d is stored.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn::oracle {

/// Source and target node of each in-edge, int64 [E].
struct FACTORGCN_API EdgeEnds {
  at::Tensor source, target;
};
FACTORGCN_API EdgeEnds edge_ends(const Adjacency& edges);

FACTORGCN_API at::Tensor factor_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right,
                                      double gate_scale);

FACTORGCN_API FactorAggregate factor_aggregate(const Adjacency& edges, const at::Tensor& h, const at::Tensor& left,
                                               const at::Tensor& right, const NodeWeights& weights, double gate_scale);

FACTORGCN_API at::Tensor factor_aggregate_each(const Adjacency& edges, const at::Tensor& p, const at::Tensor& left,
                                               const at::Tensor& right, const NodeWeights& weights, double gate_scale);

}  // namespace factorgcn::oracle
