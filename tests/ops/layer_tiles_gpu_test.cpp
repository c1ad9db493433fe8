// layer_in_tiles and layer_in_rows on the GPU against the composed operations on the CPU in float64: values, gradients,
// the same bits twice.
#include "factorgcn/ops/layer_tiles.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <torch/csrc/autograd/autograd.h>

#include "factorgcn/ops/late_losses.h"
#include "ops/composed_layer.h"
#include "ops/gpu_fixture.h"
#include "ops/layer_tiles_schema.h"

namespace factorgcn {
namespace {

using testing::gpu;
using testing::random_tensor;
using testing::Tensors;

class LayerTilesOnGpu : public testing::OnGpu {};
class LayerRowsOnGpu : public testing::OnGpu {};

GraphBatch batch_of(const std::vector<std::int64_t>& sizes, std::int64_t degree, RandomStream& random) {
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> source, target;
  for (const std::int64_t size : sizes) {
    for (std::int64_t e = 0; e < size * degree; ++e) {
      source.push_back(static_cast<std::int32_t>(offsets.back() + static_cast<std::int64_t>(random.below(size))));
      target.push_back(static_cast<std::int32_t>(offsets.back() + static_cast<std::int64_t>(random.below(size))));
    }
    offsets.push_back(offsets.back() + size);
  }
  GraphBatch batch;
  batch.edges = build_adjacency(offsets.back(), source, target);
  batch.graph_offsets = at::tensor(offsets, at::kLong);
  batch.features = random_tensor({offsets.back(), 1}, random, at::kFloat);
  return batch;
}

void compare(const GraphBatch& batch, std::int64_t in, std::int64_t width, std::int64_t factors, bool judged,
             EdgeNorm norm, RandomStream& random, bool rows = false) {
  SCOPED_TRACE(::testing::Message() << in << " -> " << factors << " x " << width << (judged ? ", judged" : ""));
  const GraphBatch there = move_batch(batch, gpu());
  const std::int64_t nodes = batch.num_nodes(), narrow = std::max<std::int64_t>(width / 2, 1);
  const double in_scale = 1 / std::sqrt(double(in)), width_scale = 1 / std::sqrt(double(width));
  const auto values = [&](at::IntArrayRef shape, double scale = 1) {
    return random_tensor(shape, random, at::kDouble, scale);
  };
  testing::expect_same_on_gpu(
      {values({nodes, in}), values({width, in}, in_scale), values({width}),
       values({2 * factors, width}, 0.1 * width_scale), values({2 * factors}, 0.1),
       values({narrow, width}, width_scale), values({narrow}), values({width, narrow}, width_scale), values({width}),
       values({factors, width}, width_scale), values({factors}), values({nodes, factors, width})},
      [&](const Tensors& t, at::Device device) {
        const GraphBatch& graphs = device.is_cpu() ? batch : there;
        const at::ScalarType type = t[0].scalar_type();
        const NodeWeights weights =
            rows ? layer_weights(graphs.edges, norm, type, 3)[2] : node_weights(graphs.edges, norm, type);
        const LayerWeights layer{t[1], t[2], t[3], t[4]};
        const DiscriminatorWeights judge{t[5], t[6], t[7], t[8], t[9], t[10]};
        const auto* judging = judged ? &judge : nullptr;
        const auto run = rows ? layer_in_rows : layer_in_tiles;
        const LayerStep step = device.is_cpu() ? testing::composed_layer(graphs, t[0], layer, judging, weights, 6.0)
                                               : run(graphs, t[0], layer, judging, weights, 6.0, rows);
        if (rows && judged && !device.is_cpu()) {
          wait_for_judges(step.loss);
        }
        at::Tensor total = (step.out * t[11]).sum();
        Tensors wanted(t.begin(), t.begin() + (judged ? 11 : 5)), results{step.out};
        if (judged) {
          total = total + 30 * step.loss;
          results.push_back(step.loss);
        }
        for (const at::Tensor& gradient : torch::autograd::grad({total}, wanted)) {
          results.push_back(gradient);
        }
        return results;
      },
      1e-5);
}

TEST_F(LayerTilesOnGpu, EqualsTheCompositionForEveryWidth) {
  RandomStream random(1, "test");
  const GraphBatch batch = batch_of({5, 1, 0, 23, 12, 7, 30, 2, 16, 17}, 3, random);
  for (const auto& [width, factors] : {std::pair{18, 8}, {36, 4}, {72, 2}, {1, 1}, {7, 3}, {16, 1}}) {
    for (const std::int64_t in : {1, 15, 144}) {
      compare(batch, in, width, factors, true, EdgeNorm::kSource, random);
    }
  }
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSymmetric}) {
    compare(batch, 9, 8, 4, true, norm, random);
    compare(batch, 9, 8, 4, false, norm, random);
  }
}

TEST_F(LayerRowsOnGpu, EqualsTheCompositionForEveryWidth) {
  RandomStream random(1, "test");
  const GraphBatch batch = batch_of({5, 1, 0, 23, 12, 7, 30, 2, 16, 17}, 3, random);
  for (const auto& [width, factors] : {std::pair{18, 8}, {36, 4}, {72, 2}, {1, 1}, {7, 3}, {16, 1}}) {
    for (const std::int64_t in : {1, 15, 144}) {
      compare(batch, in, width, factors, true, EdgeNorm::kSource, random, true);
    }
  }
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSymmetric}) {
    compare(batch, 9, 8, 4, true, norm, random, true);
    compare(batch, 9, 8, 4, false, norm, random, true);
  }
}

TEST_F(LayerRowsOnGpu, TakesManyGraphs) {
  RandomStream random(2, "test");
  compare(batch_of(std::vector<std::int64_t>(900, 6), 2, random), 24, 6, 4, true, EdgeNorm::kSource, random, true);
}

/// Enough edges for hubs to be looked for, rows that several threads share, and one hub each way.
TEST_F(LayerRowsOnGpu, CutsHubs) {
  RandomStream random(3, "test");
  GraphBatch batch;
  std::vector<std::int32_t> source, target;
  constexpr std::int64_t kNodes = 3000, kEdges = 70'000;
  for (std::int64_t e = 0; e < kEdges; ++e) {
    source.push_back(e % 5 == 1 ? 2999 : static_cast<std::int32_t>(random.below(kNodes)));
    target.push_back(e % 4 == 0 ? 17 : static_cast<std::int32_t>(random.below(kNodes)));
  }
  batch.edges = build_adjacency(kNodes, source, target);
  batch.graph_offsets = at::tensor({std::int64_t{0}, kNodes}, at::kLong);
  batch.features = random_tensor({kNodes, 1}, random, at::kFloat);
  for (const auto& [width, factors] : {std::pair{8, 8}, {16, 4}, {5, 3}}) {
    compare(batch, 12, width, factors, true, EdgeNorm::kSource, random, true);
  }
}

TEST_F(LayerTilesOnGpu, TakesMoreGraphsThanBlocks) {
  RandomStream random(2, "test");
  compare(batch_of(std::vector<std::int64_t>(900, 6), 2, random), 24, 6, 4, true, EdgeNorm::kSource, random);
}

TEST_F(LayerTilesOnGpu, TakesGraphsTooLargeForSharedMemory) {
  RandomStream random(3, "test");
  std::vector<std::int64_t> sizes(40, 5);
  sizes[7] = 700;
  sizes[39] = 90;
  compare(batch_of(sizes, 3, random), 20, 18, 4, true, EdgeNorm::kSource, random);
}

TEST_F(LayerTilesOnGpu, PaddingDoesNotCountForTheLoss) {
  RandomStream random(4, "test");
  const std::vector<std::int64_t> real(33, 6);
  std::vector<std::int64_t> padded = real;
  padded.insert(padded.end(), {9, 0, 4});
  RandomStream same(5, "test"), again(5, "test");
  const GraphBatch small = move_batch(batch_of(real, 2, same), gpu()),
                   large = move_batch(batch_of(padded, 2, again), gpu());
  const auto values = [&](at::IntArrayRef shape) { return random_tensor(shape, random, at::kFloat, 0.3).to(gpu()); };
  const at::Tensor x = values({large.num_nodes(), 7});
  const Tensors weights{values({8, 7}), values({8}),    values({6, 8}), values({6}),    values({4, 8}),
                        values({4}),    values({8, 4}), values({8}),    values({3, 8}), values({3})};
  const auto run = [&](const GraphBatch& batch, const OptionalTensor& real_graphs) {
    Tensors leaves{x.narrow(0, 0, batch.num_nodes()).clone()};
    for (const at::Tensor& weight : weights) {
      leaves.push_back(weight.clone());
    }
    for (at::Tensor& leaf : leaves) {
      leaf.requires_grad_();
    }
    static const auto operation = find_operation<LayerTilesSignature>("factorgcn::layer_in_tiles");
    const Adjacency& edges = batch.edges;
    const at::Tensor loss = std::get<1>(operation.call(
        leaves[0], leaves[1], leaves[2], leaves[3], leaves[4], leaves[5], leaves[6], leaves[7], leaves[8], leaves[9],
        leaves[10], OptionalTensor(), OptionalTensor(), edges.in_offsets, edges.in_sources, edges.out_offsets,
        edges.out_targets, batch.graph_offsets, real_graphs, OptionalTensor(), OptionalTensor(), 0, 6.0, false));
    Tensors results{loss};
    for (const at::Tensor& gradient : torch::autograd::grad({loss}, leaves)) {
      results.push_back(gradient.to(at::kCPU));
    }
    results[1] = results[1].narrow(0, 0, small.num_nodes());
    return results;
  };
  const Tensors expected = run(small, {}), actual = run(large, at::tensor({33}, at::kLong).to(gpu()));
  EXPECT_NEAR(actual[0].item<double>(), expected[0].item<double>(), 1e-6);
  for (std::size_t i = 1; i < expected.size(); ++i) {
    EXPECT_LT(testing::difference(actual[i], expected[i]), 1e-5) << "gradient " << i;
  }
}

}  // namespace
}  // namespace factorgcn
