// Losses whose values come late: what is recorded, and the same gradients as by the total.
#include "factorgcn/ops/late_losses.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"

namespace factorgcn {
namespace {

TEST(LateLosses, AreRecordedInTheirRow) {
  const at::Tensor task = at::tensor(2.5, at::kDouble).requires_grad_();
  const std::vector<at::Tensor> regularisers{at::tensor(0.5, at::kDouble).requires_grad_(),
                                             at::tensor(0.25, at::kDouble).requires_grad_()};
  const at::Tensor rows = at::zeros({3, 3}, at::kDouble);
  record_losses(task, regularisers, 2.0, rows, at::tensor({1}, at::kLong));
  record_losses(task, {}, 2.0, rows);
  EXPECT_TRUE(rows.equal(at::tensor({2.5, 2.5, 0.0, 4.0, 2.5, 0.75, 0.0, 0.0, 0.0}, at::kDouble).view({3, 3})));
}

TEST(LateLosses, RowsMustFit) {
  const at::Tensor task = at::tensor(1.0F), rows = at::zeros({1, 2}, at::kDouble);
  EXPECT_EQ(error_text([&] { record_losses(task, {}, 1, rows); }),
            "record_losses: rows are Double [1, 2], expected float64 [n, 3]");
  EXPECT_EQ(error_text([&] {
              record_losses(task, {at::tensor(1.0, at::kDouble)}, 1, at::zeros({1, 3}, at::kDouble));
            }),
            "record_losses: a regulariser is Double [1], expected a Float scalar");
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

TEST(LateLosses, AreSummed) {
  EXPECT_FALSE(sum_losses({}).defined());
  EXPECT_EQ(sum_losses({at::tensor(0.5)}).item<double>(), 0.5);
  EXPECT_EQ(sum_losses({at::tensor(0.5), at::tensor(0.25), at::tensor(2.0)}).item<double>(), 2.75);
}

}  // namespace
}  // namespace factorgcn
