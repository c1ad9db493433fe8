// Graphs in pieces whose edges together are not many, so that values of a piece's edges stay small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/data/dataset.h"

namespace factorgcn {

/// At most `most_graphs` each; a large graph comes alone. They refer to the caller's list.
inline std::vector<std::span<const std::int64_t>> batches_of_edges(const Dataset& dataset,
                                                                   std::span<const std::int64_t> graphs,
                                                                   std::int64_t most_graphs) {
  constexpr std::int64_t kMostEdges = 1'000'000;
  const auto* offsets = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
  std::vector<std::span<const std::int64_t>> batches;
  std::size_t first = 0;
  std::int64_t edges = 0;
  for (std::size_t index = 0; index < graphs.size(); ++index) {
    const std::int64_t more = offsets[graphs[index] + 1] - offsets[graphs[index]];
    if (index > first && (edges + more > kMostEdges || static_cast<std::int64_t>(index - first) >= most_graphs)) {
      batches.push_back(graphs.subspan(first, index - first));
      first = index;
      edges = 0;
    }
    edges += more;
  }
  if (first < graphs.size()) {
    batches.push_back(graphs.subspan(first));
  }
  return batches;
}

}  // namespace factorgcn
