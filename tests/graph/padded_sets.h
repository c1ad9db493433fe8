// Graphs of many shapes with targets, for tests of padded batches: empty of edges, single nodes, hubs, parallel edges.
#pragma once

#include <ATen/ops/empty.h>

#include <string>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn::testing {

/// `types`: above 0, node types in place of features. Targets are random; the split takes 6, 2 and 2 of each 10 graphs.
inline Dataset random_dataset(Task task, std::int64_t graphs, std::int64_t types = 0, std::int64_t features = 5,
                              std::int64_t outputs = 3) {
  RandomStream random(3, "test/random data set");
  Dataset dataset;
  dataset.name = "random";
  dataset.task = task;
  dataset.num_outputs = outputs;
  dataset.num_node_types = types;
  std::vector<Graph> list;
  std::int64_t nodes = 0;
  for (std::int64_t index = 0; index < graphs; ++index) {
    Graph graph;
    graph.name = "graph " + std::to_string(index);
    graph.num_nodes = 1 + static_cast<std::int64_t>(random.below(index % 7 == 3 ? 30 : 9));
    nodes += graph.num_nodes;
    const std::uint64_t edges = index % 5 == 2 ? 0 : random.below(3 * static_cast<std::uint64_t>(graph.num_nodes));
    for (std::uint64_t edge = 0; edge < edges; ++edge) {
      graph.source.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(graph.num_nodes))));
      graph.target.push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(graph.num_nodes))));
    }
    if (types > 0) {
      graph.features = at::empty({graph.num_nodes}, at::kLong);
      for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
        graph.features.data_ptr<std::int64_t>()[node] =
            static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(types)));
      }
    } else {
      graph.features = at::empty({graph.num_nodes, features}, at::kFloat);
      for (std::int64_t i = 0; i < graph.features.numel(); ++i) {
        graph.features.data_ptr<float>()[i] = static_cast<float>(random.uniform(-1, 1));
      }
    }
    list.push_back(graph);
    auto& part = index % 10 < 6 ? dataset.split.train : index % 10 < 8 ? dataset.split.validation : dataset.split.test;
    part.push_back(index);
  }
  dataset.graphs = make_store(list);
  const std::int64_t rows = is_node_task(task) ? nodes : graphs;
  if (task == Task::kGraphClass || task == Task::kNodeClass) {
    dataset.targets = at::empty({rows}, at::kLong);
    for (std::int64_t row = 0; row < rows; ++row) {
      dataset.targets.data_ptr<std::int64_t>()[row] =
          static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(outputs)));
    }
  } else {
    dataset.targets = at::empty({rows, outputs}, at::kFloat);
    for (std::int64_t i = 0; i < dataset.targets.numel(); ++i) {
      dataset.targets.data_ptr<float>()[i] =
          task == Task::kMultiLabel ? static_cast<float>(random.below(2)) : static_cast<float>(random.uniform(-1, 1));
    }
  }
  return dataset;
}

}  // namespace factorgcn::testing
