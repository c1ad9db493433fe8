// mean_loss against the formulas, with and without padding.
#include "factorgcn/ops/mean_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "base/error_text.h"
#include "ops/mean_loss_values.h"

namespace factorgcn {
namespace {

TEST(MeanLoss, EqualsTheFormulas) { testing::expect_mean_losses(at::kCPU, at::kDouble, 1e-12); }

TEST(MeanLoss, RefusesOtherShapes) {
  const at::Tensor wide = at::tensor({1.0, 2.0}).view({1, 2}), tall = wide.view({2, 1});
  EXPECT_EQ(error_text([&] { mean_loss(MeanLoss::kAbsolute, wide, tall); }),
            "mean_loss: predictions are Double [1, 2], targets Double [2, 1]; they must agree");
}

}  // namespace
}  // namespace factorgcn
