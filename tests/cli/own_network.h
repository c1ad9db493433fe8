// Tables of one network in communities, as a user has them: an edge list, and nodes with values, a class and a split.
#pragma once

#include <string>

#include "cli/workplace.h"
#include "factorgcn/base/random.h"

namespace factorgcn::cli {

/// edges.csv and nodes.csv in the folder: node i has the number 3 i + 1, four communities of two classes.
inline void write_network(const Workplace& place, std::int64_t nodes, std::int64_t edges_per_node, std::uint64_t seed) {
  RandomStream random(seed, "test/own network");
  std::string edges = "source,target\n", rows = "id,height,weight,team,split\n";
  const auto name = [](std::int64_t node) { return std::to_string(3 * node + 1); };
  const std::int64_t block = nodes / 4;
  for (std::int64_t node = 0; node < nodes; ++node) {
    const std::int64_t team = node / block % 2;
    const char* const splits[] = {"train", "train", "validation", "test"};
    rows += name(node) + "," + std::to_string(static_cast<double>(team) + random.uniform(-1, 1)) + "," +
            std::to_string(random.uniform(-1, 1)) + "," + (team == 0 ? "red" : "blue") + "," +
            splits[random.below(4)] + "\n";
    for (std::int64_t edge = 0; edge < edges_per_node; ++edge) {
      const bool inside = random.chance(0.8);
      const std::int64_t first = inside ? node / block * block : 0;
      const std::int64_t count = inside ? std::min(block, nodes - first) : nodes;
      const auto other = first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(count)));
      if (other != node) {
        edges += name(node) + "," + name(other) + "\n";
      }
    }
  }
  place.write("edges.csv", edges);
  place.write("nodes.csv", rows);
}

}  // namespace factorgcn::cli
