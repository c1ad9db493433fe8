// Losses whose values come late: the same sums, and the same gradients as by the total.
#include "factorgcn/ops/late_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

namespace factorgcn {
namespace {

TEST(LateLosses, AddUpToTheTotal) {
  const at::Tensor task = at::tensor(2.5, at::kDouble).requires_grad_();
  const std::vector<at::Tensor> regularisers{at::tensor(0.5, at::kDouble).requires_grad_(),
                                             at::tensor(0.25, at::kDouble).requires_grad_()};
  const LateTotal losses = late_total(task, regularisers, 2.0);
  wait_for_judges(task);
  EXPECT_EQ(losses.total.item<double>(), 4.0);
  EXPECT_EQ(losses.regulariser.item<double>(), 0.75);
  EXPECT_FALSE(losses.total.requires_grad());

  const LateTotal alone = late_total(task, {}, 2.0);
  EXPECT_EQ(alone.total.item<double>(), 2.5);
  EXPECT_EQ(alone.regulariser.item<double>(), 0.0);
}

TEST(LateLosses, GradientsAreThoseOfTheTotal) {
  const at::Tensor x = at::tensor({1.0, -2.0, 3.0}, at::kDouble).requires_grad_();
  const auto task = [&] { return (x * x).sum(); };
  const auto regularisers = [&] { return std::vector<at::Tensor>{x.sum(), (x * x * x).sum()}; };
  const at::Tensor one = at::tensor(1.0, at::kDouble), lambda = one * 0.3;
  backward_in_step(task(), regularisers(), one, lambda);
  const at::Tensor total = task() + 0.3 * regularisers()[0] + 0.3 * regularisers()[1];
  const at::Tensor expected = torch::autograd::grad({total}, {x})[0];
  EXPECT_LT((x.grad() - expected).abs().max().item<double>(), 1e-14);
}

}  // namespace
}  // namespace factorgcn
