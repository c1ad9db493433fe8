// dense against libtorch's own linear map in float64, in value and gradient, for every instruction set.
#include "factorgcn/ops/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/tanh.h>
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

struct Case {
  std::int64_t rows, in, out;
  bool bias, scale, tanh;
};

/// y and the gradients of all inputs, along a fixed direction.
std::vector<at::Tensor> run(const Case& c, const std::vector<at::Tensor>& given, const at::Tensor& direction,
                            bool ours) {
  std::vector<at::Tensor> in;
  for (const at::Tensor& tensor : given) {
    in.push_back(tensor.detach().clone().requires_grad_());
  }
  const at::Tensor bias = c.bias ? in[2] : at::Tensor(), scale = c.scale ? in[3] : at::Tensor();
  at::Tensor y;
  if (ours) {
    y = dense(in[0], in[1], bias, scale, c.tanh ? Activation::kTanh : Activation::kNone);
  } else {
    y = at::linear(in[0], in[1]);
    if (c.bias) {
      y = y + (c.scale ? scale.unsqueeze(1) * bias : bias);
    }
    y = c.tanh ? at::tanh(y) : y;
  }
  std::vector<at::Tensor> wanted{in[0], in[1]};
  if (c.bias) {
    wanted.push_back(bias);
  }
  if (c.scale) {
    wanted.push_back(scale);
  }
  std::vector<at::Tensor> all{y.detach()};
  for (const at::Tensor& gradient : torch::autograd::grad({(y * direction).sum()}, wanted)) {
    all.push_back(gradient);
  }
  return all;
}

std::vector<at::Tensor> make_inputs(const Case& c, RandomStream& random) {
  return {random_tensor({c.rows, c.in}, random), random_tensor({c.out, c.in}, random), random_tensor({c.out}, random),
          random_tensor({c.rows}, random)};
}

std::vector<at::Tensor> as(std::vector<at::Tensor> tensors, at::ScalarType type) {
  for (at::Tensor& tensor : tensors) {
    tensor = tensor.to(type);
  }
  return tensors;
}

class DenseOnEveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, DenseOnEveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

TEST_P(DenseOnEveryInstructionSet, EqualsLinear) {
  RandomStream random(1, "test");
  for (const std::int64_t rows : {1, 7, 64, 201}) {
    for (const std::int64_t in : {1, 2, 3, 4, 7, 9, 15, 16, 18, 36, 72, 144}) {
      for (const std::int64_t out : {1, 2, 4, 5, 8, 9, 16, 18, 24, 31, 36, 55, 72, 100, 144}) {
        const bool variant = (in + out) % 2 == 0;
        const Case c{rows, in, out, variant || rows == 7, variant, rows % 2 == 1};
        const auto inputs = make_inputs(c, random);
        const at::Tensor direction = random_tensor({rows, out}, random);
        const auto expected = run(c, inputs, direction, false);
        const auto exact = run(c, inputs, direction, true);
        const auto single = run(c, as(inputs, at::kFloat), direction.to(at::kFloat), true);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_LT(difference(exact[i], expected[i]), 1e-13)
              << rows << " x " << in << " -> " << out << ", result " << i;
          EXPECT_LT(difference(single[i], expected[i]), 1e-5)
              << rows << " x " << in << " -> " << out << ", result " << i;
        }
      }
    }
  }
}

TEST(Dense, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const Case c{20000, 18, 9, true, true, true};
  const auto inputs = as(make_inputs(c, random), at::kFloat);
  const at::Tensor direction = random_tensor({c.rows, c.out}, random, at::kFloat);
  const int threads_before = num_threads();
  set_num_threads(1);
  const auto expected = run(c, inputs, direction, true);
  for (const int threads : {2, 3, 4}) {
    set_num_threads(threads);
    const auto actual = run(c, inputs, direction, true);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i << " with " << threads << " threads";
    }
  }
  set_num_threads(threads_before);
}

TEST(Dense, TakesAnyLeadingDimensionsAndNoRows) {
  RandomStream random(3, "test");
  const at::Tensor weight = random_tensor({3, 4}, random), bias = random_tensor({3}, random);
  const at::Tensor x = random_tensor({2, 5, 4}, random);
  EXPECT_LT(difference(dense(x, weight, bias), at::linear(x, weight, bias)), 1e-14);
  EXPECT_EQ(dense(x.slice(0, 0, 0), weight, bias).sizes(), (std::vector<std::int64_t>{0, 5, 3}));
  EXPECT_LT(difference(dense(x.transpose(0, 1), weight, bias), at::linear(x.transpose(0, 1), weight, bias)), 1e-14);
}

TEST(Dense, BadArgumentsAreNamed) {
  RandomStream random(4, "test");
  const at::Tensor x = random_tensor({2, 4}, random), weight = random_tensor({3, 4}, random);
  const at::Tensor bias = random_tensor({3}, random);
  EXPECT_EQ(error_text([&] { dense(x.slice(1, 0, 3), weight, bias); }),
            "dense: x has shape [2, 3], expected 4 columns to fit weight [3, 4]");
  EXPECT_EQ(error_text([&] { dense(x, weight, random_tensor({4}, random)); }),
            "dense: bias has shape [4], expected [3]");
  EXPECT_EQ(error_text([&] { dense(x, weight.to(at::kFloat), bias); }),
            "dense: weight has type Float, expected Double");
  EXPECT_EQ(error_text([&] { dense(x, weight, {}, random_tensor({2}, random)); }),
            "dense: bias_scale was given without bias");
  EXPECT_EQ(error_text([&] { dense(x, weight, bias, random_tensor({5}, random)); }),
            "dense: bias_scale has 5 entries, expected one per row: 2");
  EXPECT_EQ(error_text([&] { dense(x, weight, bias, {}, Activation::kRelu); }),
            "dense: activation relu is not supported; use none or tanh");
}

}  // namespace
}  // namespace factorgcn
