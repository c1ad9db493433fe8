// One random graph whose nodes have classes that follow from their features, split by nodes.
#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cstdint>

#include "factorgcn/base/random.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn::testing {

enum class NodeFeatures { kDense, kSparse, kTypes };

/// Some nodes have no edges, some have loops, some edges are parallel, some nodes have no label.
inline Dataset node_dataset(std::int64_t nodes, std::int64_t edges, std::uint64_t seed,
                            NodeFeatures features = NodeFeatures::kDense, std::int64_t classes = 3) {
  RandomStream random(seed, "test/node data");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  Dataset dataset;
  dataset.name = "nodes";
  dataset.task = Task::kNodeClass;
  dataset.num_outputs = classes;
  dataset.node_split = true;
  dataset.targets = at::zeros({nodes}, at::kLong);
  Graph graph;
  graph.num_nodes = nodes;
  constexpr std::int64_t kColumns = 5, kTypes = 7;
  graph.features = features == NodeFeatures::kTypes ? at::zeros({nodes}, at::kLong) : at::zeros({nodes, kColumns});
  for (std::int64_t node = 0; node < nodes; ++node) {
    const std::int64_t label = below(classes);
    dataset.targets.data_ptr<std::int64_t>()[node] = label;
    if (features == NodeFeatures::kTypes) {
      graph.features.data_ptr<std::int64_t>()[node] = (label + below(2)) % kTypes;
    } else {
      for (std::int64_t column = 0; column < kColumns; ++column) {
        const bool there = features == NodeFeatures::kDense || random.chance(0.4);
        graph.features.data_ptr<float>()[node * kColumns + column] =
            static_cast<float>(there ? random.uniform(-1, 1) + (column == label ? 1 : 0) : 0);
      }
    }
    std::vector<std::int64_t>* const roles[] = {&dataset.split.train, &dataset.split.train, &dataset.split.validation,
                                                &dataset.split.test, nullptr};
    if (auto* const role = roles[below(5)]; role != nullptr) {
      role->push_back(node);
    }
  }
  for (std::int64_t edge = 0; edge < edges; ++edge) {
    graph.source.push_back(static_cast<std::int32_t>(below(nodes)));
    graph.target.push_back(static_cast<std::int32_t>(below(nodes)));
    if (random.chance(0.1)) {
      graph.source.push_back(graph.source.back());
      graph.target.push_back(graph.target.back());
    }
  }
  dataset.num_node_types = features == NodeFeatures::kTypes ? kTypes : 0;
  if (features == NodeFeatures::kSparse) {
    graph.features = compressed_features(graph.features);
  }
  dataset.graphs = make_store(std::array{graph});
  return dataset;
}

}  // namespace factorgcn::testing
