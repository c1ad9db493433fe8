// batch_norm's arguments, checked: the same on the CPU and on the GPU.
#pragma once

#include "ops/checks.h"

namespace factorgcn {

inline void check_norm_columns(const char* name, const at::Tensor& tensor, const at::Tensor& x) {
  require(tensor.defined() && tensor.dim() == 1 && tensor.numel() == x.size(1) && tensor.is_contiguous(),
          "batch_norm: ", name, " must have one entry per column, ", x.size(1));
  require(tensor.scalar_type() == x.scalar_type(), "batch_norm: ", name, " has type ", tensor.scalar_type(),
          ", expected ", x.scalar_type());
  check_same_device("batch_norm", name, tensor, x);
}

/// Checks x and returns the row scale, contiguous, or undefined where none was given.
inline at::Tensor check_norm_rows(const at::Tensor& x, const OptionalTensor& row_scale_given) {
  require(x.defined() && x.dim() == 2 && x.size(0) >= 1 && x.size(1) >= 1,
          "batch_norm: x must have shape [rows, columns], both at least 1");
  at::Tensor row_scale = value_or_undefined(row_scale_given);
  if (!row_scale.defined()) {
    return row_scale;
  }
  require(row_scale.numel() == x.size(0) && row_scale.scalar_type() == x.scalar_type(),
          "batch_norm: row_scale must have one entry of x's type per row, ", x.size(0));
  check_same_device("batch_norm", "row_scale", row_scale, x);
  return row_scale.contiguous();
}

}  // namespace factorgcn
