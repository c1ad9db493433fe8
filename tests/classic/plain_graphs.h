// Graphs for the tests of this room: small ones by hand, random ones, and the same with their nodes renumbered.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/classic/plain_graph.h"

namespace factorgcn::testing {

using Edges = std::vector<std::pair<int, int>>;

inline PlainGraph plain(std::int64_t nodes, const Edges& edges, std::vector<std::int64_t> labels = {}) {
  std::vector<std::int32_t> source, target;
  for (const auto& [from, to] : edges) {
    source.push_back(from);
    target.push_back(to);
  }
  labels.resize(static_cast<std::size_t>(nodes), 0);
  return make_plain_graph(nodes, source, target, std::move(labels));
}

/// Every pair joined with the given probability; labels below `labels`.
inline PlainGraph random_plain(std::int64_t nodes, double density, std::uint64_t labels, RandomStream& random) {
  Edges edges;
  std::vector<std::int64_t> own;
  for (int node = 0; node < nodes; ++node) {
    own.push_back(static_cast<std::int64_t>(random.below(labels)));
    for (int other = 0; other < node; ++other) {
      if (random.chance(density)) {
        edges.emplace_back(node, other);
      }
    }
  }
  return plain(nodes, edges, own);
}

/// Node i of the result is node order[i] of the graph.
inline PlainGraph renumbered(const PlainGraph& graph, const std::vector<std::int32_t>& order) {
  std::vector<int> place(order.size());
  std::vector<std::int64_t> labels;
  for (std::size_t index = 0; index < order.size(); ++index) {
    place[static_cast<std::size_t>(order[index])] = static_cast<int>(index);
    labels.push_back(graph.labels[static_cast<std::size_t>(order[index])]);
  }
  Edges edges;
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    for (const std::int32_t neighbour : graph.around(node)) {
      edges.emplace_back(place[static_cast<std::size_t>(node)], place[static_cast<std::size_t>(neighbour)]);
    }
  }
  return plain(graph.num_nodes(), edges, labels);
}

inline std::vector<std::int32_t> random_order(std::int64_t nodes, RandomStream& random) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(nodes));
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order));
  return order;
}

}  // namespace factorgcn::testing
