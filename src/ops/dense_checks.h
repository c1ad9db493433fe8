// dense's arguments, checked: the same on the CPU and on the GPU.
#pragma once

#include <vector>

#include "ops/checks.h"

namespace factorgcn {

struct DenseArguments {
  at::Tensor x, weight, bias, bias_scale;
  std::vector<std::int64_t> result_shape;

  /// x_ready: x as the kernels want it, contiguous at least.
  DenseArguments(const at::Tensor& x_ready, const at::Tensor& weight_given, const OptionalTensor& bias_given,
                 const OptionalTensor& scale_given)
      : x(x_ready),
        weight(weight_given.contiguous()),
        bias(value_or_undefined(bias_given)),
        bias_scale(value_or_undefined(scale_given)) {
    require(weight.dim() == 2 && weight.size(0) >= 1 && weight.size(1) >= 1, "dense: weight has shape ", weight.sizes(),
            ", expected [out, in] with both at least 1");
    require(x.dim() >= 1 && x.size(-1) == in(), "dense: x has shape ", x.sizes(), ", expected ", in(),
            " columns to fit weight ", weight.sizes());
    result_shape = x.sizes().vec();
    result_shape.back() = out();
    check("weight", weight);
    if (bias.defined()) {
      require(bias.dim() == 1 && bias.numel() == out(), "dense: bias has shape ", bias.sizes(), ", expected [", out(),
              "]");
      check("bias", bias);
      bias = bias.contiguous();
    }
    if (bias_scale.defined()) {
      require(bias.defined(), "dense: bias_scale was given without bias");
      require(bias_scale.numel() == rows(), "dense: bias_scale has ", bias_scale.numel(),
              " entries, expected one per row: ", rows());
      check("bias_scale", bias_scale);
      bias_scale = bias_scale.contiguous();
    }
  }

  std::int64_t rows() const { return x.numel() / in(); }
  std::int64_t in() const { return weight.size(1); }
  std::int64_t out() const { return weight.size(0); }

 private:
  void check(const char* name, const at::Tensor& tensor) const {
    require(tensor.scalar_type() == x.scalar_type(), "dense: ", name, " has type ", tensor.scalar_type(), ", expected ",
            x.scalar_type());
    check_same_device("dense", name, tensor, x);
  }
};

}  // namespace factorgcn
