// The edges as one argument of an operation: what is refused, and the boxed call by which other languages reach it.
#include "ops/edge_argument.h"

#include <ATen/core/List.h>
#include <ATen/core/ivalue.h>
#include <gtest/gtest.h>

#include "base/error_text.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "ops/random_graphs.h"
#include "ops/registration.h"

namespace factorgcn {
namespace {

using testing::random_edges;
using testing::random_tensor;

at::Tensor boxed_sum(const at::Tensor& x, const std::vector<at::Tensor>& edges) {
  static const auto operation = c10::Dispatcher::singleton().findSchemaOrThrow("factorgcn::weighted_aggregate", "");
  c10::List<at::Tensor> lists;
  for (const at::Tensor& list : edges) {
    lists.push_back(list);
  }
  std::vector<c10::IValue> stack{x, c10::IValue(), c10::IValue(), c10::IValue(), lists};
  operation.callBoxed(&stack);
  return stack.at(0).toTensor();
}

TEST(EdgeArgument, ABoxedCallEqualsTheFunctionWithItsGradient) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(7, 20, random);
  const at::Tensor x = random_tensor({7, 3}, random).requires_grad_(), factor = random_tensor({7, 3}, random);
  std::vector<at::Tensor> results, gradients;
  for (const bool boxed : {false, true}) {
    results.push_back(boxed ? boxed_sum(x, with_edges({}, {edge_lists(edges)})) : neighbour_sum(edges, x));
    results.back().backward(factor);
    gradients.push_back(x.grad().clone());
    x.mutable_grad().zero_();
  }
  EXPECT_TRUE(results[0].equal(results[1]));
  EXPECT_TRUE(gradients[0].equal(gradients[1]));
}

TEST(EdgeArgument, IsRefusedUnlessThereAreFiveLists) {
  RandomStream random(2, "test");
  const Adjacency edges = random_edges(7, 20, random);
  const at::Tensor x = random_tensor({7, 3}, random);
  EXPECT_EQ(error_text([&] {
              boxed_sum(x, {edges.in_offsets, edges.in_sources});
            }),
            "weighted_aggregate: edges holds 2 tensors, expected 5: in_offsets, in_sources, out_offsets, out_targets, "
            "in_to_out");
}

TEST(EdgeArgument, TheBackwardPassNamesTheListThatIsMissing) {
  RandomStream random(3, "test");
  Adjacency edges = random_edges(7, 20, random);
  edges.out_targets = at::Tensor();
  const at::Tensor x = random_tensor({7, 3}, random).requires_grad_();
  const at::Tensor sums = neighbour_sum(edges, x);
  EXPECT_EQ(error_text([&] { sums.sum().backward(); }), "weighted_aggregate_backward: out_targets is not defined");
}

}  // namespace
}  // namespace factorgcn
