// DisentangleLayer and Discriminator against a dense float64 twin, in value and in every parameter's gradient.
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/nn/discriminator.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "nn/dense_twin.h"
#include "ops/oracle.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

GraphBatch random_batch(std::int64_t features, RandomStream& random) {
  std::vector<Graph> graphs(3);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    graphs[g].num_nodes = 4 + static_cast<std::int64_t>(g) * 3;
    for (int e = 0; e < 12; ++e) {
      graphs[g].source.push_back(static_cast<std::int32_t>(random.below(graphs[g].num_nodes)));
      graphs[g].target.push_back(static_cast<std::int32_t>(random.below(graphs[g].num_nodes)));
    }
    graphs[g].features = random_tensor({graphs[g].num_nodes, features}, random, at::kFloat);
  }
  return make_batch(graphs);
}

void expect_equal_gradients(const torch::nn::Module& module, const at::Tensor& actual, const at::Tensor& expected) {
  EXPECT_LT(difference(actual, expected), 1e-12);
  const auto parameters = module.parameters();
  const auto ours = torch::autograd::grad({actual}, parameters, {}, true, false, true);
  const auto twins = torch::autograd::grad({expected}, parameters, {}, true, false, true);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    ASSERT_EQ(ours[i].defined(), twins[i].defined()) << module.named_parameters().keys()[i];
    if (ours[i].defined()) {
      EXPECT_LT(difference(ours[i], twins[i]), 1e-11) << module.named_parameters().keys()[i];
    }
  }
}

TEST(DisentangleLayer, EqualsItsDenseTwin) {
  RandomStream random(1, "test");
  const GraphBatch batch = random_batch(5, random);
  const at::Tensor x = batch.features.to(at::kDouble);
  for (const EdgeNorm norm : {EdgeNorm::kNone, EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
    for (const double gate_scale : {1.0, 6.0}) {
      DisentangleLayer layer(DisentangleLayerOptions{5, 12, 3, gate_scale}, random);
      layer->to(at::kDouble);
      const auto weights = node_weights(batch.edges, norm, at::kDouble);
      const DisentangleOutput output = layer->forward(batch.edges, x, weights);
      const testing::LayerTwin twin(*layer, batch.edges, x, norm, 3, gate_scale);
      EXPECT_EQ(output.out.sizes(), (std::vector<std::int64_t>{batch.num_nodes(), 3, 4}));
      const at::Tensor direction = random_tensor(twin.out.sizes(), random);
      expect_equal_gradients(*layer, (output.out.flatten(1) * direction).sum(), (twin.out * direction).sum());
      EXPECT_LT(difference(layer->coefficients(batch.edges, output),
                           oracle::factor_gates(batch.edges, output.left, output.right, gate_scale)),
                1e-13);
    }
  }
}

TEST(DisentangleLayer, WidthThatDoesNotDivideIsRefused) {
  RandomStream random(2, "test");
  EXPECT_EQ(usage_error_text([&] {
              DisentangleLayer(DisentangleLayerOptions{5, 10, 4}, random);
            }),
            "disentangle layer: output width 10 does not divide by 4 factors; choose a multiple of 4");
  EXPECT_EQ(usage_error_text([&] {
              DisentangleLayer(DisentangleLayerOptions{0, 8, 4}, random);
            }),
            "disentangle layer: input width is 0; it must be at least 1");
  DisentangleLayer layer(DisentangleLayerOptions{5, 8, 4}, random);
  const GraphBatch batch = random_batch(3, random);
  EXPECT_EQ(error_text([&] { layer->forward(batch.edges, batch.features, {}); }),
            "disentangle layer: input has shape [21, 3], expected [21, 5]");
}

TEST(DisentangleLayer, ParameterCountIsTheFormulas) {
  RandomStream random(3, "test");
  DisentangleLayer layer(DisentangleLayerOptions{36, 144, 8}, random);
  std::int64_t count = 0;
  for (const auto& parameter : layer->parameters()) {
    count += parameter.numel();
  }
  EXPECT_EQ(count, 36 * 18 + 18 + 2 * (18 * 8 + 8));
}

/// The algebra of the first convolution: both ways of computing it equal the plain formula, and so do their
/// gradients.
TEST(Discriminator, EveryWayEqualsTheDenseTwin) {
  using FirstPass = DiscriminatorOptions::FirstPass;
  RandomStream random(4, "test");
  const GraphBatch batch = random_batch(5, random);
  const at::Tensor x = batch.features.to(at::kDouble);
  for (const int depth : {2, 3}) {
    for (const FirstPass pass : {FirstPass::kDirect, FirstPass::kFromOutput, FirstPass::kCheapest}) {
      for (const EdgeNorm norm : {EdgeNorm::kSource, EdgeNorm::kSymmetric}) {
        struct Both : torch::nn::Module {
          DisentangleLayer layer{nullptr};
          Discriminator judge{nullptr};
        } both;
        both.layer = both.register_module("layer", DisentangleLayer(DisentangleLayerOptions{5, 18, 3, 6.0}, random));
        both.judge = both.register_module("judge", Discriminator(DiscriminatorOptions{6, 3, 6.0, depth, pass}, random));
        both.to(at::kDouble);
        const auto weights = node_weights(batch.edges, norm, at::kDouble);
        const LinearMap* companion = both.judge->companion(batch);
        const bool direct = pass == FirstPass::kDirect || (pass == FirstPass::kCheapest && 18 > 6 + 3 * 36 / 21.0);
        EXPECT_EQ(companion != nullptr, direct);
        const DisentangleOutput output = both.layer->forward(batch.edges, x, weights, companion);
        const testing::LayerTwin twin(*both.layer, batch.edges, x, norm, 3, 6.0);
        expect_equal_gradients(both, both.judge->loss(batch, output, weights),
                               testing::discriminator_loss(*both.judge, twin, batch.graph_offsets, depth));
      }
    }
  }
}

TEST(Discriminator, ScoresHaveOneRowPerGraphAndFactor) {
  RandomStream random(5, "test");
  const GraphBatch batch = random_batch(5, random);
  DisentangleLayer layer(DisentangleLayerOptions{5, 18, 3, 6.0}, random);
  Discriminator judge(DiscriminatorOptions{6, 3}, random);
  const auto weights = node_weights(batch.edges, EdgeNorm::kSource);
  EXPECT_EQ(judge->forward(batch, layer->forward(batch.edges, batch.features, weights), weights).sizes(),
            (std::vector<std::int64_t>{3, 3, 3}));
}

TEST(Discriminator, BadOptionsAreRefused) {
  RandomStream random(6, "test");
  EXPECT_EQ(usage_error_text([&] {
              Discriminator(DiscriminatorOptions{6, 3, 6.0, 4}, random);
            }),
            "discriminator: depth is 4; choose 2 (published) or 3 (the paper's text)");
  EXPECT_EQ(usage_error_text([&] {
              Discriminator(DiscriminatorOptions{0, 3}, random);
            }),
            "discriminator: width 0 and 3 factors; both must be at least 1");
}

}  // namespace
}  // namespace factorgcn
