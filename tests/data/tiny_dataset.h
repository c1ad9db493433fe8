// A data set small enough to know by heart, for tests that spoil one thing at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/data/dataset.h"
#include "graph/brute_force.h"

namespace factorgcn {

/// Three graphs: a path 0 - 1 - 2 with a loop at 1, one lonely node, an edge 0 - 1. Two labels, one graph per split,
/// truth of two types: the path's edges and, in the third graph, its edge under both types.
inline Dataset tiny_dataset() {
  using Ids = std::vector<std::int32_t>;
  Dataset dataset;
  dataset.name = "tiny";
  dataset.task = Task::kMultiLabel;
  dataset.num_outputs = 2;
  const std::vector<Graph> graphs{{"path", 3, {0, 1, 1, 2, 1}, {1, 0, 2, 1, 1}, brute_force::counting_features(3, 2)},
                                  {"lonely", 1, {}, {}, brute_force::counting_features(1, 2)},
                                  {"edge", 2, {0, 1}, {1, 0}, brute_force::counting_features(2, 2)}};
  dataset.graphs = make_store(graphs);
  dataset.targets = brute_force::tensor(std::vector<float>{1, 0, 0, 0, 1, 1}).reshape({3, 2});
  dataset.split = {{2}, {0}, {1}};
  dataset.truth.type_names = {"thin", "thick", "unused"};
  dataset.truth.begin_graph();
  dataset.truth.add_part(0, Ids{0, 1, 1, 2}, Ids{1, 0, 2, 1});
  dataset.truth.begin_graph();
  dataset.truth.begin_graph();
  dataset.truth.add_part(0, Ids{0, 1}, Ids{1, 0});
  dataset.truth.add_part(1, Ids{0, 1}, Ids{1, 0});
  return dataset;
}

}  // namespace factorgcn
