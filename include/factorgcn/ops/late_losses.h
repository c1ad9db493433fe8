// A training step needs the gradients of its losses at once and their values only at its end. On a GPU that lets
// discriminators run beside the model's own forward and backward passes all the way.
//
//   const StepOutput output = model.forward_in_step(batch, true);
//   const at::Tensor task = ...;
//   backward_in_step(task, output.regularisers, one, lambda_tensor);
//   optimiser.step();
//   record_losses(task, output.regularisers, lambda, rows);
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Gradients of task + lambda * (sum of regularisers), without a look at any of their values. `one`, which is the
/// number 1, and `lambda`: scalars where the losses are.
FACTORGCN_API void backward_in_step(const at::Tensor& task, const std::vector<at::Tensor>& regularisers,
                                    const at::Tensor& one, const at::Tensor& lambda);

/// rows[position] = (task + lambda * sum of regularisers, task, sum of regularisers). `rows`: float64 [n, 3];
/// `position`: int64 [1], or undefined for the first row; both where the losses are. Waits for what is found beside.
FACTORGCN_API void record_losses(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, double lambda,
                                 const at::Tensor& rows, const at::Tensor& position = {});

/// The losses' sum, undefined where there are none. Waits for what is found beside.
FACTORGCN_API at::Tensor sum_losses(const std::vector<at::Tensor>& losses);

/// Makes what is asked for next wait for all losses that are found beside. `like`: any tensor where they are; nothing
/// to do on a CPU.
FACTORGCN_API void wait_for_judges(const at::Tensor& like);

}  // namespace factorgcn
