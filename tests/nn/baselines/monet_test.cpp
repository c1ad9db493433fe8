// MoNet against dense matrices of Gaussian weights, one kernel at a time.
#include <ATen/ops/exp.h>

#include "nn/baselines/twin.h"

namespace factorgcn {
namespace {

at::Tensor monet_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                            const at::Tensor& x, ModelOutput& /*output*/) {
  const std::int64_t nodes = x.size(0), width = x.size(1);
  const at::Tensor counts = testing::edge_counts(batch.edges);
  const at::Tensor scale = counts.sum(1).clamp_min(1).pow(-0.5);
  // [i, j]: (deg(i)^-1/2, deg(j)^-1/2)
  const at::Tensor pairs =
      at::stack({scale.unsqueeze(1).expand({nodes, nodes}), scale.unsqueeze(0).expand({nodes, nodes})}, 2);
  const at::Tensor q = at::tanh(weights.linear(pairs, layer + "_projection"));
  at::Tensor y = weights(layer + "_bias");
  for (std::int64_t k = 0; k < 3; ++k) {
    const at::Tensor distance = (q - weights(layer + "_centres")[k]) * weights(layer + "_sharpness")[k];
    const at::Tensor matrix = at::exp(-0.5 * distance.square().sum(2)) * counts;
    const at::Tensor map = weights(layer + "_weight").slice(1, k * width, (k + 1) * width);
    y = y + matrix.matmul(x).matmul(map.t());
  }
  return y;
}

TEST(MoNet, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.readout = "mean_mlp";
  testing::expect_equal_twin("monet", {}, shape, monet_layer_twin);
  shape.readout = "node_mlp";
  shape.batch_norm = shape.size_norm = shape.residual = true;
  testing::expect_equal_twin("monet", {}, shape, monet_layer_twin);
}

}  // namespace
}  // namespace factorgcn
