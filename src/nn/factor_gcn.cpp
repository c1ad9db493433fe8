// FactorGcn: its layers and discriminators, and how they are put through each of the ways a layer can run.
#include "factorgcn/nn/factor_gcn.h"

#include <cmath>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/ops/disentangle_stack.h"
#include "factorgcn/ops/late_losses.h"
#include "ops/layer_way.h"

namespace factorgcn {
namespace {

constexpr const char* kFactorGcn = "factorgcn";

/// ", such as 60": the width not below the wanted one that every layer's factors divide; nothing where that is far.
std::string next_width(const FactorGcnOptions& options) {
  constexpr std::int64_t kFar = 65536;
  std::int64_t common = 1;
  for (const std::int64_t factors : options.factors) {
    if (factors < 1 || factors > kFar || common > kFar) {
      return "";
    }
    common = std::lcm(common, factors);
  }
  return common > kFar ? "" : concat(", such as ", (options.hidden + common - 1) / common * common);
}

const FactorGcnOptions& checked(const FactorGcnOptions& options) {
  check_options(options);
  return options;
}

}  // namespace

void check_options(const FactorGcnOptions& options) {
  check_shell(kFactorGcn, options);
  require_usage(!options.factors.empty(), "factorgcn: factors is empty; give the number of factors of each layer");
  for (std::size_t layer = 0; layer < options.factors.size(); ++layer) {
    const std::int64_t factors = options.factors[layer];
    require_usage(factors >= 1 && options.hidden % factors == 0, "factorgcn: hidden width ", options.hidden,
                  " does not divide by the ", factors, " factors of layer ", layer + 1,
                  "; choose hidden as a multiple of each layer's factors", next_width(options));
  }
  require_usage(std::isfinite(options.gate_scale) && options.gate_scale > 0, "factorgcn: gate_scale is ",
                options.gate_scale, "; it must be positive");
  require_usage(options.discriminator_depth == 2 || options.discriminator_depth == 3,
                "factorgcn: discriminator_depth is ", options.discriminator_depth, "; choose 2 or 3");
}

FactorGcn::FactorGcn(const FactorGcnOptions& options, std::uint64_t seed)
    : NetworkShell(kFactorGcn, checked(options), static_cast<std::int64_t>(options.factors.size()), seed),
      options_(options) {
  for (std::size_t index = 0; index < num_layers(); ++index) {
    const std::int64_t factors = options.factors[index];
    const std::string number = std::to_string(index + 1);
    const DisentangleLayerOptions layer{in_width(index), options.hidden, factors, options.gate_scale};
    layers_.push_back(register_module("layer" + number, DisentangleLayer(layer, random())));
    if (options.discriminator) {
      DiscriminatorOptions judge;
      judge.width = options.hidden / factors;
      judge.factors = factors;
      judge.gate_scale = options.gate_scale;
      judge.depth = options.discriminator_depth;
      discriminators_.push_back(register_module("discriminator" + number, Discriminator(judge, random())));
    }
  }
  make_head();
}

ModelOutput FactorGcn::forward(const GraphBatch& batch, bool with_regulariser) {
  const StepOutput output = forward_in_step(batch, with_regulariser);
  return {output.prediction, sum_losses(output.regularisers)};
}

StepOutput FactorGcn::forward_in_step(const GraphBatch& batch, bool with_regulariser) {
  const at::Tensor x = input_features(batch);
  const bool judged = with_regulariser && options_.discriminator;
  const LayerWay first = way_of(0, batch, x, judged);
  Blocks blocks = first == LayerWay::kStack ? run_as_stack(batch, x, judged) : run_one_by_one(batch, x, judged, first);
  if (reads_every_level()) {
    blocks.pooled.insert(blocks.pooled.begin(), pool(batch, dense_features(x)));
  }
  return {read_out(blocks.pooled), blocks.regularisers};
}

LayerWay FactorGcn::way_of(std::size_t index, const GraphBatch& batch, const at::Tensor& x, bool judged) const {
  LayerTask task;
  task.factors = options_.factors[index];
  task.width = options_.hidden / task.factors;
  task.judged = judged;
  task.depth = options_.discriminator_depth;
  task.activation = options_.activation;
  task.tiles = options_.tiles && !drops_blocks();
  return options_.edge_weights ? LayerWay::kComposed : layer_way(batch, x, task);
}

FactorGcn::Blocks FactorGcn::run_as_stack(const GraphBatch& batch, const at::Tensor& x, bool judged) {
  StackInputs inputs;
  inputs.edges = batch.edges;
  inputs.graph_offsets = batch.graph_offsets;
  inputs.x = x;
  StackOptions options;
  options.gate_scale = options_.gate_scale;
  options.norm = options_.norm;
  options.size_norm = options_.size_norm;
  options.slope = slope_below_zero(options_.activation, options_.slope);
  options.end = is_node_readout(options_.readout) ? StackEnd::kNodes
                : reads_every_level()             ? StackEnd::kLevelSums
                                                  : StackEnd::kMeans;
  for (std::size_t index = 0; index < num_layers(); ++index) {
    StackBlock& block = inputs.blocks.emplace_back();
    layers_[index]->join(block);
    if (judged) {
      discriminators_[index]->join(batch, block);
    }
    if (options_.batch_norm) {
      const BatchNormState& norm = norms()[index];
      block.gamma = norm.gamma;
      block.beta = norm.beta;
      block.mean = is_training() ? at::Tensor() : norm.running_mean;
      block.variance = is_training() ? at::Tensor() : norm.running_variance;
      options.eps = norm.eps;
    }
  }
  const StackResult result = disentangle_stack(inputs, options);
  for (std::size_t index = 0; index < result.means.size(); ++index) {
    update_running_moments(norms()[index], result.means[index], result.variances[index], batch.num_nodes());
  }
  Blocks blocks{result.ends, {}};
  if (result.loss.defined()) {
    blocks.regularisers.push_back(result.loss);
  }
  return blocks;
}

FactorGcn::Blocks FactorGcn::run_one_by_one(const GraphBatch& batch, const at::Tensor& x, bool judged, LayerWay first) {
  const std::vector<NodeWeights> weights =
      options_.edge_weights ? std::vector<NodeWeights>(num_layers(), node_weights_of(batch, x.scalar_type()))
                            : weights_for(first, batch.edges, options_.norm, x.scalar_type(), num_factor_layers());
  const at::Tensor row_scale = row_scale_of(batch, x.scalar_type());
  Blocks blocks;
  at::Tensor features = x;
  for (std::size_t index = 0; index < num_layers(); ++index) {
    const LayerStep step = layer_step(index, batch, features, weights[index], judged);
    if (judged) {
      blocks.regularisers.push_back(step.loss);
    }
    features = drop_out(finish_block(index, step.out.flatten(1), row_scale, batch));
    if (reads_every_level() || index + 1 == num_layers()) {
      blocks.pooled.push_back(pool(batch, features));
    }
  }
  return blocks;
}

NodeWeights FactorGcn::node_weights_of(const GraphBatch& batch, at::ScalarType type) const {
  return weights_with_edges(batch.edges, options_.norm, edge_weights_of(batch), type);
}

LayerStep FactorGcn::layer_step(std::size_t index, const GraphBatch& batch, const at::Tensor& x,
                                const NodeWeights& weights, bool judged) {
  DisentangleLayerImpl& layer = *layers_[index];
  const LayerWay way = way_of(index, batch, x, judged);
  if (way == LayerWay::kTiles || way == LayerWay::kRows) {
    const auto run = way == LayerWay::kTiles ? layer_in_tiles : layer_in_rows;
    const DiscriminatorWeights judge = judged ? discriminators_[index]->weights() : DiscriminatorWeights{};
    return run(batch, x, layer.weights(), judged ? &judge : nullptr, weights, options_.gate_scale, /*beside=*/true);
  }
  const LinearMap* companion = judged ? discriminators_[index]->companion(batch) : nullptr;
  const DisentangleOutput output = layer.forward(batch.edges, x, weights, companion);
  return {output.out, judged ? discriminators_[index]->loss(batch, output, weights) : at::Tensor()};
}

DisentangleOutput FactorGcn::composed_output(std::size_t layer, const GraphBatch& batch) {
  at::Tensor x = input_features(batch);
  const NodeWeights weights = node_weights_of(batch, x.scalar_type());
  const at::Tensor row_scale = row_scale_of(batch, x.scalar_type());
  for (std::size_t index = 0; index < layer; ++index) {
    x = drop_out(
        finish_block(index, layers_[index]->forward(batch.edges, x, weights).out.flatten(1), row_scale, batch));
  }
  return layers_[layer]->forward(batch.edges, x, weights);
}

at::Tensor FactorGcn::factor_coefficients(const GraphBatch& batch, int layer) {
  require(layer >= 0 && layer < num_factor_layers(), "factorgcn: layer ", layer + 1, " asked for, but there are ",
          num_factor_layers());
  const at::NoGradGuard no_gradient;
  const auto index = static_cast<std::size_t>(layer);
  return layers_[index]->coefficients(batch.edges, composed_output(index, batch));
}

at::Tensor FactorGcn::hidden_features(const GraphBatch& batch) {
  const at::NoGradGuard no_gradient;
  const at::Tensor y = composed_output(0, batch).out.flatten(1);
  return finish_block(0, y, row_scale_of(batch, y.scalar_type()), batch);
}

}  // namespace factorgcn
