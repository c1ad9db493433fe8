// Losses whose values nobody needs before the end of a step; the GPU's part is in ops/cuda/late_losses.cpp.
#include "factorgcn/ops/late_losses.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/library.h>

#include "ops/checks.h"
#include "ops/late_losses_schema.h"
#include "ops/put_off.h"

namespace factorgcn {
namespace {

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "record_losses(Tensor task, Tensor[] regularisers, float lambda, Tensor? position, Tensor(a!) rows) -> ()");
  library.def("wait_for_judges(Tensor like) -> ()");
}

void record_losses_cpu(const at::Tensor& task, at::TensorList regularisers, double lambda,
                       const OptionalTensor& position, const at::Tensor& rows) {
  double sum = 0;
  for (const at::Tensor& regulariser : regularisers) {
    sum += regulariser.item<double>();
  }
  const double value = task.item<double>();
  double* row = rows.data_ptr<double>() + (position.has_value() ? 3 * position->item<std::int64_t>() : 0);
  row[0] = value + lambda * sum;
  row[1] = value;
  row[2] = sum;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("record_losses", record_losses_cpu);
  library.impl("wait_for_judges", [](const at::Tensor&) {});
}

}  // namespace

void backward_in_step(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, const at::Tensor& one,
                      const at::Tensor& lambda) {
  torch::autograd::variable_list roots{task}, gradients{one};
  for (const at::Tensor& regulariser : regularisers) {
    roots.push_back(regulariser);
    gradients.push_back(lambda);
  }
  if (task.is_cpu()) {
    torch::autograd::backward(roots, gradients);
  } else {
    backward_putting_off(roots, gradients, one);
  }
}

void record_losses(const at::Tensor& task, const std::vector<at::Tensor>& regularisers, double lambda,
                   const at::Tensor& rows, const at::Tensor& position) {
  require(rows.dim() == 2 && rows.size(0) >= 1 && rows.size(1) == 3 && rows.scalar_type() == at::kDouble &&
              rows.is_contiguous(),
          "record_losses: rows are ", rows.scalar_type(), " ", rows.sizes(), ", expected float64 [n, 3]");
  check_same_device("record_losses", "rows", rows, task);
  if (position.defined()) {
    check_index("record_losses", "position", position, at::kLong, 1, task);
  }
  std::vector<at::Tensor> values;
  for (const at::Tensor& regulariser : regularisers) {
    require(regulariser.numel() == 1 && regulariser.scalar_type() == task.scalar_type(),
            "record_losses: a regulariser is ", regulariser.scalar_type(), " ", regulariser.sizes(), ", expected a ",
            task.scalar_type(), " scalar");
    check_same_device("record_losses", "a regulariser", regulariser, task);
    values.push_back(regulariser.detach());
  }
  static const auto operation = find_operation<RecordLossesSignature>("factorgcn::record_losses");
  operation.call(task.detach(), values, lambda, optional(position), rows);
}

at::Tensor sum_losses(const std::vector<at::Tensor>& losses) {
  at::Tensor sum;
  for (const at::Tensor& loss : losses) {
    if (!sum.defined()) {
      wait_for_judges(loss);
    }
    sum = sum.defined() ? sum + loss : loss;
  }
  return sum;
}

void wait_for_judges(const at::Tensor& like) {
  static const auto operation = find_operation<WaitForJudgesSignature>("factorgcn::wait_for_judges");
  operation.call(like);
}

}  // namespace factorgcn
