// Small graphs with everything that an imported one may have: one-way edges, parallel edges, self loops, lone nodes,
// weights; and labels.
#pragma once

#include <ATen/ops/zeros.h>

#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn::testing {

inline GraphBatch random_part_graphs(std::int64_t graphs, RandomStream& random) {
  std::vector<Graph> list(static_cast<std::size_t>(graphs));
  for (Graph& graph : list) {
    graph.num_nodes = 4 + static_cast<std::int64_t>(random.below(5));
    for (int e = 0; e < 14; ++e) {
      // The last node stays alone.
      graph.source.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes - 1)));
      graph.target.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes - 1)));
      graph.weight.push_back(static_cast<float>(1 + random.below(4)) / 2);
    }
    graph.features = at::zeros({graph.num_nodes, 1}, at::TensorOptions().dtype(at::kFloat));
  }
  return make_batch(list);
}

/// Each graph has one label at least.
inline at::Tensor random_labels(std::int64_t graphs, std::int64_t labels, RandomStream& random) {
  at::Tensor result = at::zeros({graphs, labels}, at::TensorOptions().dtype(at::kFloat));
  for (std::int64_t g = 0; g < graphs; ++g) {
    for (std::int64_t k = 0; k < labels; ++k) {
      result[g][k] = random.chance(0.5) ? 1.0 : 0.0;
    }
    result[g][static_cast<std::int64_t>(random.below(labels))] = 1.0;
  }
  return result;
}

}  // namespace factorgcn::testing
