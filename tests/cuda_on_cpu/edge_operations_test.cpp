// The other models' operations on edges: ops/cuda/weighted_aggregate.h, edge_attention.h, gated_aggregate.h and
// capsule_route.h, against the CPU's and their gradients.
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/capsule_route.h"
#include "factorgcn/ops/edge_attention.h"
#include "factorgcn/ops/gated_aggregate.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "ops/capsule_route_checks.h"
#include "ops/cuda/capsule_route.h"
#include "ops/cuda/edge_attention.h"
#include "ops/cuda/gated_aggregate.h"
#include "ops/cuda/weighted_aggregate.h"
#include "ops/gated_aggregate_checks.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

template <class T>
class EdgeKernel : public ::testing::Test {
 protected:
  RandomStream random_{31, "test"};
  Adjacency edges_ = random_edges(45, 400, random_);
  at::Tensor values(at::IntArrayRef shape) { return random_tensor(shape, random_, kTypeOf<T>); }

  const std::int64_t* in_offsets() const { return place<std::int64_t>(edges_.in_offsets); }
  const std::int32_t* in_sources() const { return place<std::int32_t>(edges_.in_sources); }
  const std::int64_t* out_offsets() const { return place<std::int64_t>(edges_.out_offsets); }
  const std::int32_t* out_targets() const { return place<std::int32_t>(edges_.out_targets); }
  const std::int64_t* in_to_out() const { return place<std::int64_t>(edges_.in_to_out); }
};
TYPED_TEST_SUITE(EdgeKernel, FloatTypes);

TYPED_TEST(EdgeKernel, WeightedSumsEqualTheCpu) {
  using T = TypeParam;
  const std::int64_t nodes = 45, edges = 400, heads = 3;
  // A column a thread or four of them, rows that several groups of threads share, and rows wider than a group.
  for (const auto& [width, each] : {std::pair{37, false}, {37, true}, {8, false}, {8, true}, {100, true}}) {
    const at::Tensor x = each ? this->values({nodes, heads, width}) : this->values({nodes, width}),
                     edge_weight = this->values({edges, heads}), grad_out = this->values({nodes, heads, width});
    const NodeWeights weights{this->values({nodes}), this->values({nodes})};
    const at::Tensor wide = exact(x), wide_weight = exact(edge_weight);
    const at::Tensor out = weighted_aggregate(this->edges_, wide, wide_weight,
                                              {weights.source.to(at::kDouble), weights.target.to(at::kDouble)});
    std::vector<at::Tensor> expected = gradients_of({out}, {grad_out}, {wide, wide_weight});
    expected.insert(expected.begin(), out);
    const auto run = [&] {
      Results results{{"out", unwritten<T>(out.sizes())},
                      {"grad x", unwritten<T>(x.sizes())},
                      {"grad weight", unwritten<T>(edge_weight.sizes())}};
      WeightedPass<T> p;
      p.rows = nodes;
      p.heads = heads;
      p.width = width;
      p.each = each;
      p.offsets = this->in_offsets();
      p.neighbours = this->in_sources();
      p.edge_weight = place<T>(edge_weight);
      p.own_weight = place<T>(weights.target);
      p.their_weight = place<T>(weights.source);
      weighted_sums(p, place<T>(x), place<T>(results[0].values), nullptr);
      weighted_edge_gradient(p, place<T>(x), place<T>(grad_out), place<T>(results[2].values), nullptr);
      const at::Tensor permuted = unwritten<T>(edge_weight.sizes());
      permute_to_out(place<T>(edge_weight), this->in_to_out(), edges, int(heads), place<T>(permuted), nullptr);
      p.offsets = this->out_offsets();
      p.neighbours = this->out_targets();
      p.edge_weight = place<T>(permuted);
      std::swap(p.own_weight, p.their_weight);
      if (each) {
        weighted_sums(p, place<T>(grad_out), place<T>(results[1].values), nullptr);
      } else {
        weighted_shared_gradient(p, place<T>(grad_out), place<T>(results[1].values), nullptr);
      }
      return results;
    };
    expect_results<T>(in_any_order(run), expected);
  }
}

TYPED_TEST(EdgeKernel, AttentionEqualsTheCpu) {
  using T = TypeParam;
  const std::int64_t nodes = 45, edges = 400, heads = 5;
  const at::Tensor left = this->values({nodes, heads}) * 3, right = this->values({nodes, heads}) * 3,
                   grad_alpha = this->values({edges, heads}), wide_left = exact(left), wide_right = exact(right);
  const at::Tensor alpha = edge_attention(this->edges_, wide_left, wide_right, 0.25);
  std::vector<at::Tensor> expected = gradients_of({alpha}, {grad_alpha}, {wide_left, wide_right});
  expected.insert(expected.begin(), alpha);
  const auto run = [&] {
    Results results{{"alpha", unwritten<T>({edges, heads})},
                    {"grad left", unwritten<T>({nodes, heads})},
                    {"grad right", unwritten<T>({nodes, heads})}};
    const auto at = [&](int i) { return place<T>(results[i].values); };
    const at::Tensor grad_logits = unwritten<T>({edges, heads});
    AttentionPass<T> p;
    p.rows = nodes;
    p.heads = heads;
    p.slope = T(0.25);
    p.in_offsets = this->in_offsets();
    p.in_sources = this->in_sources();
    p.out_offsets = this->out_offsets();
    p.in_to_out = this->in_to_out();
    p.left = place<T>(left);
    p.right = place<T>(right);
    attention(p, at(0), nullptr);
    attention_backward(p, place<T>(grad_alpha), at(0), place<T>(grad_logits), at(1), at(2), nullptr);
    return results;
  };
  expect_results<T>(in_any_order(run), expected);
}

TYPED_TEST(EdgeKernel, GatedMeansEqualTheCpu) {
  using T = TypeParam;
  const std::int64_t nodes = 45, edges = 400, width = 11;
  for (const int types : {1, 3}) {
    const at::Tensor x = this->values({nodes, width}), right = this->values({nodes, width}),
                     grad_out = this->values({nodes, width}),
                     left = types > 1 ? this->values({nodes, types, width}) : this->values({nodes, width});
    at::Tensor edge_types, out_types;
    if (types > 1) {
      edge_types = at::zeros({edges}, at::TensorOptions().dtype(at::kInt));
      for (std::int64_t e = 0; e < edges; ++e) {
        place<std::int32_t>(edge_types)[e] = static_cast<std::int32_t>(this->random_.below(types));
      }
    }
    const at::Tensor wide = exact(x), wide_left = exact(left), wide_right = exact(right);
    const at::Tensor out = gated_aggregate(this->edges_, wide, wide_left, wide_right, edge_types);
    std::vector<at::Tensor> expected = gradients_of({out}, {grad_out}, {wide, wide_left, wide_right});
    expected.insert(expected.begin(), out);
    const auto run = [&] {
      Results results{{"out", unwritten<T>(out.sizes())},
                      {"grad x", unwritten<T>(x.sizes())},
                      {"grad left", unwritten<T>(left.sizes())},
                      {"grad right", unwritten<T>(right.sizes())}};
      const auto at = [&](int i) { return place<T>(results[i].values); };
      const at::Tensor inverse_sum = unwritten<T>(out.sizes()), grad_mean = unwritten<T>(out.sizes());
      GatedPass<T> p;
      p.rows = nodes;
      p.width = width;
      p.types = types;
      p.eps = static_cast<T>(kGateSumEps);
      p.in_offsets = this->in_offsets();
      p.in_sources = this->in_sources();
      p.out_offsets = this->out_offsets();
      p.out_targets = this->out_targets();
      if (types > 1) {
        out_types = at::empty({edges}, edge_types.options());
        permute_to_out(place<std::int32_t>(edge_types), this->in_to_out(), edges, 1, place<std::int32_t>(out_types),
                       nullptr);
        p.in_types = place<std::int32_t>(edge_types);
        p.out_types = place<std::int32_t>(out_types);
      }
      p.x = place<T>(x);
      p.left = place<T>(left);
      p.right = place<T>(right);
      gated_means(p, at(0), place<T>(inverse_sum), nullptr);
      gated_means_backward(p, place<T>(grad_out), at(0), place<T>(inverse_sum), place<T>(grad_mean), at(1), at(2),
                           at(3), nullptr);
      return results;
    };
    expect_results<T>(in_any_order(run), expected);
  }
}

TYPED_TEST(EdgeKernel, CapsuleRoutingEqualsTheCpu) {
  using T = TypeParam;
  const std::int64_t nodes = 14, edges = 60;
  this->edges_ = random_edges(nodes, edges, this->random_);
  for (const auto& [capsules, width] : {std::pair{4, 9}, std::pair{34, 3}, std::pair{1, 40}}) {
    for (const bool unit : {true, false}) {
      SCOPED_TRACE(std::to_string(capsules) + " capsules of " + std::to_string(width));
      const at::Tensor x = this->values({nodes, capsules, width}), u = this->values({nodes, capsules, width}),
                       grad_next = this->values({nodes, capsules, width}), wide = exact(x), wide_u = exact(u);
      const at::Tensor next =
          capsule_route(this->edges_, wide, wide_u, unit ? CapsuleLength::kUnit : CapsuleLength::kKept);
      std::vector<at::Tensor> expected = gradients_of({next}, {grad_next}, {wide, wide_u});
      expected.insert(expected.begin(), {next, capsule_shares(this->edges_, wide, wide_u)});
      const auto run = [&, capsules = capsules, width = width] {
        Results results{{"next", unwritten<T>(x.sizes())},
                        {"shares", unwritten<T>({edges, capsules})},
                        {"grad x", unwritten<T>(x.sizes())},
                        {"grad u", unwritten<T>(x.sizes())}};
        const auto at = [&](int i) { return place<T>(results[i].values); };
        const at::Tensor inverse = unwritten<T>({nodes, capsules}), shares = unwritten<T>({edges, capsules}),
                         grad_logits = unwritten<T>({edges, capsules}), grad_sum = unwritten<T>(x.sizes());
        RoutePass<T> p;
        p.rows = nodes;
        p.capsules = capsules;
        p.width = width;
        p.unit = unit;
        p.eps = static_cast<T>(kCapsuleEps);
        p.in_offsets = this->in_offsets();
        p.in_sources = this->in_sources();
        p.out_offsets = this->out_offsets();
        p.out_targets = this->out_targets();
        p.in_to_out = this->in_to_out();
        p.x = place<T>(x);
        p.u = place<T>(u);
        route(p, at(0), place<T>(inverse), nullptr);
        route_shares(p, at(1), nullptr);
        RouteGradients<T> g;
        g.grad_next = place<T>(grad_next);
        g.next = at(0);
        g.inverse_length = place<T>(inverse);
        g.shares = place<T>(shares);
        g.grad_logits = place<T>(grad_logits);
        g.grad_sum = place<T>(grad_sum);
        g.grad_x = at(2);
        g.grad_u = at(3);
        route_backward(p, g, nullptr);
        return results;
      };
      expect_results<T>(in_any_order(run), expected);
    }
  }
}

}  // namespace
}  // namespace factorgcn::cuda
