// Mean losses over all entries of a prediction; on a GPU the gradient is found along with the value.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"

namespace factorgcn {

enum class MeanLoss {
  kAbsolute,            ///< |prediction - target|
  kBinaryCrossEntropy,  ///< of sigmoid(prediction) against targets in 0 .. 1
};

/// prediction and targets: the same shape, [rows, columns], and type. real_rows: int64 [1] on their device, or
/// undefined; rows from there on are padding: they do not count, and their gradient is 0. A scalar, differentiable in
/// the prediction.
FACTORGCN_API at::Tensor mean_loss(MeanLoss kind, const at::Tensor& prediction, const at::Tensor& targets,
                                   const at::Tensor& real_rows = {});

}  // namespace factorgcn
