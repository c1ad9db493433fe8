// Graphs cut from a data set together with their targets.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn {

struct FACTORGCN_API LabelledBatch {
  GraphBatch graphs;
  at::Tensor targets;  ///< the rows of the chosen graphs, or of their nodes for node tasks
};

/// Cost: one copy of what is selected.
FACTORGCN_API LabelledBatch select_batch(const Dataset& dataset, std::span<const std::int64_t> graphs);

/// Consecutive pieces of `graphs` of `batch_size`; the last may be shorter. They refer to the caller's array.
FACTORGCN_API std::vector<std::span<const std::int64_t>> cut_batches(std::span<const std::int64_t> graphs,
                                                                     std::int64_t batch_size);

}  // namespace factorgcn
