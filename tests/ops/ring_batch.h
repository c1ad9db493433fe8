// Graphs whose shape alone matters: rings, each node with edges to the next few.
#pragma once

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <cstdint>
#include <vector>

#include "factorgcn/graph/graph_batch.h"

namespace factorgcn::testing {

inline GraphBatch ring_batch(const std::vector<std::int64_t>& sizes, std::int64_t degree = 2) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> source, target;
  for (const std::int64_t size : sizes) {
    for (std::int64_t edge = 0; edge < size * degree; ++edge) {
      const std::int64_t from = edge / degree, to = (from + 1 + edge % degree) % size;
      source.push_back(static_cast<std::int32_t>(offsets.back() + from));
      target.push_back(static_cast<std::int32_t>(offsets.back() + to));
    }
    offsets.push_back(offsets.back() + size);
  }
  GraphBatch batch;
  batch.edges = build_adjacency(offsets.back(), source, target);
  batch.graph_offsets = at::tensor(offsets, at::kLong);
  batch.features = at::zeros({offsets.back(), 1});
  return batch;
}

}  // namespace factorgcn::testing
