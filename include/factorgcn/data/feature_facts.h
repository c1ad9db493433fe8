// What settings for a network go by when they look at feature values (train/presets.h).
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API FeatureFacts {
  bool sparse = false;
  bool bags = false;    ///< sparse, none below 0
  bool uneven = false;  ///< some values lie far from the usual -1 .. 1
};

/// Node types have none of these. Cost: one pass over the values.
FACTORGCN_API FeatureFacts feature_facts(const at::Tensor& features);

}  // namespace factorgcn
