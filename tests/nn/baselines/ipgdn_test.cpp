// IPGDN: DisenGCN's twin, and HSIC from N x N kernel matrices.
#include <ATen/ops/eye.h>

#include "nn/baselines/disengcn_twin.h"

namespace factorgcn {
namespace {

at::Tensor ipgdn_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                            const at::Tensor& x, ModelOutput& /*output*/) {
  return testing::RoutingTwin(weights, layer, batch, x, 4, 2).out;
}

/// tr(K R L R) / (n - 1)^2 with inner-product kernels, for all pairs of 4 capsules.
at::Tensor hsic_twin(const at::Tensor& last) {
  const std::int64_t rows = last.size(0), width = last.size(1) / 4;
  const at::Tensor centring = at::eye(rows, last.options()) - 1.0 / static_cast<double>(rows);
  const auto kernel = [&](std::int64_t k) {
    const at::Tensor block = last.slice(1, k * width, (k + 1) * width);
    return block.matmul(block.t());
  };
  at::Tensor total = at::zeros({}, last.options());
  for (std::int64_t k = 0; k < 4; ++k) {
    for (std::int64_t l = k + 1; l < 4; ++l) {
      total = total + kernel(k).matmul(centring).matmul(kernel(l)).matmul(centring).trace();
    }
  }
  return total / static_cast<double>((rows - 1) * (rows - 1));
}

TEST(Ipgdn, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.readout = "node_mlp";
  shape.batch_norm = true;
  testing::expect_equal_twin("ipgdn", {{"capsules", std::int64_t{4}}, {"rounds", std::int64_t{2}}}, shape,
                             ipgdn_layer_twin, hsic_twin);
}

}  // namespace
}  // namespace factorgcn
