// Random graphs and tensors for the operations' tests: self loops, isolated nodes, parallel edges, hubs.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn::testing {

inline Adjacency random_edges(std::int64_t nodes, std::int64_t edges, RandomStream& random) {
  std::vector<std::int32_t> source, target;
  for (std::int64_t e = 0; e < edges; ++e) {
    source.push_back(static_cast<std::int32_t>(random.below(nodes)));
    target.push_back(static_cast<std::int32_t>(random.below(nodes)));
    // Some parallel edges and self loops on purpose, and the last node is left alone where there are several.
    if (e > 0 && random.chance(0.1)) {
      source.back() = source[e - 1];
      target.back() = target[e - 1];
    } else if (random.chance(0.1)) {
      target.back() = source.back();
    }
    if (nodes > 1 && (source.back() == nodes - 1 || target.back() == nodes - 1)) {
      source.back() = 0;
      target.back() = 0;
    }
  }
  return build_adjacency(nodes, source, target);
}

/// From one table of nodes to another; the last source and the last target are left alone where there are several.
inline Adjacency random_edges_between(std::int64_t sources, std::int64_t targets, std::int64_t edges,
                                      RandomStream& random) {
  std::vector<std::int32_t> source, target;
  for (std::int64_t e = 0; e < edges; ++e) {
    source.push_back(static_cast<std::int32_t>(random.below(std::max<std::int64_t>(sources - 1, 1))));
    target.push_back(static_cast<std::int32_t>(random.below(std::max<std::int64_t>(targets - 1, 1))));
  }
  return build_adjacency(sources, targets, source, target);
}

/// Node 0 has an edge to and from every other node, `times` over: rows longer than any internal buffer.
inline Adjacency hub_edges(std::int64_t nodes, int times) {
  std::vector<std::int32_t> source, target;
  for (int round = 0; round < times; ++round) {
    for (std::int32_t node = 1; node < nodes; ++node) {
      source.insert(source.end(), {0, node});
      target.insert(target.end(), {node, 0});
    }
  }
  return build_adjacency(nodes, source, target);
}

inline at::Tensor random_tensor(at::IntArrayRef shape, RandomStream& random, at::ScalarType type = at::kDouble,
                                double scale = 1.0) {
  at::Tensor tensor = at::empty(shape, at::TensorOptions().dtype(at::kDouble));
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    tensor.data_ptr<double>()[i] = random.uniform(-scale, scale);
  }
  return tensor.to(type);
}

/// Largest absolute difference, relative to the larger of 1 and the largest value expected.
inline double difference(const at::Tensor& actual, const at::Tensor& expected) {
  if (actual.sizes() != expected.sizes()) {
    return 1e30;
  }
  if (expected.numel() == 0) {
    return 0;
  }
  const at::Tensor wide = expected.to(at::kDouble);
  const double scale = std::max(1.0, wide.abs().max().item<double>());
  const double worst = (actual.to(at::kDouble) - wide).abs().max().item<double>();
  return std::isfinite(worst) ? worst / scale : 1e30;
}

}  // namespace factorgcn::testing
