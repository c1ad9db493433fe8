// GraphSAGE against one product with the node and the mean of its neighbours side by side.
#include <ATen/ops/cat.h>

#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

at::Tensor graphsage_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                                const at::Tensor& x, ModelOutput& /*output*/) {
  const at::Tensor counts = testing::edge_counts(batch.edges);
  const at::Tensor mean = counts.matmul(x) / counts.sum(1, true).clamp_min(1);
  const at::Tensor both = at::cat({weights(layer + "_self_weight"), weights(layer + "_neighbours_weight")}, 1);
  return at::linear(at::cat({x, mean}, 1), both, weights(layer + "_self_bias"));
}

TEST(GraphSage, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.readout = "layer_sum";
  testing::expect_equal_twin("graphsage", {}, shape, graphsage_layer_twin);
  shape.readout = "node_mlp";
  shape.batch_norm = shape.residual = true;
  testing::expect_equal_twin("graphsage", {}, shape, graphsage_layer_twin);
}

}  // namespace
}  // namespace factorgcn
