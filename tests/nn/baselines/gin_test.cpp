// GIN against sums with the adjacency matrix before its perceptron.
#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

testing::TwinConvolution gin_layer_twin(bool batch_norm) {
  return [batch_norm](const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                      const at::Tensor& x, ModelOutput& /*output*/) {
    const at::Tensor sum = testing::edge_counts(batch.edges).matmul(x) + x * (weights(layer + "_epsilon") + 1);
    at::Tensor y = weights.linear(sum, layer + "_first");
    y = at::relu(batch_norm ? weights.norm(y, layer + "_norm") : y);
    return weights.linear(y, layer + "_second");
  };
}

TEST(Gin, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.readout = "layer_sum";
  testing::expect_equal_twin("gin", {{"epsilon", 0.3}}, shape, gin_layer_twin(false));
  shape.batch_norm = true;
  shape.embedding = 0;
  testing::expect_equal_twin("gin", {{"epsilon", -1.0}}, shape, gin_layer_twin(true));
  shape.readout = "node_mlp";
  shape.residual = shape.size_norm = true;
  testing::expect_equal_twin("gin", {}, shape, gin_layer_twin(true));
}

}  // namespace
}  // namespace factorgcn
