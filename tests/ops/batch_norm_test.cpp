// batch_norm against libtorch's own batch normalisation in float64, in value, gradient and running estimates.
#include "factorgcn/ops/batch_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

struct Inputs {
  at::Tensor x, gamma, beta, mean, variance, row_scale, direction;
};

Inputs make_inputs(std::int64_t rows, std::int64_t columns, RandomStream& random) {
  return {random_tensor({rows, columns}, random) * 3 + 5,
          random_tensor({columns}, random),
          random_tensor({columns}, random),
          random_tensor({columns}, random),
          random_tensor({columns}, random).abs() + 0.5,
          random_tensor({rows}, random).abs() + 0.1,
          random_tensor({rows, columns}, random)};
}

/// y, gradients of x, gamma, beta, running mean and variance.
std::vector<at::Tensor> run(const Inputs& in, at::ScalarType type, bool training, double slope, bool scaled,
                            bool ours) {
  const at::Tensor x = in.x.to(type).clone().requires_grad_(), gamma = in.gamma.to(type).clone().requires_grad_();
  const at::Tensor beta = in.beta.to(type).clone().requires_grad_();
  at::Tensor mean = in.mean.to(type).clone(), variance = in.variance.to(type).clone();
  const at::Tensor scale = in.row_scale.to(type);
  at::Tensor y;
  if (ours) {
    const BatchNormState state{gamma, beta, mean, variance};
    const Activation activation = slope == 1 ? Activation::kNone : Activation::kLeakyRelu;
    y = batch_norm(x, state, training, activation, slope, scaled ? scale : at::Tensor());
  } else {
    const at::Tensor input = scaled ? x * scale.unsqueeze(1) : x;
    y = at::leaky_relu(at::batch_norm(input, gamma, beta, mean, variance, training, 0.1, 1e-5, false), slope);
  }
  const auto gradients = torch::autograd::grad({(y * in.direction.to(type)).sum()}, {x, gamma, beta});
  return {y.detach(), gradients[0], gradients[1], gradients[2], mean, variance};
}

class BatchNormOnEveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, BatchNormOnEveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

TEST_P(BatchNormOnEveryInstructionSet, EqualsLibtorch) {
  RandomStream random(1, "test");
  for (const std::int64_t rows : {2, 37, 700}) {
    for (const std::int64_t columns : {1, 5, 64, 144}) {
      const Inputs inputs = make_inputs(rows, columns, random);
      for (const bool training : {true, false}) {
        for (const double slope : {1.0, 0.2}) {
          for (const bool scaled : {false, true}) {
            const auto expected = run(inputs, at::kDouble, training, slope, scaled, false);
            const auto exact = run(inputs, at::kDouble, training, slope, scaled, true);
            const auto single = run(inputs, at::kFloat, training, slope, scaled, true);
            for (std::size_t i = 0; i < expected.size(); ++i) {
              EXPECT_LT(difference(exact[i], expected[i]), 1e-11) << rows << " x " << columns << ", result " << i;
              // With 2 rows the variance may be near 0 and its inverse magnifies rounding.
              if (rows > 2) {
                EXPECT_LT(difference(single[i], expected[i]), 2e-4) << rows << " x " << columns << ", result " << i;
              }
            }
          }
        }
      }
    }
  }
}

TEST(BatchNorm, LargeMeansDoNotDestroyTheVariance) {
  RandomStream random(2, "test");
  Inputs inputs = make_inputs(5000, 3, random);
  inputs.x = inputs.x + 10000;
  const auto expected = run(inputs, at::kDouble, true, 1.0, false, false);
  const auto actual = run(inputs, at::kFloat, true, 1.0, false, true);
  EXPECT_LT(difference(actual[5], expected[5]), 1e-3);
}

TEST(BatchNorm, SameBitsForAnyNumberOfThreads) {
  RandomStream random(3, "test");
  const Inputs inputs = make_inputs(3000, 36, random);
  const int threads_before = num_threads();
  set_num_threads(1);
  const auto expected = run(inputs, at::kFloat, true, 0.2, true, true);
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    const auto actual = run(inputs, at::kFloat, true, 0.2, true, true);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i;
    }
  }
  set_num_threads(threads_before);
}

TEST(BatchNorm, BadArgumentsAreNamed) {
  const auto numbers = at::TensorOptions().dtype(at::kDouble);
  const BatchNormState state{at::ones({3}, numbers), at::zeros({3}, numbers), at::zeros({3}, numbers),
                             at::ones({3}, numbers)};
  EXPECT_EQ(error_text([&] {
              batch_norm(at::zeros({1, 3}, numbers), state, true);
            }),
            "batch_norm: training needs at least 2 rows to estimate a variance, got 1");
  EXPECT_EQ(error_text([&] {
              batch_norm(at::zeros({4, 2}, numbers), state, true);
            }),
            "batch_norm: gamma must have one entry per column, 2");
  EXPECT_EQ(error_text([&] {
              batch_norm(at::zeros({4, 3}, numbers), state, true, Activation::kTanh);
            }),
            "batch_norm: activation tanh is not supported; use none, relu or leaky_relu");
}

}  // namespace
}  // namespace factorgcn
