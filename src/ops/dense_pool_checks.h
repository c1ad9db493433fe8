// dense_pool's arguments, checked: the same on the CPU and on the GPU, offsets aside, whose values a GPU keeps.
#pragma once

#include "ops/checks.h"

namespace factorgcn {

struct DensePoolArguments {
  at::Tensor x, weight, bias, bias_scale, offsets;

  /// x_ready: x as the kernels want it, contiguous at least.
  DensePoolArguments(const at::Tensor& x_ready, const at::Tensor& weight_given, const at::Tensor& bias_given,
                     const at::Tensor& scale_given, const at::Tensor& offsets_given)
      : x(x_ready),
        weight(weight_given.contiguous()),
        bias(bias_given.contiguous()),
        bias_scale(scale_given.contiguous()),
        offsets(offsets_given) {
    require(x.dim() == 3 && weight.dim() == 2 && x.size(2) == in() && in() >= 1 && out() >= 1 && x.size(1) >= 1,
            "dense_pool: x has shape ", x.sizes(), " and weight ", weight.sizes(),
            ", expected [nodes, factors, in] and [out, in]");
    require(bias.dim() == 1 && bias.numel() == out(), "dense_pool: bias has shape ", bias.sizes(), ", expected [",
            out(), "]");
    require(bias_scale.dim() == 2 && bias_scale.size(0) == x.size(0) && bias_scale.size(1) == factors(),
            "dense_pool: bias_scale has shape ", bias_scale.sizes(), ", expected [", x.size(0), ", ", factors(), "]");
    for (const at::Tensor* tensor : {&weight, &bias, &bias_scale}) {
      require(tensor->scalar_type() == x.scalar_type(),
              "dense_pool: weight, bias and bias_scale must have the type of x, ", x.scalar_type());
      check_same_device("dense_pool", "weight, bias or bias_scale", *tensor, x);
    }
  }

  std::int64_t rows() const { return x.size(0) * x.size(1); }
  std::int64_t factors() const { return x.size(1); }
  std::int64_t in() const { return weight.size(1); }
  std::int64_t out() const { return weight.size(0); }
  std::int64_t graphs() const { return offsets.numel() - 1; }
  std::int64_t columns() const { return factors() * out(); }
};

}  // namespace factorgcn
