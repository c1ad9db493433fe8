// Losses whose values nobody needs before the end of a step; the GPU's part is in ops/cuda/late_losses.cpp.
#include "factorgcn/ops/late_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include "ops/late_losses_schema.h"

namespace factorgcn {
namespace {

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("late_total(Tensor task, Tensor[] regularisers, float lambda) -> (Tensor, Tensor)");
  library.def("wait_for_judges(Tensor like) -> ()");
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("late_total", sum_of_losses);
  library.impl("wait_for_judges", [](const at::Tensor&) {});
}

}  // namespace

std::tuple<at::Tensor, at::Tensor> sum_of_losses(const at::Tensor& task, at::TensorList regularisers, double lambda) {
  if (regularisers.empty()) {
    return {task.clone(), at::zeros_like(task)};
  }
  at::Tensor sum = regularisers[0];
  for (const at::Tensor& other : regularisers.slice(1)) {
    sum = sum + other;
  }
  return {task.add(sum, lambda), regularisers.size() == 1 ? sum.clone() : sum};
}

LateTotal late_total(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, double lambda) {
  static const auto operation = find_operation<LateTotalSignature>("factorgcn::late_total");
  const at::NoGradGuard no_gradient;
  std::vector<at::Tensor> values;
  for (const at::Tensor& regulariser : regularisers) {
    values.push_back(regulariser.detach());
  }
  const auto [total, regulariser] = operation.call(task.detach(), values, lambda);
  return {total, regulariser};
}

void backward_in_step(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, const at::Tensor& one,
                      const at::Tensor& lambda) {
  torch::autograd::variable_list roots{task}, gradients{one};
  for (const at::Tensor& regulariser : regularisers) {
    roots.push_back(regulariser);
    gradients.push_back(lambda);
  }
  torch::autograd::backward(roots, gradients);
}

void wait_for_judges(const at::Tensor& like) {
  static const auto operation = find_operation<WaitForJudgesSignature>("factorgcn::wait_for_judges");
  operation.call(like);
}

}  // namespace factorgcn
