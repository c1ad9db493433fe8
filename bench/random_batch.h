// Random graphs and values for the benchmarks, as peer_torch.py draws them: ends of an edge are any two nodes of its
// graph.
#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"
#include "shapes.h"

namespace factorgcn::bench {

inline at::Tensor random_values(at::IntArrayRef shape, RandomStream& random) {
  at::Tensor values = at::empty(shape, at::TensorOptions().dtype(at::kFloat));
  float* to = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    to[i] = static_cast<float>(random.uniform(-1.7, 1.7));
  }
  return values;
}

inline constexpr std::int64_t kEdgeTypes = 4;

inline GraphBatch random_batch(const Shape& shape, RandomStream& random) {
  const std::int64_t nodes = shape.graphs * shape.nodes, edges = shape.graphs * shape.edges;
  std::vector<std::int32_t> source(static_cast<std::size_t>(edges)), target(source.size());
  for (std::int64_t e = 0; e < edges; ++e) {
    const std::int64_t first = e / std::max<std::int64_t>(shape.edges, 1) * shape.nodes;
    source[e] = static_cast<std::int32_t>(first + static_cast<std::int64_t>(random.below(shape.nodes)));
    target[e] = static_cast<std::int32_t>(first + static_cast<std::int64_t>(random.below(shape.nodes)));
  }
  GraphBatch batch;
  batch.edges = build_adjacency(nodes, source, target, "benchmark graph");
  batch.graph_offsets = at::empty({shape.graphs + 1}, at::TensorOptions().dtype(at::kLong));
  for (std::int64_t g = 0; g <= shape.graphs; ++g) {
    batch.graph_offsets.data_ptr<std::int64_t>()[g] = g * shape.nodes;
  }
  batch.features = random_values({nodes, shape.in}, random);
  if (shape.model != "factorgcn") {
    batch.edge_types = at::empty({edges}, at::TensorOptions().dtype(at::kInt));
    for (std::int64_t e = 0; e < edges; ++e) {
      batch.edge_types.data_ptr<std::int32_t>()[e] = static_cast<std::int32_t>(random.below(kEdgeTypes));
    }
  }
  return batch;
}

}  // namespace factorgcn::bench
