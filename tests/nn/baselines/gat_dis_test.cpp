// GAT with the discriminator against dense matrices: each head's walk over the graph on its own.
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/tensor.h>

#include "nn/baselines/gat_twin.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kHeads = 2;

at::Tensor gat_dis_layer_twin(const testing::TwinWeights& weights, const std::string& layer, const GraphBatch& batch,
                              const at::Tensor& x, ModelOutput& output) {
  const testing::GatTwin gat(weights, layer, batch, x, kHeads);
  const std::string judge = "discriminator" + layer.substr(5);
  std::vector<at::Tensor> rows;
  std::vector<std::int64_t> labels;
  for (std::int64_t k = 0; k < kHeads; ++k) {
    const at::Tensor& matrix = gat.matrices[static_cast<std::size_t>(k)];
    const at::Tensor p1 = at::tanh(matrix.matmul(weights.linear(gat.hidden, judge + "_first")));
    const at::Tensor p2 = at::tanh(matrix.matmul(weights.linear(p1, judge + "_second")));
    const at::Tensor read = at::tanh(testing::twin_pool(p2, batch.graph_offsets, true));
    rows.push_back(weights.linear(read, judge + "_classifier"));
    labels.insert(labels.end(), static_cast<std::size_t>(batch.num_graphs()), k);
  }
  const at::Tensor loss = at::cross_entropy_loss(at::cat(rows), at::tensor(labels, at::kLong));
  output.regulariser = output.regulariser.defined() ? output.regulariser + loss : loss;
  return gat.out + weights(layer + "_bias");
}

TEST(GatDis, EqualsItsTwin) {
  testing::TwinShape shape;
  shape.activation = "elu";
  shape.readout = "mean_tanh";
  shape.residual = true;
  shape.layers = 2;
  testing::expect_equal_twin("gat_dis", {{"heads", kHeads}}, shape, gat_dis_layer_twin);
}

}  // namespace
}  // namespace factorgcn
