// DisenGCN against dense routing, and its shares as factor graphs.
#include "nn/baselines/disengcn_twin.h"

namespace factorgcn {
namespace {

const Settings kSettings{{"capsules", std::int64_t{2}}, {"rounds", std::int64_t{3}}};

at::Tensor disengcn_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                               const at::Tensor& x, ModelOutput& /*output*/) {
  return testing::RoutingTwin(weights, layer, batch, x, 2, 3).out;
}

TEST(DisenGcn, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.readout = "mean_tanh";
  testing::expect_equal_twin("disengcn", kSettings, shape, disengcn_layer_twin);
  shape.readout = "node_mlp";
  shape.batch_norm = shape.size_norm = true;
  testing::expect_equal_twin("disengcn", kSettings, shape, disengcn_layer_twin);
}

TEST(DisenGcn, KeepsTheLengthOfItsLastRound) {
  Settings settings = kSettings;
  settings["keep_length"] = true;
  const auto twin = [](const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                       const at::Tensor& x, ModelOutput& /*output*/) {
    return testing::RoutingTwin(weights, layer, batch, x, 2, 3, true).out;
  };
  testing::TwinShape shape;
  shape.readout = "node_mlp";
  testing::expect_equal_twin("disengcn", settings, shape, twin);
}

TEST(DisenGcn, SharesAreFactorGraphs) {
  RandomStream random(2, "test");
  const GraphBatch batch = testing::twin_batch(false, random);
  Settings settings = kSettings;
  settings["hidden"] = std::int64_t{8};
  const auto model = make_model("disengcn", testing::twin_input(Task::kMultiLabel, false), settings, 0);
  model->to(at::kDouble);
  const at::Tensor shares = model->factor_coefficients(batch, 0);
  const testing::RoutingTwin twin({*model}, "layer1", batch, batch.features, 2, 3);
  ASSERT_EQ(shares.sizes(), (std::vector<std::int64_t>{batch.num_edges(), 2}));
  EXPECT_LT((shares.sum(1) - 1).abs().max().item<double>(), 1e-12);
  const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  for (std::int64_t i = 0; i < batch.num_nodes(); ++i) {
    for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
      const std::int64_t j = batch.edges.in_sources.data_ptr<std::int32_t>()[e];
      EXPECT_LT(testing::difference(shares[e], twin.shares[i][j].detach()), 1e-12);
    }
  }
}

TEST(DisenGcn, WidthThatDoesNotDivideIsRefused) {
  EXPECT_EQ(usage_error_text([&] {
              make_model("disengcn", testing::twin_input(Task::kMultiLabel, false), {{"hidden", std::int64_t{30}}}, 0);
            }),
            "disengcn: hidden width 30 does not divide by 4 capsules; choose a multiple of 4");
}

}  // namespace
}  // namespace factorgcn
