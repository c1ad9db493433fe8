// gram against libtorch's own product in float64, in value and gradient.
#include "factorgcn/ops/gram.h"

#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "base/error_text.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

using Tensors = std::vector<at::Tensor>;

Tensors value_and_gradient(const at::Tensor& given, const at::Tensor& direction, bool ours) {
  const at::Tensor x = given.detach().clone().requires_grad_();
  const at::Tensor y = ours ? gram(x) : x.t().matmul(x);
  return {y.detach(), torch::autograd::grad({(y * direction).sum()}, {x})[0]};
}

TEST(Gram, EqualsTheProduct) {
  RandomStream random(1, "test");
  for (const std::int64_t rows : {1, 7, 300, 5000}) {
    for (const std::int64_t columns : {1, 5, 32, 70}) {
      SCOPED_TRACE(::testing::Message() << rows << " rows, " << columns << " columns");
      const at::Tensor x = random_tensor({rows, columns}, random),
                       direction = random_tensor({columns, columns}, random);
      const Tensors expected = value_and_gradient(x, direction, false);
      const Tensors exact = value_and_gradient(x, direction, true);
      const Tensors single = value_and_gradient(x.to(at::kFloat), direction.to(at::kFloat), true);
      for (std::size_t index = 0; index < expected.size(); ++index) {
        EXPECT_LT(difference(exact[index], expected[index]), 1e-10);
        EXPECT_LT(difference(single[index], expected[index]), 1e-5);
      }
    }
  }
}

TEST(Gram, TakesTablesThatAreNotContiguous) {
  RandomStream random(2, "test");
  const at::Tensor x = random_tensor({6, 50}, random).t();
  EXPECT_LT(difference(gram(x), x.t().matmul(x)), 1e-12);
}

TEST(Gram, RefusesOtherShapes) {
  RandomStream random(3, "test");
  EXPECT_EQ(error_text([&] { gram(random_tensor({4}, random)); }),
            "gram: x must have shape [rows, columns] with at least 1 column");
}

}  // namespace
}  // namespace factorgcn
