// A training step needs the gradients of its losses at once and their values only at its end. On a GPU that lets
// discriminators run beside the model's own forward and backward passes all the way.
//
//   const StepOutput output = model.forward_in_step(batch, true);
//   const at::Tensor task = ...;
//   const LateTotal losses = late_total(task, output.regularisers, lambda);
//   backward_in_step(task, output.regularisers, one, lambda_tensor);
//   optimiser.step();
//   wait_for_judges(task);   // from here on `losses` can be read
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API LateTotal {
  at::Tensor total;        ///< task + lambda * regulariser
  at::Tensor regulariser;  ///< the sum of the regularisers; 0 where there are none
};

/// Values only, nothing to differentiate. On a GPU they may be under way until wait_for_judges().
FACTORGCN_API LateTotal late_total(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, double lambda);

/// Gradients of task + lambda * (sum of regularisers), without a look at any of their values. `one` and `lambda`:
/// scalars where the losses are.
FACTORGCN_API void backward_in_step(const at::Tensor& task, const std::vector<at::Tensor>& regularisers,
                                    const at::Tensor& one, const at::Tensor& lambda);

/// Makes what is asked for next wait for all losses that are found beside. `like`: any tensor where they are; nothing
/// to do on a CPU.
FACTORGCN_API void wait_for_judges(const at::Tensor& like);

}  // namespace factorgcn
