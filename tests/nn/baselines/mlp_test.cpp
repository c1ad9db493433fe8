// MLP against its twin, and every readout and what stands around a layer on the way.
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

at::Tensor mlp_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& /*batch*/,
                          const at::Tensor& x, ModelOutput& /*output*/) {
  return weights.linear(x, layer);
}

TEST(Mlp, EqualsItsTwinInEveryShape) {
  for (const char* readout : {"mean_tanh", "mean_relu", "mean_mlp", "node_mlp", "node_linear", "layer_sum"}) {
    SCOPED_TRACE(readout);
    testing::TwinShape shape;
    shape.readout = readout;
    shape.layers = 3;
    testing::expect_equal_twin("mlp", {}, shape, mlp_layer_twin);
    shape.batch_norm = shape.size_norm = shape.residual = true;
    shape.embedding = 0;
    for (const char* activation : {"none", "relu", "leaky_relu", "tanh", "elu"}) {
      shape.activation = activation;
      testing::expect_equal_twin("mlp", {}, shape, mlp_layer_twin);
    }
  }
}

TEST(Mlp, DropoutActsOnlyWhileTraining) {
  RandomStream random(2, "test");
  const auto model = make_model("mlp", testing::twin_input(Task::kGraphClass, true),
                                {{"readout", std::string("layer_sum")}, {"dropout", 0.5}}, 0);
  const GraphBatch batch = testing::twin_batch(true, random);
  EXPECT_FALSE(model->forward(batch).prediction.equal(model->forward(batch).prediction));
  model->eval();
  EXPECT_TRUE(model->forward(batch).prediction.equal(model->forward(batch).prediction));
  model->keep_dropout(true);
  EXPECT_FALSE(model->forward(batch).prediction.equal(model->forward(batch).prediction));
}

TEST(Mlp, WrongSettingsAndInputsAreNamed) {
  const ModelInput input = testing::twin_input(Task::kRegression, false);
  EXPECT_EQ(usage_error_text([&] {
              make_model("mlp", input, {{"readout", std::string("node_mlp")}}, 0);
            }),
            "model mlp: readout node_mlp does not fit a task of kind regression");
  EXPECT_EQ(usage_error_text([&] {
              make_model("mlp", input, {{"activation", std::string("gelu")}}, 0);
            }),
            "model mlp: activation is \"gelu\": choose one of none, relu, leaky_relu, tanh, elu");
  EXPECT_NE(usage_error_text([&] {
              make_model("mlp", input, {{"heads", std::int64_t{8}}}, 0);
            }).find("heads"),
            std::string::npos);
  RandomStream random(3, "test");
  const auto model = make_model("mlp", input, {}, 0);
  EXPECT_NE(error_text([&] { model->forward(testing::twin_batch(true, random)); }).find("expected 6 columns"),
            std::string::npos);
  EXPECT_EQ(model->num_factor_layers(), 0);
}

}  // namespace
}  // namespace factorgcn
