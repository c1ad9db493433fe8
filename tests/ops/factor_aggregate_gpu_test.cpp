// factor_aggregate and its twins on the GPU against the CPU in float64: values, gradients, the same bits twice.
#include "factorgcn/ops/factor_aggregate.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "ops/edge_argument.h"
#include "ops/factor_aggregate_schema.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::hub_edges;
using testing::on_gpu;
using testing::random_edges;
using testing::random_tensor;
using testing::Tensors;

class FactorAggregateOnGpu : public testing::OnGpu {};

enum class PassKind { kShared, kPair, kEach };

/// Inputs: x, [q,] left, right, then one direction per result.
Tensors make_inputs(PassKind kind, std::int64_t nodes, std::int64_t factors, std::int64_t width, RandomStream& random) {
  const std::int64_t narrow = std::max<std::int64_t>(width / 2, 1);
  Tensors inputs{kind == PassKind::kEach ? random_tensor({nodes, factors, width}, random)
                                         : random_tensor({nodes, width}, random)};
  if (kind == PassKind::kPair) {
    inputs.push_back(random_tensor({nodes, narrow}, random));
  }
  inputs.push_back(random_tensor({nodes, factors}, random, at::kDouble, 0.4));
  inputs.push_back(random_tensor({nodes, factors}, random, at::kDouble, 0.4));
  inputs.push_back(random_tensor({nodes, factors, width}, random));
  if (kind == PassKind::kPair) {
    inputs.push_back(random_tensor({nodes, factors, narrow}, random));
  }
  inputs.push_back(random_tensor({nodes, factors}, random));
  return inputs;
}

void compare(PassKind kind, const Adjacency& edges, std::int64_t factors, std::int64_t width, EdgeNorm norm,
             RandomStream& random, bool gate_sum_used = true, double single_tolerance = 3e-6) {
  const Adjacency there = on_gpu(edges);
  testing::expect_same_on_gpu(
      make_inputs(kind, edges.num_nodes(), factors, width, random),
      [&](const Tensors& in, at::Device device) {
        const Adjacency& graph = device.is_cpu() ? edges : there;
        const NodeWeights weights = node_weights(graph, norm, in[0].scalar_type());
        Tensors results, wanted;
        if (kind == PassKind::kShared) {
          const auto r = factor_aggregate(graph, in[0], in[1], in[2], weights, 6.0);
          results = {r.out, r.gate_sum};
          wanted = {in[0], in[1], in[2]};
        } else if (kind == PassKind::kPair) {
          const auto r = factor_aggregate_pair(graph, in[0], in[1], in[2], in[3], weights, 6.0);
          results = {r.out, r.q_out, r.gate_sum};
          wanted = {in[0], in[1], in[2], in[3]};
        } else {
          results = {factor_aggregate_each(graph, in[0], in[1], in[2], weights, 6.0)};
          wanted = {in[0], in[1], in[2]};
        }
        at::Tensor total;
        for (std::size_t r = 0; r < results.size(); ++r) {
          if (r + 1 == results.size() && kind != PassKind::kEach && !gate_sum_used) {
            break;
          }
          const at::Tensor part = (results[r] * in[wanted.size() + r]).sum();
          total = total.defined() ? total + part : part;
        }
        const auto gradients = torch::autograd::grad({total}, wanted);
        results.insert(results.end(), gradients.begin(), gradients.end());
        return results;
      },
      single_tolerance);
}

TEST_F(FactorAggregateOnGpu, EqualsTheCpuForEveryWidthAndFactorCount) {
  RandomStream random(1, "test");
  const Adjacency edges = random_edges(23, 90, random);
  for (const PassKind kind : {PassKind::kShared, PassKind::kPair, PassKind::kEach}) {
    for (const std::int64_t factors : {1, 2, 3, 5, 8}) {
      for (const std::int64_t width : {1, 2, 3, 6, 8, 9, 18, 36, 97}) {
        SCOPED_TRACE(::testing::Message() << "kind " << int(kind) << " factors " << factors << " width " << width);
        compare(kind, edges, factors, width, EdgeNorm::kSymmetric, random);
      }
    }
  }
}

TEST_F(FactorAggregateOnGpu, EqualsTheCpuForEveryNormalisationAndWithoutTheGateSum) {
  RandomStream random(2, "test");
  const Adjacency edges = random_edges(300, 2000, random);
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
    compare(PassKind::kShared, edges, 4, 8, norm, random, false);
    compare(PassKind::kPair, edges, 4, 8, norm, random);
  }
}

TEST_F(FactorAggregateOnGpu, SplitsHubs) {
  // 2 * 49 * 999 edges: more than the kernels take without looking for long rows; node 0 has 48,951 in and out.
  RandomStream random(3, "test");
  const Adjacency edges = hub_edges(1000, 49);
  ASSERT_GT(edges.num_edges(), 1 << 16);
  for (const PassKind kind : {PassKind::kShared, PassKind::kPair, PassKind::kEach}) {
    compare(kind, edges, 4, 8, EdgeNorm::kSource, random, true, 3e-5);
    compare(kind, edges, 3, 9, EdgeNorm::kSymmetric, random, true, 3e-5);
  }
}

TEST_F(FactorAggregateOnGpu, TakesGraphsWithoutEdgesAndWithoutNodes) {
  RandomStream random(4, "test");
  for (const PassKind kind : {PassKind::kShared, PassKind::kPair, PassKind::kEach}) {
    compare(kind, build_adjacency(7, {}, {}), 2, 4, EdgeNorm::kSource, random);
    compare(kind, build_adjacency(0, {}, {}), 2, 4, EdgeNorm::kSource, random);
  }
}

TEST_F(FactorAggregateOnGpu, TheBackwardOperationAloneEqualsTheCpu) {
  // While training its place is taken by a pass that needs the forward pass's slopes.
  RandomStream random(7, "test");
  static const auto backward = find_operation<FactorAggregateBackwardSignature>("factorgcn::factor_aggregate_backward");
  for (const Adjacency& edges : {random_edges(60, 400, random), hub_edges(1000, 40)}) {
    const std::int64_t nodes = edges.num_nodes();
    const Adjacency there = on_gpu(edges);
    testing::expect_same_on_gpu(
        {random_tensor({nodes, 3, 8}, random), random_tensor({nodes, 3, 4}, random), random_tensor({nodes, 3}, random),
         random_tensor({nodes, 8}, random), random_tensor({nodes, 4}, random), random_tensor({nodes, 3}, random),
         random_tensor({nodes, 3}, random)},
        [&](const Tensors& in, at::Device device) {
          const at::NoGradGuard no_gradient;
          const Adjacency& e = device.is_cpu() ? edges : there;
          const NodeWeights weights = node_weights(e, EdgeNorm::kSymmetric, in[0].scalar_type());
          const auto [x, q, left, right] = backward.call(in[0], in[1], in[2], in[3], in[4], in[5], in[6],
                                                         weights.source, weights.target, edge_lists(e), 6.0);
          return Tensors{x, q, left, right};
        },
        3e-5);
  }
}

TEST_F(FactorAggregateOnGpu, GatesEqualTheCpu) {
  RandomStream random(5, "test");
  const Adjacency edges = random_edges(50, 300, random), there = on_gpu(edges);
  testing::expect_same_on_gpu({random_tensor({50, 3}, random), random_tensor({50, 3}, random)},
                              [&](const Tensors& in, at::Device device) {
                                return Tensors{factor_gates(device.is_cpu() ? edges : there, in[0], in[1], 6.0)};
                              });
}

TEST_F(FactorAggregateOnGpu, RefusesMixedDevices) {
  RandomStream random(6, "test");
  const Adjacency edges = random_edges(5, 9, random);
  const at::Tensor h = random_tensor({5, 4}, random).to(testing::gpu());
  const at::Tensor gate = random_tensor({5, 2}, random).to(testing::gpu());
  EXPECT_NE(error_text([&] { factor_aggregate(edges, h, gate, gate, {}, 6.0); }).find("in_offsets is on cpu"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
