// Activations, sums per graph and the factor label loss on the GPU against the CPU in float64.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "factorgcn/ops/segment_reduce.h"
#include "ops/gpu_fixture.h"
#include "ops/mean_loss_values.h"

namespace factorgcn {
namespace {

using testing::gpu;
using testing::random_tensor;
using testing::Tensors;

class PointwiseOnGpu : public testing::OnGpu {};

TEST_F(PointwiseOnGpu, ActivationsEqualTheCpu) {
  RandomStream random(1, "test");
  for (const auto activation : {Activation::kTanh, Activation::kRelu, Activation::kLeakyRelu}) {
    for (const std::int64_t count : {0, 1, 7, 4096, 100001}) {
      testing::expect_same_on_gpu({random_tensor({count}, random, at::kDouble, 3), random_tensor({count}, random)},
                                  [&](const Tensors& t, at::Device) {
                                    const at::Tensor y = activate(t[0], activation);
                                    return Tensors{y, torch::autograd::grad({(y * t[1]).sum()}, {t[0]})[0]};
                                  });
    }
  }
}

TEST_F(PointwiseOnGpu, SegmentsEqualTheCpu) {
  RandomStream random(2, "test");
  const std::vector<std::vector<std::int64_t>> graphs{{0, 3, 3, 10, 40}, {0, 30000}, {0, 20000, 20001}, {0, 0}, {0}};
  for (const auto& offsets : graphs) {
    for (const bool mean : {true, false}) {
      const std::int64_t nodes = offsets.back(), count = static_cast<std::int64_t>(offsets.size()) - 1;
      testing::expect_same_on_gpu(
          {random_tensor({nodes, 37}, random), random_tensor({count, 37}, random), at::tensor(offsets, at::kLong)},
          [&](const Tensors& t, at::Device) {
            const at::Tensor y = mean ? segment_mean(t[0], t[2]) : segment_sum(t[0], t[2]);
            return Tensors{y, torch::autograd::grad({(y * t[1]).sum()}, {t[0]})[0]};
          },
          1e-5);
    }
  }
}

TEST_F(PointwiseOnGpu, LabelLossEqualsTheCpu) {
  RandomStream random(3, "test");
  for (const std::int64_t factors : {1, 2, 8}) {
    for (const std::int64_t graphs : {1, 100, 3000}) {
      testing::expect_same_on_gpu({random_tensor({graphs, factors, factors}, random, at::kDouble, 4)},
                                  [&](const Tensors& t, at::Device) {
                                    const at::Tensor loss = factor_label_loss(t[0]);
                                    return Tensors{loss, torch::autograd::grad({loss * 3}, {t[0]})[0]};
                                  });
    }
  }
}

TEST_F(PointwiseOnGpu, MeanLosses) {
  testing::expect_mean_losses(gpu(), at::kDouble, 1e-12);
  testing::expect_mean_losses(gpu(), at::kFloat, 1e-6);
}

/// More entries than one block takes.
TEST_F(PointwiseOnGpu, MeanLossOfManyEntries) {
  RandomStream random(9, "test");
  const at::Tensor x = random_tensor({50'000, 7}, random, at::kDouble),
                   t = random_tensor({50'000, 7}, random, at::kDouble);
  const double expected = mean_loss(MeanLoss::kAbsolute, x, t).item<double>();
  EXPECT_NEAR(mean_loss(MeanLoss::kAbsolute, x.to(gpu()), t.to(gpu())).item<double>(), expected, 1e-12);
}

}  // namespace
}  // namespace factorgcn
