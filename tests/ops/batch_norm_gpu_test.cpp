// batch_norm on the GPU against the CPU in float64: values, gradients, running estimates, the same bits twice.
#include "factorgcn/ops/batch_norm.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::random_tensor;
using testing::Tensors;

class BatchNormOnGpu : public testing::OnGpu {};

void compare(std::int64_t rows, std::int64_t columns, bool training, bool scaled, Activation activation, double offset,
             RandomStream& random) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << columns << (training ? ", training" : "") << ", offset "
                                    << offset);
  testing::expect_same_on_gpu(
      {random_tensor({rows, columns}, random) * 3 + offset, random_tensor({columns}, random),
       random_tensor({columns}, random), random_tensor({columns}, random), random_tensor({columns}, random).abs() + 0.5,
       random_tensor({rows}, random).abs() + 0.1, random_tensor({rows, columns}, random)},
      [&](const Tensors& t, at::Device) {
        const at::Tensor mean = t[3].detach().clone(), variance = t[4].detach().clone();
        const BatchNormState state{t[1], t[2], mean, variance};
        const at::Tensor y = batch_norm(t[0], state, training, activation, 0.2, scaled ? t[5].detach() : at::Tensor());
        const auto gradients = torch::autograd::grad({(y * t[6]).sum()}, {t[0], t[1], t[2]});
        return Tensors{y, gradients[0], gradients[1], gradients[2], mean, variance};
      },
      offset > 10 || rows == 2 ? 2e-3 : 2e-5, 1e-9);  // two rows: gradients all but cancel
}

TEST_F(BatchNormOnGpu, EqualsTheCpu) {
  RandomStream random(1, "test");
  for (const bool training : {true, false}) {
    for (const bool scaled : {true, false}) {
      for (const std::int64_t columns : {1, 33, 144}) {
        compare(2, columns, training, scaled, Activation::kNone, 0, random);
        compare(1000, columns, training, scaled, Activation::kLeakyRelu, 5, random);
      }
      compare(40000, 40, training, scaled, Activation::kRelu, 1, random);
    }
  }
}

TEST_F(BatchNormOnGpu, KeepsTheVarianceOfValuesFarFromZero) {
  RandomStream random(2, "test");
  compare(20000, 16, true, false, Activation::kNone, 1000, random);
}

}  // namespace
}  // namespace factorgcn
