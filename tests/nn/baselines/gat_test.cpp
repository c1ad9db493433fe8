// GAT against dense attention matrices, and its heads as factor graphs.
#include "nn/baselines/gat_twin.h"

namespace factorgcn {
namespace {

at::Tensor gat_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                          const at::Tensor& x, ModelOutput& /*output*/) {
  return testing::GatTwin(weights, layer, batch, x, 2).out + weights(layer + "_bias");
}

TEST(Gat, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.activation = "elu";
  shape.readout = "mean_tanh";
  shape.residual = true;
  shape.layers = 3;
  testing::expect_equal_twin("gat", {{"heads", std::int64_t{2}}}, shape, gat_layer_twin);
  shape.batch_norm = shape.size_norm = true;
  shape.readout = "layer_sum";
  testing::expect_equal_twin("gat", {{"heads", std::int64_t{2}}}, shape, gat_layer_twin);
}

TEST(Gat, HeadsAreFactorGraphs) {
  RandomStream random(2, "test");
  const GraphBatch batch = testing::twin_batch(false, random);
  const auto model =
      make_model("gat", testing::twin_input(Task::kMultiLabel, false),
                 {{"heads", std::int64_t{2}}, {"hidden", std::int64_t{8}}, {"layers", std::int64_t{2}}}, 0);
  model->to(at::kDouble);
  ASSERT_EQ(model->num_factor_layers(), 2);
  const at::Tensor alpha = model->factor_coefficients(batch, 0);
  const testing::GatTwin twin({*model}, "layer1", batch, batch.features, 2);
  EXPECT_EQ(alpha.sizes(), (std::vector<std::int64_t>{batch.num_edges(), 2}));
  EXPECT_LT(testing::difference(alpha, twin.on_edges(batch)), 1e-12);
  EXPECT_EQ(error_text([&] { model->factor_coefficients(batch, 2); }), "gat: layer 3 asked for, but there are 2");
}

TEST(Gat, WidthThatDoesNotDivideIsRefused) {
  EXPECT_EQ(usage_error_text([&] {
              make_model("gat", testing::twin_input(Task::kMultiLabel, false), {{"hidden", std::int64_t{30}}}, 0);
            }),
            "gat: hidden width 30 does not divide by 8 heads; choose a multiple of 8");
}

}  // namespace
}  // namespace factorgcn
