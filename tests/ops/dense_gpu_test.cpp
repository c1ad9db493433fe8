// dense and dense_pool on the GPU against the CPU in float64: values, gradients, the same bits twice.
#include "factorgcn/ops/dense.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/ops/dense_pool.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::random_tensor;
using testing::Tensors;

class DenseOnGpu : public testing::OnGpu {};

void compare(std::int64_t rows, std::int64_t in, std::int64_t out, bool scaled, Activation activation,
             RandomStream& random) {
  SCOPED_TRACE(::testing::Message() << rows << " rows, " << in << " -> " << out << (scaled ? ", scaled" : ""));
  testing::expect_same_on_gpu(
      {random_tensor({rows, in}, random), random_tensor({out, in}, random), random_tensor({out}, random),
       random_tensor({rows}, random), random_tensor({rows, out}, random)},
      [&](const Tensors& t, at::Device) {
        const at::Tensor y = dense(t[0], t[1], t[2], scaled ? t[3] : at::Tensor(), activation);
        Tensors wanted{t[0], t[1], t[2]};
        if (scaled) {
          wanted.push_back(t[3]);
        }
        Tensors results{y};
        for (const at::Tensor& gradient : torch::autograd::grad({(y * t[4]).sum()}, wanted)) {
          results.push_back(gradient);
        }
        return results;
      },
      1e-5);
}

TEST_F(DenseOnGpu, EqualsTheCpuForEverySize) {
  RandomStream random(1, "test");
  for (const std::int64_t in : {1, 4, 9, 16, 36, 65, 144}) {
    for (const std::int64_t out : {1, 3, 8, 18, 64, 72, 150}) {
      compare(77, in, out, true, Activation::kTanh, random);
      compare(301, in, out, false, Activation::kNone, random);
    }
  }
  for (const std::int64_t rows : {0, 1, 31, 5000, 70000}) {
    compare(rows, 9, 18, true, Activation::kTanh, random);
  }
}

TEST_F(DenseOnGpu, WeightsAloneMayBeWanted) {
  RandomStream random(2, "test");
  testing::expect_same_on_gpu({random_tensor({50, 7}, random), random_tensor({5, 7}, random)},
                              [&](const Tensors& t, at::Device) {
                                const at::Tensor y = dense(t[0].detach(), t[1], {});
                                return Tensors{y, torch::autograd::grad({(y * y).sum()}, {t[1]})[0]};
                              });
}

TEST_F(DenseOnGpu, TakesViewsIntoTheMiddleOfATensor) {
  RandomStream random(4, "test");
  testing::expect_same_on_gpu({random_tensor({401}, random), random_tensor({5, 8}, random)},
                              [&](const Tensors& t, at::Device) {
                                const at::Tensor y = dense(t[0].narrow(0, 1, 400).view({50, 8}), t[1], {});
                                return Tensors{y, torch::autograd::grad({(y * y).sum()}, {t[0]})[0]};
                              });
}

TEST_F(DenseOnGpu, PoolEqualsTheCpu) {
  RandomStream random(3, "test");
  const std::vector<std::vector<std::int64_t>> graphs{{0, 3, 3, 10, 40}, {0, 5000}, {0, 1, 2, 3}, {0, 0}};
  for (const auto& offsets : graphs) {
    for (const std::int64_t factors : {1, 3, 8}) {
      const std::int64_t nodes = offsets.back(), count = static_cast<std::int64_t>(offsets.size()) - 1;
      testing::expect_same_on_gpu(
          {random_tensor({nodes, factors, 9}, random), random_tensor({18, 9}, random), random_tensor({18}, random),
           random_tensor({nodes, factors}, random), random_tensor({count, factors, 18}, random),
           at::tensor(offsets, at::kLong)},
          [&](const Tensors& t, at::Device) {
            const at::Tensor y = dense_pool(t[0], t[1], t[2], t[3], t[5]);
            Tensors results{y};
            for (const at::Tensor& gradient : torch::autograd::grad({(y * t[4]).sum()}, {t[0], t[1], t[2], t[3]})) {
              results.push_back(gradient);
            }
            return results;
          },
          1e-5);
    }
  }
}

}  // namespace
}  // namespace factorgcn
