// Batch normalisation over rows, fused with the activation that follows.
//
//   y = activation((x * row_scale - mean) / sqrt(variance + eps) * gamma + beta)
//
// As torch::nn::BatchNorm1d: biased variance for normalising, unbiased for the running estimate. Sums are gathered per
// block of rows and merged in order (Welford), so they are accurate and independent of the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/ops/activation.h"

namespace factorgcn {

struct FACTORGCN_API BatchNormState {
  at::Tensor gamma, beta;                     ///< [C], learnt
  at::Tensor running_mean, running_variance;  ///< [C], updated in place while training
  double momentum = 0.1;
  double eps = 1e-5;
};

/// x: [N, C]; row_scale: [N] or undefined. Activation: kNone, kRelu or kLeakyRelu. While training N must be above 1.
/// real_rows: int64 [1] on x's device, or undefined; rows from there on are padding: they change nothing, and their
/// results and gradients are 0. Differentiable in x, gamma and beta.
FACTORGCN_API at::Tensor batch_norm(const at::Tensor& x, const BatchNormState& state, bool training,
                                    Activation activation = Activation::kNone, double slope = 0.2,
                                    const at::Tensor& row_scale = {}, const at::Tensor& real_rows = {});

/// Moves the running estimates towards a batch's moments (biased variance) of `rows` rows, at least 2; on the CPU,
/// since on a GPU batch_norm() itself is all that needs it.
FACTORGCN_API void update_running_moments(const BatchNormState& state, const at::Tensor& mean,
                                          const at::Tensor& variance, std::int64_t rows);

}  // namespace factorgcn
