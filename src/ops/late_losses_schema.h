// C++ types of the registered operations; they must agree with the schemas in late_losses.cpp.
#pragma once

#include "ops/registration.h"

namespace factorgcn {

using RecordLossesSignature = void(const at::Tensor& task, at::TensorList regularisers, double lambda,
                                   const OptionalTensor& position, const at::Tensor& rows);

using WaitForJudgesSignature = void(const at::Tensor& like);

}  // namespace factorgcn
