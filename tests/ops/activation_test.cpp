// Activations and sums per graph against libtorch's own operations, in value and gradient.
#include "factorgcn/ops/activation.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>

#include "base/error_text.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

class ActivationOnEveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, ActivationOnEveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

at::Tensor expected_value(const at::Tensor& x, Activation activation) {
  switch (activation) {
    case Activation::kTanh:
      return at::tanh(x);
    case Activation::kRelu:
      return at::relu(x);
    case Activation::kLeakyRelu:
      return at::leaky_relu(x, 0.2);
    default:
      return x * 1;
  }
}

TEST_P(ActivationOnEveryInstructionSet, ValueAndGradient) {
  RandomStream random(1, "test");
  for (const Activation activation :
       {Activation::kNone, Activation::kTanh, Activation::kRelu, Activation::kLeakyRelu}) {
    for (const std::int64_t count : {1, 3, 40000}) {
      const at::Tensor values = random_tensor({count}, random) * 4;
      const at::Tensor x = values.clone().requires_grad_(), same = values.clone().requires_grad_();
      const at::Tensor narrow = values.to(at::kFloat).requires_grad_();
      const at::Tensor direction = random_tensor({count}, random);
      const at::Tensor expected = expected_value(same, activation);
      const auto gradient = torch::autograd::grad({(expected * direction).sum()}, {same})[0];
      const at::Tensor y = activate(x, activation), z = activate(narrow, activation);
      EXPECT_LT(difference(y, expected), 1e-15);
      EXPECT_LT(difference(z, expected), 3e-7);
      EXPECT_LT(difference(torch::autograd::grad({(y * direction).sum()}, {x})[0], gradient), 1e-15);
      EXPECT_LT(difference(torch::autograd::grad({(z * direction.to(at::kFloat)).sum()}, {narrow})[0], gradient), 1e-6);
    }
  }
}

TEST_P(ActivationOnEveryInstructionSet, TanhIsAccurateRelativelyAndAtTheEnds) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float value :
       {1e-30F, 1e-8F, -1e-4F, 0.01F, 0.3F, -0.399F, 0.401F, 1.0F, -5.0F, 20.0F, 1e30F, infinity, -infinity}) {
    const at::Tensor x = at::empty({1}, at::TensorOptions().dtype(at::kFloat)).fill_(value);
    const double actual = activate(x, Activation::kTanh).item<float>(),
                 expected = std::tanh(static_cast<double>(value));
    EXPECT_NEAR(actual / expected, 1.0, 1e-6) << value;
  }
  const at::Tensor nan = at::empty({20}, at::TensorOptions().dtype(at::kFloat)).fill_(std::nanf(""));
  EXPECT_TRUE(activate(nan, Activation::kTanh).isnan().all().item<bool>());
}

TEST_P(ActivationOnEveryInstructionSet, TanhIsAccurateInBetweenAndNeverPastOne) {
  const at::Tensor x = at::linspace(-12, 12, 100'001, at::TensorOptions().dtype(at::kFloat));
  const at::Tensor y = activate(x, Activation::kTanh), expected = at::tanh(x.to(at::kDouble));
  EXPECT_LE(y.abs().max().item<float>(), 1.0F);
  const at::Tensor error = (y.to(at::kDouble) - expected).abs();
  EXPECT_LT((error / expected.abs().clamp_min(1e-30)).max().item<double>(), 3e-7);
}

TEST(ActivationNames, GoBothWays) {
  for (const Activation activation :
       {Activation::kNone, Activation::kTanh, Activation::kRelu, Activation::kLeakyRelu, Activation::kElu}) {
    EXPECT_EQ(activation_from_name(activation_name(activation)), activation);
  }
  EXPECT_EQ(error_text([] { activation_from_name("gelu"); }),
            "activation is \"gelu\": choose one of none, relu, leaky_relu, tanh, elu");
}

TEST(Activation, ANegativeSlopeIsRefused) {
  const at::Tensor x = at::empty({1}, at::TensorOptions().dtype(at::kFloat)).fill_(1);
  EXPECT_EQ(error_text([&] { activate(x, Activation::kLeakyRelu, -0.5); }),
            "activate: slope is -0.5; it must not be negative");
}

TEST(InstructionSet, AnUnknownOneIsRefusedByName) {
  const std::string text = error_text([] { use_instruction_set("avx9"); });
  EXPECT_EQ(text.find("instruction set is \"avx9\": this build on this machine can use " +
                      usable_instruction_sets().front()), 0U) << text;
  EXPECT_EQ(instruction_set(), usable_instruction_sets().back());
}

}  // namespace
}  // namespace factorgcn
