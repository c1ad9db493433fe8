// A model's factor graphs as numbers: every directed edge's coefficient in every factor of a layer.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/train/loaded_run.h"

namespace factorgcn {

struct FACTORGCN_API FactorValues {
  at::Tensor edge_index;  ///< int64 [2, E], sources above targets, nodes counted through all graphs
  at::Tensor values;      ///< float [E, K]
};

/// Of layer `layer`, from 1, in all graphs of the run's data, by target. Self loops that were added for training are
/// left out. Throws UsageError where there is no such layer. Cost: a forward pass.
FACTORGCN_API FactorValues factor_values(const LoadedRun& run, int layer);

}  // namespace factorgcn
