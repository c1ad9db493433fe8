// gram on the GPU against the CPU in float64: values, gradients, the same bits twice.
#include "factorgcn/ops/gram.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::random_tensor;
using testing::Tensors;

class GramOnGpu : public testing::OnGpu {};

TEST_F(GramOnGpu, EqualsTheCpu) {
  RandomStream random(4, "test");
  for (const std::int64_t rows : {1, 300, 5000, 70000}) {
    for (const std::int64_t columns : {3, 32, 128}) {
      SCOPED_TRACE(::testing::Message() << rows << " rows, " << columns << " columns");
      testing::expect_same_on_gpu(
          {random_tensor({rows, columns}, random), random_tensor({columns, columns}, random)},
          [](const Tensors& t, at::Device) {
            const at::Tensor y = gram(t[0]);
            return Tensors{y, torch::autograd::grad({(y * t[1]).sum()}, {t[0]})[0]};
          },
          1e-5);
    }
  }
}

}  // namespace
}  // namespace factorgcn
