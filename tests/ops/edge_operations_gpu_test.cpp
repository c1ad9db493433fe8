// The operations on edges on the GPU against the CPU in float64.
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/ops/capsule_route.h"
#include "factorgcn/ops/edge_attention.h"
#include "factorgcn/ops/gated_aggregate.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::hub_edges;
using testing::random_edges;
using testing::random_tensor;
using testing::Tensors;

class EdgeOperationsOnGpu : public testing::OnGpu {};

/// `inputs` without the last, which is the result's direction, are differentiated where they are of floating type.
void compare(const Adjacency& edges, const Tensors& inputs,
             const std::function<at::Tensor(const Adjacency&, const Tensors&)>& operation) {
  testing::expect_same_on_gpu(
      inputs,
      [&](const Tensors& in, at::Device device) {
        const Adjacency graph = device.is_cpu() ? edges : testing::on_gpu(edges);
        const at::Tensor result = operation(graph, in);
        Tensors wanted;
        for (std::size_t i = 0; i + 1 < in.size(); ++i) {
          if (in[i].is_floating_point()) {
            wanted.push_back(in[i]);
          }
        }
        Tensors all{result};
        const auto gradients = torch::autograd::grad({(result * in.back()).sum()}, wanted);
        all.insert(all.end(), gradients.begin(), gradients.end());
        return all;
      },
      2e-5);
}

std::vector<Adjacency> graphs(RandomStream& random) {
  return {random_edges(23, 90, random), hub_edges(40, 60), random_edges(2000, 9000, random)};
}

TEST_F(EdgeOperationsOnGpu, WeightedSumsEqualTheCpu) {
  RandomStream random(1, "test");
  for (const Adjacency& edges : graphs(random)) {
    const std::int64_t nodes = edges.num_nodes(), count = edges.num_edges();
    for (const std::int64_t heads : {1, 3, 8}) {
      for (const std::int64_t width : {1, 18, 37}) {
        const auto sum = [](const Adjacency& graph, const Tensors& in) {
          const NodeWeights weights = node_weights(graph, EdgeNorm::kSymmetric, in[0].scalar_type());
          return weighted_aggregate(graph, in[0], in[1], weights);
        };
        const at::Tensor direction = random_tensor({nodes, heads, width}, random);
        compare(edges, {random_tensor({nodes, width}, random), random_tensor({count, heads}, random), direction}, sum);
        compare(edges, {random_tensor({nodes, heads, width}, random), random_tensor({count, heads}, random), direction},
                sum);
      }
    }
    compare(edges, {random_tensor({nodes, 146}, random), random_tensor({nodes, 146}, random)},
            [](const Adjacency& graph, const Tensors& in) { return neighbour_sum(graph, in[0]); });
  }
}

TEST_F(EdgeOperationsOnGpu, AttentionEqualsTheCpu) {
  RandomStream random(2, "test");
  for (const Adjacency& edges : graphs(random)) {
    for (const std::int64_t heads : {1, 8}) {
      const auto table = [&] { return random_tensor({edges.num_nodes(), heads}, random, at::kDouble, 2); };
      compare(edges, {table(), table(), random_tensor({edges.num_edges(), heads}, random)},
              [](const Adjacency& graph, const Tensors& in) { return edge_attention(graph, in[0], in[1]); });
    }
  }
}

TEST_F(EdgeOperationsOnGpu, RoutingEqualsTheCpu) {
  RandomStream random(3, "test");
  for (const Adjacency& edges : graphs(random)) {
    for (const auto& [capsules, width] : {std::pair<std::int64_t, std::int64_t>{4, 8}, {8, 16}, {4, 32}, {3, 37}}) {
      const std::vector<std::int64_t> shape{edges.num_nodes(), capsules, width};
      const auto table = [&] { return random_tensor(shape, random); };
      compare(edges, {table(), table(), table()},
              [](const Adjacency& graph, const Tensors& in) { return capsule_route(graph, in[0], in[1]); });
      compare(edges, {table(), table(), table()}, [](const Adjacency& graph, const Tensors& in) {
        return capsule_route(graph, in[0], in[1], CapsuleLength::kKept);
      });
      testing::expect_same_on_gpu(
          {table(), table()},
          [&](const Tensors& in, at::Device device) {
            return Tensors{capsule_shares(device.is_cpu() ? edges : testing::on_gpu(edges), in[0], in[1])};
          },
          2e-5);
    }
  }
}

TEST_F(EdgeOperationsOnGpu, GatedMeansEqualTheCpu) {
  RandomStream random(4, "test");
  for (const Adjacency& edges : graphs(random)) {
    at::Tensor types = at::empty({edges.num_edges()}, at::kInt);
    for (std::int64_t e = 0; e < edges.num_edges(); ++e) {
      types.data_ptr<std::int32_t>()[e] = static_cast<std::int32_t>(random.below(3));
    }
    for (const std::int64_t width : {1, 70}) {
      const std::int64_t nodes = edges.num_nodes();
      const auto table = [&] { return random_tensor({nodes, width}, random); };
      compare(edges, {table(), table(), table(), table()},
              [](const Adjacency& graph, const Tensors& in) { return gated_aggregate(graph, in[0], in[1], in[2]); });
      compare(
          edges, {table(), random_tensor({nodes, 3, width}, random), table(), types, table()},
          [](const Adjacency& graph, const Tensors& in) { return gated_aggregate(graph, in[0], in[1], in[2], in[3]); });
    }
  }
}

}  // namespace
}  // namespace factorgcn
