// factor_label_loss against libtorch's cross entropy with the labels written out.
#include "factorgcn/ops/factor_label_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

TEST(FactorLabelLoss, EqualsCrossEntropy) {
  RandomStream random(1, "test");
  for (const std::int64_t factors : {1, 2, 4, 8}) {
    for (const std::int64_t graphs : {1, 5, 300}) {
      const at::Tensor values = random_tensor({graphs, factors, factors}, random, at::kDouble, 20.0);
      const at::Tensor logits = values.clone().requires_grad_(), same = values.clone().requires_grad_();
      const at::Tensor labels = at::arange(factors, at::TensorOptions().dtype(at::kLong)).repeat({graphs});
      const at::Tensor loss = factor_label_loss(logits), expected = at::cross_entropy_loss(same.flatten(0, 1), labels);
      EXPECT_LT(difference(loss, expected), 1e-13);
      EXPECT_LT(
          difference(torch::autograd::grad({loss * 3}, {logits})[0], torch::autograd::grad({expected * 3}, {same})[0]),
          1e-14);
      EXPECT_LT(difference(factor_label_loss(values.to(at::kFloat)), expected), 1e-5);
    }
  }
}

TEST(FactorLabelLoss, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const at::Tensor logits = random_tensor({1000, 4, 4}, random, at::kFloat);
  const int threads_before = num_threads();
  set_num_threads(1);
  const at::Tensor expected = factor_label_loss(logits);
  set_num_threads(3);
  EXPECT_TRUE(factor_label_loss(logits).equal(expected));
  set_num_threads(threads_before);
}

TEST(FactorLabelLoss, BadShapesAreRefused) {
  RandomStream random(3, "test");
  EXPECT_EQ(error_text([&] {
              factor_label_loss(random_tensor({2, 3, 4}, random));
            }),
            "factor_label_loss: logits have shape [2, 3, 4], expected [graphs, factors, factors]");
}

}  // namespace
}  // namespace factorgcn
