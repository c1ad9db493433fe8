// Batch normalisation in the steps it is made of, for rows that are only some of those whose moments count
// (nn/part_operations.h). ops/cpu/batch_norm.cpp puts the same steps together for all rows at once.
#pragma once

#include <ATen/core/Tensor.h>

#include <utility>

#include "factorgcn/base/export.h"

namespace factorgcn::cpu {

/// Mean and biased variance of each column of x times row_scale (or undefined), [C] each.
FACTORGCN_API std::pair<at::Tensor, at::Tensor> norm_moments(const at::Tensor& x, const at::Tensor& row_scale);

/// double [2, C]: the sums over rows of the gradient before the activation, and of it times the normalised value. They
/// are the gradients of beta and gamma.
FACTORGCN_API at::Tensor norm_backward_sums(const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma,
                                            const at::Tensor& beta, const at::Tensor& mean, const at::Tensor& variance,
                                            const at::Tensor& row_scale, double eps, double slope);

/// The gradient of x. `sums`: norm_backward_sums() of all rows that the moments come from, `rows` of them; undefined
/// where the moments do not depend on x.
FACTORGCN_API at::Tensor norm_backward_rows(const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma,
                                            const at::Tensor& beta, const at::Tensor& mean, const at::Tensor& variance,
                                            const at::Tensor& row_scale, double eps, double slope,
                                            const at::Tensor& sums, double rows);

}  // namespace factorgcn::cpu
