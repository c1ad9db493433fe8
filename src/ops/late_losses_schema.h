// C++ types of the registered operations; they must agree with the schemas in late_losses.cpp.
#pragma once

#include <tuple>

#include "ops/registration.h"

namespace factorgcn {

/// Returns the total and the sum of the regularisers.
using LateTotalSignature = std::tuple<at::Tensor, at::Tensor>(const at::Tensor& task, at::TensorList regularisers,
                                                              double lambda);

using WaitForJudgesSignature = void(const at::Tensor& like);

/// The arithmetic of late_total, where and when the caller says.
std::tuple<at::Tensor, at::Tensor> sum_of_losses(const at::Tensor& task, at::TensorList regularisers, double lambda);

}  // namespace factorgcn
