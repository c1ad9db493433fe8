// The benchmark's shapes: one table, the same numbers as in peer_torch.py.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace factorgcn::bench {

struct Shape {
  std::string name;
  std::int64_t graphs, nodes, edges;  // nodes and directed edges of one graph
  std::int64_t in, hidden;
  std::vector<std::int64_t> factors;  // K of each layer
  std::int64_t outputs;
  double lambda;
  bool batch_norm;
  bool node_task;                   // the loss is per node instead of per graph
  std::string model = "factorgcn";  // another one has as many layers as there are numbers of factors
};

inline const std::vector<Shape>& shapes() {
  static const std::vector<Shape> table{
      {"synth", 1000, 15, 53, 15, 32, {4, 2}, 4, 0.5, false, false},
      {"zinc", 1000, 23, 50, 144, 144, {8, 8, 4, 2}, 1, 0.2, true, false},
      {"pattern", 128, 119, 6080, 36, 144, {4, 2, 2}, 2, 0.2, true, true},
      {"big", 1, 1'000'000, 20'000'000, 64, 64, {8, 4}, 16, 0.2, true, true},
  };
  return table;
}

}  // namespace factorgcn::bench
