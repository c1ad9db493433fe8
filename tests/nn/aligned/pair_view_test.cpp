// The fused view of pairs against the composed one, in values and gradients.
#include "nn/aligned/pair_view.h"

#include <ATen/ops/equal.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <vector>

#include "factorgcn/base/parallel.h"
#include "nn/aligned/random_parts.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using aligned::PairGraphs;

struct Viewed {
  PairGraphs graphs;
  at::Tensor context, whole;
};

Viewed some_pairs(std::uint64_t seed, std::int64_t graphs) {
  RandomStream random(seed, "test/pair_view");
  Viewed result;
  result.graphs = aligned::pairs_of(testing::random_part_graphs(graphs, random), true).graphs;
  const auto draw = [&](std::int64_t rows, std::int64_t columns) {
    return testing::random_tensor({rows, columns}, random).to(at::kDouble).requires_grad_();
  };
  result.context = draw(result.graphs.num_nodes(), 7);
  result.whole = draw(graphs, 3);
  return result;
}

TEST(PairView, EqualsTheComposedOneInValuesAndGradients) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    for (const bool sees_whole : {true, false}) {
      const Viewed data = some_pairs(seed, 60);
      const at::Tensor whole = sees_whole ? data.whole : at::Tensor();
      const at::Tensor fused = aligned::pair_view(data.graphs, data.context, whole);
      const at::Tensor composed = aligned::composed_pair_view(data.graphs, data.context, whole);
      EXPECT_TRUE(at::equal(fused, composed));
      RandomStream random(seed, "test/upstream");
      const at::Tensor upstream = testing::random_tensor(fused.sizes(), random).to(at::kDouble);
      std::vector<at::Tensor> inputs{data.context};
      if (sees_whole) {
        inputs.push_back(data.whole);
      }
      const auto actual = torch::autograd::grad({fused}, inputs, {upstream});
      const auto expected = torch::autograd::grad({composed}, inputs, {upstream});
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        EXPECT_LT(testing::difference(actual[i], expected[i]), 1e-12);
      }
    }
  }
}

TEST(PairView, GivesTheSameBitsForAnyNumberOfThreads) {
  const Viewed data = some_pairs(4, 200);
  const auto gradient_with = [&](int threads) {
    const int before = num_threads();
    set_num_threads(threads);
    const at::Tensor view = aligned::pair_view(data.graphs, data.context, data.whole);
    const auto gradients = torch::autograd::grad({view.square().sum()}, {data.context, data.whole});
    set_num_threads(before);
    return gradients;
  };
  const auto one = gradient_with(1), three = gradient_with(3);
  EXPECT_TRUE(at::equal(one[0], three[0]) && at::equal(one[1], three[1]));
}

TEST(PairView, OfNoPairsIsEmpty) {
  const PairGraphs graphs = aligned::connect_pairs({}, at::tensor({0, 3}, at::TensorOptions().dtype(at::kLong)));
  const at::Tensor context = at::ones({3, 2}, at::TensorOptions().dtype(at::kFloat)).requires_grad_();
  const at::Tensor view = aligned::pair_view(graphs, context, {});
  EXPECT_EQ(view.size(0), 0);
  view.sum().backward();
  EXPECT_EQ(context.grad().abs().sum().item<double>(), 0);
}

}  // namespace
}  // namespace factorgcn
