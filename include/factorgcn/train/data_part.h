// The training, validation or test part of a data set: graphs to run through a model, and which of their nodes count.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

enum class Part { kTrain, kValidation, kTest };

/// train, validation or test
FACTORGCN_API const char* part_name(Part part);

struct FACTORGCN_API DataPart {
  std::vector<std::int64_t> graphs;
  at::Tensor counted;  ///< bool [N] over all nodes of the data set; undefined: every node of `graphs` counts

  bool empty() const { return graphs.empty(); }
};

/// Where the split is one of nodes: the graphs that hold any of the part's nodes, and those nodes.
FACTORGCN_API DataPart data_part(const Dataset& dataset, Part part);

/// Whole graphs.
FACTORGCN_API DataPart whole_graphs(std::span<const std::int64_t> graphs);

}  // namespace factorgcn
