// GCN against products with the normalised adjacency matrix.
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

at::Tensor gcn_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                          const at::Tensor& x, ModelOutput& /*output*/) {
  const at::Tensor counts = testing::edge_counts(batch.edges);
  const at::Tensor scale = counts.sum(1).clamp_min(1).pow(-0.5);
  const at::Tensor matrix = counts * scale.unsqueeze(0) * scale.unsqueeze(1);
  return matrix.matmul(x).matmul(weights(layer + "_weight").t()) + weights(layer + "_bias");
}

TEST(Gcn, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.activation = "tanh";
  shape.readout = "mean_tanh";
  shape.layers = 3;
  testing::expect_equal_twin("gcn", {}, shape, gcn_layer_twin);
  shape.activation = "relu";
  shape.readout = "node_mlp";
  shape.batch_norm = shape.size_norm = shape.residual = true;
  testing::expect_equal_twin("gcn", {}, shape, gcn_layer_twin);
}

}  // namespace
}  // namespace factorgcn
