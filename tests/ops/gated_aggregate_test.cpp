// gated_aggregate against the formulas, edge by edge.
#include "factorgcn/ops/gated_aggregate.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/sigmoid.h>

#include "base/error_text.h"
#include "ops/edge_operation.h"

namespace factorgcn {
namespace {

using testing::hub_edges;
using testing::Inputs;
using testing::random_edges;
using testing::random_tensor;

/// inputs: x, left, right and, where edges have types, these.
at::Tensor gated(const Adjacency& edges, const Inputs& in) {
  return gated_aggregate(edges, in[0], in[1], in[2], in.size() > 3 ? in[3] : at::Tensor());
}

at::Tensor gated_twin(const Adjacency& edges, const Inputs& in) {
  const oracle::EdgeEnds ends = oracle::edge_ends(edges);
  at::Tensor left = in[1].index_select(0, ends.source);
  if (in.size() > 3) {
    std::vector<at::Tensor> chosen;
    for (std::int64_t e = 0; e < edges.num_edges(); ++e) {
      chosen.push_back(left[e][in[3].data_ptr<std::int32_t>()[e]]);
    }
    left = at::stack(chosen);
  }
  const at::Tensor gates = at::sigmoid(left + in[2].index_select(0, ends.target));
  return testing::sum_per_target(edges, gates * in[0].index_select(0, ends.source)) /
         (testing::sum_per_target(edges, gates) + 1e-6);
}

at::Tensor random_types(std::int64_t edges, std::uint64_t types, RandomStream& random) {
  at::Tensor result = at::empty({edges}, at::kInt);
  for (std::int64_t e = 0; e < edges; ++e) {
    result.data_ptr<std::int32_t>()[e] = static_cast<std::int32_t>(random.below(types));
  }
  return result;
}

TEST(GatedAggregate, EqualsTheFormulas) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(13, 60, random);
  for (const std::int64_t width : {1, 3, 8, 19, 70}) {
    SCOPED_TRACE(width);
    const auto table = [&] { return random_tensor({13, width}, random); };
    testing::expect_equal_twin(gated, gated_twin, edges, {table(), table(), table()}, random);
    testing::expect_equal_twin(gated, gated_twin, edges,
                               {table(), random_tensor({13, 3, width}, random), table(), random_types(60, 3, random)},
                               random);
  }
  testing::expect_equal_twin(
      gated, gated_twin, hub_edges(30, 60),
      {random_tensor({30, 9}, random), random_tensor({30, 9}, random), random_tensor({30, 9}, random)}, random);
}

TEST(GatedAggregate, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const Adjacency edges = random_edges(3000, 40000, random);
  testing::expect_same_bits_for_any_threads(gated, edges,
                                            {random_tensor({3000, 20}, random), random_tensor({3000, 4, 20}, random),
                                             random_tensor({3000, 20}, random), random_types(40000, 4, random)},
                                            {3000, 20});
}

TEST(GatedAggregate, WrongInputsAreNamed) {
  RandomStream random(3, "test");
  const Adjacency edges = random_edges(5, 8, random);
  const at::Tensor x = random_tensor({5, 4}, random), typed = random_tensor({5, 2, 4}, random);
  EXPECT_EQ(error_text([&] { gated_aggregate(edges, x, typed, x); }),
            "gated_aggregate: left has shape [5, 2, 4], but there are no edge types; expected [nodes, columns]");
  EXPECT_EQ(error_text([&] { gated_aggregate(edges, x, typed, x, at::full({8}, 2, at::kInt)); }),
            "gated_aggregate: edge 0 has type 2; there are 2 types");
  EXPECT_EQ(error_text([&] {
              gated_aggregate(edges, x, x, random_tensor({5, 3}, random));
            }),
            "gated_aggregate: right has shape [5, 3], expected [5, 4]");
}

}  // namespace
}  // namespace factorgcn
