// capsule_route against the routing's formulas, edge by edge.
#include "factorgcn/ops/capsule_route.h"

#include <ATen/ops/softmax.h>

#include "base/error_text.h"
#include "ops/edge_operation.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::hub_edges;
using testing::Inputs;
using testing::random_edges;
using testing::random_tensor;

at::Tensor route(const Adjacency& edges, const Inputs& in) { return capsule_route(edges, in[0], in[1]); }

at::Tensor shares_twin(const Adjacency& edges, const Inputs& in) {
  const oracle::EdgeEnds ends = oracle::edge_ends(edges);
  const at::Tensor z = in[0].index_select(0, ends.source), u = in[1].index_select(0, ends.target);
  return at::softmax((z * u).sum(2), 1);
}

at::Tensor twin(const Adjacency& edges, const Inputs& in) {
  const at::Tensor z = in[0].index_select(0, oracle::edge_ends(edges).source);
  const at::Tensor v = in[0] + testing::sum_per_target(edges, shares_twin(edges, in).unsqueeze(2) * z);
  return v / (v.square().sum(2, true) + 1e-12).sqrt();
}

TEST(CapsuleRoute, EqualsTheFormulas) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(13, 60, random);
  for (const std::int64_t capsules : {1, 3, 4, 8}) {
    for (const std::int64_t width : {2, 5, 8, 16, 19, 32}) {  // with 1 column only the sign is left
      SCOPED_TRACE(::testing::Message() << capsules << " capsules of " << width);
      const Inputs inputs{random_tensor({13, capsules, width}, random), random_tensor({13, capsules, width}, random)};
      testing::expect_equal_twin(route, twin, edges, inputs, random);
      EXPECT_LT(difference(capsule_shares(edges, inputs[0], inputs[1]), shares_twin(edges, inputs)), 1e-12);
    }
  }
  testing::expect_equal_twin(route, twin, hub_edges(30, 60),
                             {random_tensor({30, 4, 8}, random), random_tensor({30, 4, 8}, random)}, random);
}

TEST(CapsuleRoute, KeepsTheLengthWhereAsked) {
  RandomStream random(5, "test");
  const Adjacency edges = random_edges(13, 60, random);
  const auto kept = [](const Adjacency& of, const Inputs& in) {
    return capsule_route(of, in[0], in[1], CapsuleLength::kKept);
  };
  const auto kept_twin = [](const Adjacency& of, const Inputs& in) {
    const at::Tensor z = in[0].index_select(0, oracle::edge_ends(of).source);
    return in[0] + testing::sum_per_target(of, shares_twin(of, in).unsqueeze(2) * z);
  };
  for (const std::int64_t width : {1, 5, 16}) {
    testing::expect_equal_twin(kept, kept_twin, edges,
                               {random_tensor({13, 3, width}, random), random_tensor({13, 3, width}, random)}, random);
  }
}

TEST(CapsuleRoute, ZerosStayZero) {
  const Adjacency none = build_adjacency(2, {}, {});
  const at::Tensor zeros = at::zeros({2, 3, 4}, at::kFloat);
  EXPECT_TRUE(capsule_route(none, zeros, zeros).equal(zeros));
  EXPECT_TRUE(unit_capsules(zeros).equal(zeros));
}

TEST(UnitCapsules, HaveLengthOne) {
  RandomStream random(2, "test");
  const at::Tensor lengths = unit_capsules(random_tensor({5, 3, 4}, random)).square().sum(2);
  EXPECT_LT((lengths - 1).abs().max().item<double>(), 1e-10);
}

TEST(CapsuleRoute, SameBitsForAnyNumberOfThreads) {
  RandomStream random(3, "test");
  const Adjacency edges = random_edges(3000, 40000, random);
  testing::expect_same_bits_for_any_threads(
      route, edges, {random_tensor({3000, 4, 8}, random), random_tensor({3000, 4, 8}, random)}, {3000, 4, 8});
}

TEST(CapsuleRoute, WrongInputsAreNamed) {
  RandomStream random(4, "test");
  const Adjacency edges = random_edges(5, 8, random);
  const at::Tensor x = random_tensor({5, 2, 3}, random);
  EXPECT_EQ(error_text([&] {
              capsule_route(edges, x, random_tensor({5, 3, 2}, random));
            }),
            "capsule_route: u has shape [5, 3, 2], expected [5, 2, 3]");
  EXPECT_EQ(error_text([&] {
              capsule_route(edges, random_tensor({5, 65, 1}, random), random_tensor({5, 65, 1}, random));
            }),
            "capsule_route: 65 capsules; 1 to 64 are supported");
}

}  // namespace
}  // namespace factorgcn
