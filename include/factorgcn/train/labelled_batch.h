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
  at::Tensor rows;     ///< int64: rows of the prediction that `targets` belong to; undefined: all of them

  /// The rows of a prediction that count.
  at::Tensor counted(const at::Tensor& prediction) const;
};

/// Cost: one copy of what is selected. `counted` is DataPart's.
FACTORGCN_API LabelledBatch select_batch(const Dataset& dataset, std::span<const std::int64_t> graphs,
                                         const at::Tensor& counted = {});

/// The targets that count of a part's graphs, in their order, and how many rows each graph has among them.
struct FACTORGCN_API PartTargets {
  at::Tensor targets;
  at::Tensor rows;  ///< int64: as in LabelledBatch, for all graphs together
  std::vector<std::int64_t> graph_rows;
};
FACTORGCN_API PartTargets part_targets(const Dataset& dataset, std::span<const std::int64_t> graphs,
                                       const at::Tensor& counted = {});

/// Consecutive pieces of `graphs` of `batch_size`; the last may be shorter. They refer to the caller's array.
FACTORGCN_API std::vector<std::span<const std::int64_t>> cut_batches(std::span<const std::int64_t> graphs,
                                                                     std::int64_t batch_size);

}  // namespace factorgcn
