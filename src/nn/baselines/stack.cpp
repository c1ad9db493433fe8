// The stack of convolutions that the compared networks are.
#include "nn/baselines/stack.h"

#include <ATen/TensorOperators.h>

#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"
#include "nn/shell_in_parts.h"
#include "nn/shell_settings.h"

namespace factorgcn::baselines {

void read_stack(SettingsReader& reader, const ModelInput& input, StackOptions& options) {
  read_shell(reader, input, options.name, options);
  options.edge_types = input.edge_types;
  options.layers = reader.integer("layers", options.layers, 1, 64, "how many layers");
  options.residual =
      reader.boolean("residual", options.residual, "a layer's input is added to its end where both are as wide");
}

void StackPass::add_regulariser(const at::Tensor& loss) {
  regulariser = regulariser.defined() ? regulariser + loss : loss;
}

NodeWeights StackPass::degree_weights(EdgeNorm norm, const at::Tensor& edge_weights, at::ScalarType type) const {
  return piece == nullptr ? weights_with_edges(batch.edges, norm, edge_weights, type) : piece_weights(*piece, norm);
}

StackModel::StackModel(const StackOptions& options, std::uint64_t seed)
    : NetworkShell(options.name, options, options.layers, seed), options_(options) {
  make_head();
}

at::Tensor StackModel::convolve(std::size_t layer, const at::Tensor& x, StackPass& pass) {
  at::Tensor y = gather(layer, map_nodes(layer, x, pass), pass);
  if (const BatchNormState* const norm = inner_norm(layer)) {
    y = batch_norm(y, *norm, is_training(), Activation::kRelu, 0, {}, pass.batch.real_nodes());
  }
  return finish_layer(layer, y);
}

at::Tensor StackModel::with_residual(const at::Tensor& x, const at::Tensor& y) const {
  return options_.residual && x.size(1) == y.size(1) ? y + dense_features(x) : y;
}

at::Tensor StackModel::block(std::size_t layer, const at::Tensor& x, const at::Tensor& row_scale, StackPass& pass) {
  const at::Tensor y = finish_block(layer, convolve(layer, x, pass), row_scale, pass.batch);
  return drop_out(with_residual(x, y));
}

ModelOutput StackModel::forward(const GraphBatch& batch, bool with_regulariser) {
  StackPass pass{batch, with_regulariser};
  std::vector<at::Tensor> levels{input_features(batch)};
  const at::Tensor row_scale = row_scale_of(batch, levels[0].scalar_type());
  prepare(pass);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    levels.push_back(block(layer, levels.back(), row_scale, pass));
  }
  if (with_regulariser) {
    judge(levels.back(), pass);
  }
  if (!reads_every_level()) {
    levels.erase(levels.begin(), levels.end() - 1);
  }
  for (at::Tensor& level : levels) {
    level = pool(batch, dense_features(level));
  }
  return {read_out(levels), pass.regulariser};
}

at::Tensor StackModel::input_of(std::size_t layer, StackPass& pass) {
  at::Tensor x = input_features(pass.batch);
  const at::Tensor row_scale = row_scale_of(pass.batch, x.scalar_type());
  prepare(pass);
  for (std::size_t index = 0; index < layer; ++index) {
    x = block(index, x, row_scale, pass);
  }
  return x;
}

at::Tensor StackModel::hidden_features(const GraphBatch& batch) {
  const at::NoGradGuard no_gradient;
  StackPass pass{batch};
  return input_of(1, pass);
}

at::Tensor StackModel::coefficients(std::size_t /*layer*/, const at::Tensor& /*x*/, StackPass& pass) {
  return GraphModel::factor_coefficients(pass.batch, 0);
}

at::Tensor StackModel::factor_coefficients(const GraphBatch& batch, int layer) {
  if (num_factor_layers() == 0) {
    return GraphModel::factor_coefficients(batch, layer);
  }
  require(layer >= 0 && layer < num_factor_layers(), options_.name, ": layer ", layer + 1, " asked for, but there are ",
          num_factor_layers());
  const at::NoGradGuard no_gradient;
  StackPass pass{batch};
  const at::Tensor x = input_of(static_cast<std::size_t>(layer), pass);
  return coefficients(static_cast<std::size_t>(layer), x, pass);
}

}  // namespace factorgcn::baselines
