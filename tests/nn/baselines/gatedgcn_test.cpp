// GatedGCN and GatedGCN_E against sums written edge by edge.
#include <ATen/ops/sigmoid.h>

#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

testing::TwinConvolution gatedgcn_layer_twin(bool typed) {
  return [typed](const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                 const at::Tensor& x, ModelOutput& /*output*/) {
    const at::Tensor self = weights.linear(x, layer + "_self"), value = weights.linear(x, layer + "_value");
    const at::Tensor target = weights.linear(x, layer + "_target"), source = weights.linear(x, layer + "_source");
    const auto* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
    std::vector<at::Tensor> rows;
    for (std::int64_t i = 0; i < x.size(0); ++i) {
      at::Tensor sum = at::zeros({self.size(1)}, x.options()), gates = sum;
      for (std::int64_t e = offsets[i]; e < offsets[i + 1]; ++e) {
        const std::int64_t j = batch.edges.in_sources.data_ptr<std::int32_t>()[e];
        at::Tensor logit = target[i] + source[j];
        if (typed) {
          logit = logit + weights(layer + "_types")[batch.edge_types.data_ptr<std::int32_t>()[e]];
        }
        sum = sum + at::sigmoid(logit) * value[j];
        gates = gates + at::sigmoid(logit);
      }
      rows.push_back(self[i] + sum / (gates + 1e-6));
    }
    return at::stack(rows);
  };
}

TEST(GatedGcn, EqualsItsTwin) {
  testing::TwinShape shape;
  testing::expect_equal_twin("gatedgcn", {}, shape, gatedgcn_layer_twin(false));
  shape.readout = "node_mlp";
  shape.batch_norm = shape.size_norm = shape.residual = true;
  testing::expect_equal_twin("gatedgcn", {}, shape, gatedgcn_layer_twin(false));
}

TEST(GatedGcnE, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.batch_norm = shape.residual = true;
  testing::expect_equal_twin("gatedgcn_e", {}, shape, gatedgcn_layer_twin(true));
}

TEST(GatedGcnE, NeedsEdgeTypes) {
  ModelInput input = testing::twin_input(Task::kRegression, false);
  input.edge_types = 0;
  EXPECT_EQ(usage_error_text([&] { make_model("gatedgcn_e", input, {}, 0); }),
            "model gatedgcn_e needs edge types, and these data have none; zinc has them");
  EXPECT_NO_THROW(make_model("gatedgcn", input, {}, 0));
  RandomStream random(2, "test");
  GraphBatch batch = testing::twin_batch(false, random);
  batch.features = batch.features.to(at::kFloat);
  batch.edge_types = at::Tensor();
  const auto model = make_model("gatedgcn_e", testing::twin_input(Task::kRegression, false), {}, 0);
  EXPECT_EQ(error_text([&] { model->forward(batch); }), "gatedgcn_e: the batch has no edge types");
}

}  // namespace
}  // namespace factorgcn
