// What mean_loss must give, worked out entry by entry; for the CPU and the GPU alike.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>

#include "factorgcn/ops/mean_loss.h"

namespace factorgcn::testing {

inline void expect_mean_losses(at::Device device, at::ScalarType type, double tolerance) {
  const std::vector<double> x{0.5, -2, 30, -40, 0, 1e-3, 7, 8}, t{1, 0, 1, 0, 0, 1, 0, 1};
  const auto table = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).view({4, 2}).to(device, type);
  };
  for (const MeanLoss kind : {MeanLoss::kAbsolute, MeanLoss::kBinaryCrossEntropy}) {
    for (const std::int64_t rows : {4, 3}) {  // 3: the last is padding
      SCOPED_TRACE(::testing::Message() << "kind " << static_cast<int>(kind) << ", " << rows << " rows");
      const at::Tensor prediction = table(x).requires_grad_();
      const at::Tensor real = rows < 4 ? at::tensor({rows}, at::kLong).to(device) : at::Tensor();
      const at::Tensor loss = mean_loss(kind, prediction, table(t), real);
      (loss * 2.5).backward();
      const at::Tensor gradient = prediction.grad().to(at::kCPU, at::kDouble).flatten();
      double expected = 0;
      for (std::size_t i = 0; i < 8; ++i) {
        const bool counts = i < static_cast<std::size_t>(2 * rows);
        const double share = counts ? 1.0 / static_cast<double>(2 * rows) : 0;
        const double sigmoid = 1 / (1 + std::exp(-x[i]));
        double slope = 0;
        if (kind == MeanLoss::kAbsolute) {
          expected += share * std::abs(x[i] - t[i]);
          slope = x[i] > t[i] ? 1 : (x[i] < t[i] ? -1 : 0);
        } else {
          expected += share * (std::max(x[i], 0.0) - x[i] * t[i] + std::log1p(std::exp(-std::abs(x[i]))));
          slope = sigmoid - t[i];
        }
        EXPECT_NEAR(gradient[static_cast<std::int64_t>(i)].item<double>(), 2.5 * share * slope, tolerance) << i;
      }
      EXPECT_NEAR(loss.item<double>(), expected, tolerance * std::max(1.0, expected));
    }
  }
}

}  // namespace factorgcn::testing
