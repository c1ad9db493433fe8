// The graph that gpu_chain's launches run on: random, 20 edges a node, as in factorgcn-bench --scaling.
#pragma once

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "../node_spread.h"
#include "device_memory.h"
#include "ops/cuda/long_rows.h"

namespace factorgcn::bench {

/// A list of edges by target or by source, with its long rows where it has some.
struct EdgeList {
  std::int64_t* offsets = nullptr;
  std::int32_t* neighbours = nullptr;
  cuda::LongRowSearch search;  // without pieces: there are none

  /// For the pass of that number, of as many as the list was made for.
  cuda::LongRows long_rows(int pass) const {
    cuda::LongRows rows;
    if (search.pieces != nullptr) {
      rows.longest = search.longest;
      rows.pieces = search.pieces;
      rows.used = search.used;
      rows.counts = search.counts + pass * cuda::long_row_places(search.edges, search.longest);
    }
    return rows;
  }
};

struct RandomGraph {
  std::int64_t nodes, edges;
  EdgeList by_target, by_source;
  std::int64_t* graph_offsets;  // of one graph
  float* node_weights;

  RandomGraph(std::int64_t edges_wanted, bool power_law, int passes)
      : nodes(std::max<std::int64_t>(edges_wanted / 20, 1)), edges(edges_wanted) {
    std::mt19937_64 random(0);
    std::uniform_real_distribution<double> uniform;
    std::uniform_int_distribution<std::int32_t> any(0, static_cast<std::int32_t>(nodes - 1));
    const NodeSpread spread(nodes);
    const auto draw = [&] { return power_law ? spread.node_at(uniform(random)) : any(random); };
    std::vector<std::int32_t> source(static_cast<std::size_t>(edges)), target(source.size());
    for (std::size_t e = 0; e < source.size(); ++e) {
      source[e] = draw();
      target[e] = draw();
    }
    by_target = list_of(target, source, passes);
    by_source = list_of(source, target, passes);
    graph_offsets = on_device(std::vector<std::int64_t>{0, nodes});
    node_weights = values<float>(static_cast<std::size_t>(nodes));
  }

 private:
  EdgeList list_of(const std::vector<std::int32_t>& row, const std::vector<std::int32_t>& other, int passes) const {
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(nodes) + 1, 0);
    for (const std::int32_t r : row) {
      ++offsets[static_cast<std::size_t>(r) + 1];
    }
    const std::int64_t longest = *std::max_element(offsets.begin(), offsets.end());
    for (std::size_t i = 1; i < offsets.size(); ++i) {
      offsets[i] += offsets[i - 1];
    }
    std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
    std::vector<std::int32_t> neighbours(row.size());
    for (std::size_t e = 0; e < row.size(); ++e) {
      neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(row[e])]++)] = other[e];
    }
    EdgeList list{on_device(offsets), on_device(neighbours), {}};
    const int uncut = cuda::longest_uncut_row(nodes, edges);
    if (longest > uncut) {
      const auto places = static_cast<std::size_t>(cuda::long_row_places(edges, uncut));
      list.search = {nodes,
                     edges,
                     list.offsets,
                     uncut,
                     values<cuda::LongPiece>(places),
                     zeros<int>(1),
                     zeros<int>(places * static_cast<std::size_t>(passes)),
                     passes};
    }
    return list;
  }
};

}  // namespace factorgcn::bench
