// edge_attention against a softmax per node.
#include "factorgcn/ops/edge_attention.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/softmax.h>

#include "base/error_text.h"
#include "ops/edge_operation.h"

namespace factorgcn {
namespace {

using testing::hub_edges;
using testing::Inputs;
using testing::random_edges;
using testing::random_tensor;

at::Tensor attention(const Adjacency& edges, const Inputs& in) { return edge_attention(edges, in[0], in[1], 0.2); }

/// In-edges of a node lie together, so the pieces of each node are its rows in order.
at::Tensor attention_twin(const Adjacency& edges, const Inputs& in) {
  const oracle::EdgeEnds ends = oracle::edge_ends(edges);
  const at::Tensor scores =
      at::leaky_relu(in[0].index_select(0, ends.source) + in[1].index_select(0, ends.target), 0.2);
  std::vector<at::Tensor> pieces;
  for (std::int64_t node = 0; node < edges.num_nodes(); ++node) {
    pieces.push_back(at::softmax(scores.index({ends.target.eq(node)}), 0));
  }
  return at::cat(pieces);
}

TEST(EdgeAttention, EqualsASoftmaxPerNode) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(13, 60, random);
  for (const std::int64_t heads : {1, 2, 3, 4, 6, 8, 16}) {
    SCOPED_TRACE(heads);
    testing::expect_equal_twin(attention, attention_twin, edges,
                               {random_tensor({13, heads}, random, at::kDouble, 3), random_tensor({13, heads}, random)},
                               random);
  }
  testing::expect_equal_twin(attention, attention_twin, hub_edges(30, 60),
                             {random_tensor({30, 4}, random), random_tensor({30, 4}, random)}, random);
}

TEST(EdgeAttention, LargeScoresDoNotOverflow) {
  const Adjacency edges = build_adjacency(2, std::vector<std::int32_t>{0, 1}, std::vector<std::int32_t>{1, 1});
  at::Tensor left = at::zeros({2, 1}, at::kFloat);
  left[0][0] = 5000.0F;
  const at::Tensor alpha = edge_attention(edges, left, at::zeros({2, 1}, at::kFloat));
  EXPECT_FLOAT_EQ(alpha[0][0].item<float>(), 1.0F);
  EXPECT_NEAR(alpha[1][0].item<float>(), 0.0F, 1e-30);
}

TEST(EdgeAttention, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const Adjacency edges = random_edges(3000, 40000, random);
  testing::expect_same_bits_for_any_threads(
      attention, edges, {random_tensor({3000, 8}, random), random_tensor({3000, 8}, random)}, {40000, 8});
}

TEST(EdgeAttention, WrongInputsAreNamed) {
  RandomStream random(3, "test");
  const Adjacency edges = random_edges(5, 8, random);
  EXPECT_EQ(error_text([&] {
              edge_attention(edges, random_tensor({5, 2}, random), random_tensor({5, 3}, random));
            }),
            "edge_attention: right has shape [5, 3], expected [5, 2]");
  EXPECT_EQ(error_text([&] { edge_attention(edges, random_tensor({5}, random), random_tensor({5}, random)); }),
            "edge_attention: left must have shape [nodes, heads] with at least 1 head");
}

}  // namespace
}  // namespace factorgcn
