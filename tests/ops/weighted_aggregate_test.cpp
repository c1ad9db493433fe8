// weighted_aggregate and neighbour_sum against plain sums over edges.
#include "factorgcn/ops/weighted_aggregate.h"

#include "base/error_text.h"
#include "ops/edge_operation.h"

namespace factorgcn {
namespace {

using testing::hub_edges;
using testing::Inputs;
using testing::random_edges;
using testing::random_edges_between;
using testing::random_tensor;

NodeWeights node_weights_of(std::int64_t nodes, bool source, bool target, RandomStream& random) {
  return {source ? random_tensor({nodes}, random) : at::Tensor(),
          target ? random_tensor({nodes}, random) : at::Tensor()};
}

NodeWeights cast(const NodeWeights& weights, const at::Tensor& like) {
  const auto to = [&](const at::Tensor& t) { return t.defined() ? t.to(like.scalar_type()) : t; };
  return {to(weights.source), to(weights.target)};
}

/// inputs: x and, unless there are none, edge weights.
testing::Operation operation(const NodeWeights& weights) {
  return [weights](const Adjacency& edges, const Inputs& in) {
    return in.size() == 1 ? neighbour_sum(edges, in[0], cast(weights, in[0]))
                          : weighted_aggregate(edges, in[0], in[1], cast(weights, in[0]));
  };
}

testing::Operation twin(const NodeWeights& weights) {
  return [weights](const Adjacency& edges, const Inputs& in) {
    const oracle::EdgeEnds ends = oracle::edge_ends(edges);
    at::Tensor messages = in[0].index_select(0, ends.source);
    const auto scale = [&](const at::Tensor& table, const at::Tensor& nodes) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(messages.dim()), 1);
      shape[0] = messages.size(0);
      messages = messages * table.index_select(0, nodes).view(shape);
    };
    if (in.size() == 2) {
      messages = in[1].unsqueeze(2) * (in[0].dim() == 3 ? messages : messages.unsqueeze(1));
    }
    if (weights.source.defined()) {
      scale(weights.source, ends.source);
    }
    if (weights.target.defined()) {
      scale(weights.target, ends.target);
    }
    return testing::sum_per_target(edges, messages);
  };
}

TEST(WeightedAggregate, EqualsPlainSumsForEveryWidth) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(13, 60, random);
  const std::int64_t nodes = edges.num_nodes(), count = edges.num_edges();
  for (const std::int64_t heads : {1, 3, 4, 8}) {
    for (const std::int64_t width : {1, 4, 7, 18, 33}) {
      for (const bool each : {false, true}) {
        SCOPED_TRACE(::testing::Message() << heads << " heads of " << width << ", each " << each);
        const NodeWeights weights = node_weights_of(nodes, heads != 3, heads != 4, random);
        const at::Tensor x =
            each ? random_tensor({nodes, heads, width}, random) : random_tensor({nodes, width}, random);
        testing::expect_equal_twin(operation(weights), twin(weights), edges, {x, random_tensor({count, heads}, random)},
                                   random);
      }
    }
  }
}

TEST(NeighbourSum, EqualsPlainSums) {
  RandomStream random(2, "test");
  const Adjacency edges = random_edges(13, 60, random);
  for (const std::int64_t width : {1, 5, 16, 70, 150}) {
    for (const bool weighted : {false, true}) {
      const NodeWeights weights = node_weights_of(13, weighted, weighted, random);
      testing::expect_equal_twin(operation(weights), twin(weights), edges, {random_tensor({13, width}, random)},
                                 random);
    }
  }
}

TEST(WeightedAggregate, EqualsPlainSumsBetweenTwoTables) {
  RandomStream random(6, "test");
  for (const auto& [sources, targets] : {std::pair<std::int64_t, std::int64_t>{20, 6}, {6, 20}}) {
    const Adjacency edges = random_edges_between(sources, targets, 60, random);
    const NodeWeights weights{random_tensor({sources}, random), random_tensor({targets}, random)};
    const at::Tensor edge_weight = random_tensor({60, 3}, random);
    testing::expect_equal_twin(operation(weights), twin(weights), edges,
                               {random_tensor({sources, 3, 5}, random), edge_weight}, random);
    testing::expect_equal_twin(operation({}), twin({}), edges, {random_tensor({sources, 5}, random), edge_weight},
                               random);
    testing::expect_equal_twin(operation(weights), twin(weights), edges, {random_tensor({sources, 5}, random)}, random);
  }
}

TEST(WeightedAggregate, RowsLongerThanABufferAndNoEdges) {
  RandomStream random(3, "test");
  const Adjacency hub = hub_edges(40, 70);  // node 0 has 2730 in-edges
  testing::expect_equal_twin(operation({}), twin({}), hub,
                             {random_tensor({40, 2, 9}, random), random_tensor({hub.num_edges(), 2}, random)}, random);
  testing::expect_equal_twin(operation({}), twin({}), hub, {random_tensor({40, 20}, random)}, random);
  const Adjacency none = build_adjacency(3, {}, {});
  EXPECT_TRUE(neighbour_sum(none, random_tensor({3, 4}, random)).equal(at::zeros({3, 4}, at::kDouble)));
}

TEST(WeightedAggregate, SameBitsForAnyNumberOfThreads) {
  RandomStream random(4, "test");
  const Adjacency edges = random_edges(3000, 40000, random);
  testing::expect_same_bits_for_any_threads(
      operation({}), edges, {random_tensor({3000, 4, 8}, random), random_tensor({40000, 4}, random)}, {3000, 4, 8});
  testing::expect_same_bits_for_any_threads(operation({}), edges, {random_tensor({3000, 32}, random)}, {3000, 32});
}

TEST(MeanWeights, AreOneOverTheInDegree) {
  const Adjacency edges =
      build_adjacency(3, std::vector<std::int32_t>{0, 1, 2, 0}, std::vector<std::int32_t>{1, 1, 1, 2});
  const at::Tensor weights = mean_weights(edges, at::kDouble);
  EXPECT_NEAR(weights[0].item<double>(), 1.0, 1e-12);  // no in-edges
  EXPECT_NEAR(weights[1].item<double>(), 1.0 / 3, 1e-12);
  EXPECT_NEAR(weights[2].item<double>(), 1.0, 1e-12);
}

TEST(WeightedAggregate, WrongInputsAreNamed) {
  RandomStream random(5, "test");
  const Adjacency edges = random_edges(5, 8, random);
  const at::Tensor x = random_tensor({5, 2, 3}, random);
  EXPECT_EQ(error_text([&] {
              weighted_aggregate(edges, x, random_tensor({8, 3}, random));
            }),
            "weighted_aggregate: edge_weight has shape [8, 3], expected [8, 2]");
  EXPECT_EQ(error_text([&] {
              weighted_aggregate(edges, x, random_tensor({7, 2}, random));
            }),
            "weighted_aggregate: edge_weight has shape [7, 2], expected [8, 2]");
  EXPECT_EQ(error_text([&] {
              weighted_aggregate(edges, x, random_tensor({8, 2}, random, at::kFloat));
            }),
            "weighted_aggregate: edge_weight has type Float, expected Double");
  EXPECT_EQ(error_text([&] { neighbour_sum(edges, x); }), "neighbour_sum: x must have shape [nodes, columns]");
  EXPECT_EQ(error_text([&] {
              neighbour_sum(edges, random_tensor({4, 2}, random));
            }),
            "weighted_aggregate: in_offsets has 6 entries, expected 5");
}

}  // namespace
}  // namespace factorgcn
