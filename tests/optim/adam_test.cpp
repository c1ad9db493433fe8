// Adam against libtorch's own, over steps with and without weight decay, in both precisions.
#include "factorgcn/optim/adam.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>
#include <torch/optim/adam.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

template <class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

void compare_with_torch(torch::Dtype type, double weight_decay, double tolerance) {
  at::manual_seed(3);
  const std::vector<std::vector<std::int64_t>> shapes{{5, 3}, {1}, {4, 2, 3}, {17}};
  std::vector<torch::Tensor> ours, theirs;
  for (const auto& shape : shapes) {
    ours.push_back(torch::randn(shape, type).requires_grad_());
    theirs.push_back(ours.back().detach().clone().requires_grad_());
  }
  Adam adam(ours, {.learning_rate = 0.01, .weight_decay = weight_decay});
  torch::optim::Adam reference(theirs, torch::optim::AdamOptions(0.01).weight_decay(weight_decay));
  for (int step = 0; step < 20; ++step) {
    adam.zero_gradients();
    reference.zero_grad();
    const torch::Tensor scale = torch::randn({}, type);
    for (std::size_t index = 0; index < ours.size(); ++index) {
      const torch::Tensor factor = torch::randn(shapes[index], type);
      (ours[index].sin() * factor * scale).sum().backward();
      (theirs[index].sin() * factor * scale).sum().backward();
    }
    if (step == 10) {
      adam.set_learning_rate(0.003);
      static_cast<torch::optim::AdamOptions&>(reference.param_groups()[0].options()).lr(0.003);
    }
    adam.step();
    reference.step();
    for (std::size_t index = 0; index < ours.size(); ++index) {
      EXPECT_LE((ours[index] - theirs[index]).abs().max().item<double>(), tolerance) << "step " << step;
    }
  }
  EXPECT_EQ(adam.steps(), 20);
}

TEST(Adam, EqualsTorchInFloat32) { compare_with_torch(torch::kFloat32, 0.0, 1e-6); }
TEST(Adam, EqualsTorchInFloat32WithWeightDecay) { compare_with_torch(torch::kFloat32, 0.1, 1e-6); }
TEST(Adam, EqualsTorchInFloat64) { compare_with_torch(torch::kFloat64, 0.0, 1e-12); }
TEST(Adam, EqualsTorchInFloat64WithWeightDecay) { compare_with_torch(torch::kFloat64, 0.1, 1e-12); }

TEST(Adam, FirstStepIsTheRateTimesTheSign) {
  // m / sqrt(v) is +-1 after bias correction, whatever the gradient.
  torch::Tensor x = torch::tensor({1.0, -2.0, 3.0}, torch::kFloat64).requires_grad_();
  Adam adam({x}, {.learning_rate = 0.5});
  (x * torch::tensor({100.0, -0.01, 0.0}, torch::kFloat64)).sum().backward();
  adam.step();
  EXPECT_NEAR(x[0].item<double>(), 0.5, 1e-9);
  EXPECT_NEAR(x[1].item<double>(), -1.5, 1e-6);
  EXPECT_EQ(x[2].item<double>(), 3.0);
}

TEST(Adam, ParametersAndGradientsAreViewsOfTheFlatBuffers) {
  torch::Tensor a = torch::ones({2, 2}).requires_grad_();
  torch::Tensor b = torch::full({3}, 2.0).requires_grad_();
  const torch::Tensor same_a = a;  // as a module and its layer share one
  Adam adam({a, b}, {});
  EXPECT_EQ(same_a.data_ptr<float>(), adam.values().data_ptr<float>());
  (same_a.sum() + 3 * b.sum()).backward();
  EXPECT_EQ(adam.gradients().sum().item<float>(), 4.0F + 9.0F);
  EXPECT_EQ(b.grad()[0].item<float>(), 3.0F);
  adam.zero_gradients();
  EXPECT_EQ(b.grad()[0].item<float>(), 0.0F);
  for (const torch::Tensor& parameter : {a, b}) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(parameter.data_ptr<float>()) % 64, 0U);
  }
}

TEST(Adam, LimitsTheNormOfAllGradients) {
  torch::Tensor a = torch::full({2, 2}, 3.0).requires_grad_(), b = torch::full({3}, 4.0).requires_grad_();
  Adam adam({a, b}, {});
  const auto fill = [&] {
    a.mutable_grad().fill_(3.0);
    b.mutable_grad().fill_(-4.0);
  };
  const double norm = std::sqrt(4 * 9.0 + 3 * 16.0);
  fill();
  adam.limit_gradients(norm + 1);
  EXPECT_EQ(a.grad()[1][1].item<double>(), 3.0);
  adam.limit_gradients(2);
  EXPECT_NEAR(a.grad()[1][1].item<double>(), 3 * 2 / norm, 1e-5);
  EXPECT_NEAR(b.grad()[2].item<double>(), -4 * 2 / norm, 1e-5);
  adam.zero_gradients();
  adam.limit_gradients(2);
  EXPECT_EQ(a.grad().abs().max().item<double>(), 0);
}

TEST(Adam, RefusesWhatItCannotTrain) {
  EXPECT_NE(message_of([] { Adam({}, {}); }).find("no parameters"), std::string::npos);
  EXPECT_NE(message_of([] { Adam({torch::ones({2}, torch::kLong)}, {}); }).find("float32 or float64"),
            std::string::npos);
  EXPECT_NE(message_of([] {
              Adam({torch::ones({2}), torch::ones({2}, torch::kFloat64)}, {});
            }).find("one type"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
