// C++ types of the registered operations; they must agree with the schemas in batch_norm.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Returns y and the mean and (biased) variance used: the given ones, or the batch's own where none are given.
using BatchNormSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, const OptionalTensor& mean,
    const OptionalTensor& variance, const OptionalTensor& row_scale, double eps, double slope);

/// `own_moments`: the mean and variance came from this batch, so x acts through them too.
using BatchNormBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta,
    const at::Tensor& mean, const at::Tensor& variance, const OptionalTensor& row_scale, double eps, double slope,
    bool own_moments);

/// The same where rows from real_rows on are padding; on the GPU alone, the CPU cuts them off beforehand.
using PaddedBatchNormSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, const OptionalTensor& mean,
    const OptionalTensor& variance, const OptionalTensor& row_scale, const at::Tensor& real_rows, double eps,
    double slope);
using PaddedBatchNormBackwardSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& grad_y, const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta,
    const at::Tensor& mean, const at::Tensor& variance, const OptionalTensor& row_scale, const at::Tensor& real_rows,
    double eps, double slope, bool own_moments);

/// With the batch's own moments, towards which the running estimates move; on the GPU alone.
using TrainingBatchNormSignature = std::tuple<at::Tensor, at::Tensor, at::Tensor>(
    const at::Tensor& x, const at::Tensor& gamma, const at::Tensor& beta, at::Tensor& running_mean,
    at::Tensor& running_variance, const OptionalTensor& row_scale, const OptionalTensor& real_rows, double momentum,
    double eps, double slope);

/// The running estimates move towards the batch's moments by `momentum`; the variance's is `unbiased` times the
/// batch's. On the CPU alone.
using UpdateRunningMomentsSignature = void(at::Tensor& running_mean, at::Tensor& running_variance,
                                           const at::Tensor& mean, const at::Tensor& variance, double momentum,
                                           double unbiased);

}  // namespace factorgcn
