// FactorGcn: the stack of blocks and its four ends.
#include "factorgcn/nn/factor_gcn.h"

#include <ATen/ops/dropout.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/embed_types.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/disentangle_stack.h"
#include "factorgcn/ops/late_losses.h"
#include "factorgcn/ops/segment_reduce.h"
#include "nn/init.h"

namespace factorgcn {
namespace {

/// n_graph^-1/2 for each node, [N].
at::Tensor size_scale_of(const GraphBatch& batch, at::ScalarType type) {
  const at::Tensor sizes = batch.graph_offsets.diff();
  // The length is told beforehand: a GPU would have to be waited for to learn it.
  return sizes.to(type).rsqrt().repeat_interleave(sizes, 0, batch.num_nodes());
}

}  // namespace

const char* readout_name(Readout readout) {
  switch (readout) {
    case Readout::kMeanTanh:
      return "mean_tanh";
    case Readout::kMeanMlp:
      return "mean_mlp";
    case Readout::kNodeMlp:
      return "node_mlp";
    case Readout::kNodeLinear:
      return "node_linear";
    case Readout::kLayerSum:
      return "layer_sum";
  }
  return "unknown";
}

Readout readout_from_name(const std::string& name) {
  for (const auto readout :
       {Readout::kMeanTanh, Readout::kMeanMlp, Readout::kNodeMlp, Readout::kNodeLinear, Readout::kLayerSum}) {
    if (name == readout_name(readout)) {
      return readout;
    }
  }
  throw UsageError(concat("readout is \"", name, "\": choose mean_tanh, mean_mlp, node_mlp, node_linear or layer_sum"));
}

void check_options(const FactorGcnOptions& options) {
  require_usage((options.in_features > 0) != (options.node_types > 0), "factorgcn: in_features is ",
                options.in_features, " and node_types is ", options.node_types,
                "; exactly one of them must be positive");
  require_usage(options.embedding >= 0, "factorgcn: embedding width is ", options.embedding,
                "; it must be at least 1, or 0 for one-hot node types");
  require_usage(options.outputs >= 1, "factorgcn: outputs is ", options.outputs, "; it must be at least 1");
  require_usage(options.hidden >= 1, "factorgcn: hidden is ", options.hidden, "; it must be at least 1");
  require_usage(!options.factors.empty(), "factorgcn: factors is empty; give the number of factors of each layer");
  for (std::size_t layer = 0; layer < options.factors.size(); ++layer) {
    const std::int64_t factors = options.factors[layer];
    require_usage(factors >= 1 && options.hidden % factors == 0, "factorgcn: hidden width ", options.hidden,
                  " does not divide by the ", factors, " factors of layer ", layer + 1,
                  "; choose hidden as a multiple of each layer's factors");
  }
  require_usage(std::isfinite(options.gate_scale) && options.gate_scale > 0, "factorgcn: gate_scale is ",
                options.gate_scale, "; it must be positive");
  require_usage(options.slope >= 0 && options.slope <= 1, "factorgcn: slope is ", options.slope,
                "; it must be in 0 .. 1");
  require_usage(options.dropout >= 0 && options.dropout < 1, "factorgcn: dropout is ", options.dropout,
                "; it must be in 0 .. 1, below 1");
  require_usage(options.discriminator_depth == 2 || options.discriminator_depth == 3,
                "factorgcn: discriminator_depth is ", options.discriminator_depth, "; choose 2 or 3");
}

FactorGcn::FactorGcn(const FactorGcnOptions& options, std::uint64_t seed) : options_(options) {
  check_options(options);
  RandomStream random(seed, "model/factorgcn");
  std::int64_t width = options.in_features;
  if (options.node_types > 0 && options.embedding == 0) {
    width = options.node_types;
  } else if (options.node_types > 0) {
    width = options.embedding;
    embedding_ = register_parameter("embedding", uniform_tensor({options.node_types, width}, std::sqrt(3.0), random));
  }
  const std::int64_t input_width = width;
  for (std::size_t index = 0; index < options.factors.size(); ++index) {
    const std::int64_t factors = options.factors[index];
    const std::string number = std::to_string(index + 1);
    layers_.push_back(register_module(
        "layer" + number,
        DisentangleLayer(DisentangleLayerOptions{width, options.hidden, factors, options.gate_scale}, random)));
    if (options.discriminator) {
      DiscriminatorOptions judge;
      judge.width = options.hidden / factors;
      judge.factors = factors;
      judge.gate_scale = options.gate_scale;
      judge.depth = options.discriminator_depth;
      discriminators_.push_back(register_module("discriminator" + number, Discriminator(judge, random)));
    }
    if (options.batch_norm) {
      const auto type = at::TensorOptions().dtype(at::kFloat);
      BatchNormState norm;
      norm.gamma = register_parameter("norm" + number + "_gamma", at::ones({options.hidden}, type));
      norm.beta = register_parameter("norm" + number + "_beta", at::zeros({options.hidden}, type));
      norm.running_mean = register_buffer("norm" + number + "_mean", at::zeros({options.hidden}, type));
      norm.running_variance = register_buffer("norm" + number + "_variance", at::ones({options.hidden}, type));
      norms_.push_back(norm);
    }
    width = options.hidden;
  }
  switch (options.readout) {
    case Readout::kMeanTanh:
    case Readout::kNodeLinear:
      head_.push_back(make_linear("head", width, options.outputs, random));
      break;
    case Readout::kMeanMlp:
    case Readout::kNodeMlp: {
      const std::int64_t middle = std::max<std::int64_t>(width / 2, 1);
      head_.push_back(make_linear("head1", width, middle, random));
      head_.push_back(make_linear("head2", middle, options.outputs, random));
      break;
    }
    case Readout::kLayerSum:
      for (std::size_t level = 0; level <= options.factors.size(); ++level) {
        head_.push_back(
            make_linear("head" + std::to_string(level), level == 0 ? input_width : width, options.outputs, random));
      }
      break;
  }
}

FactorGcn::Linear FactorGcn::make_linear(const std::string& name, std::int64_t in, std::int64_t out,
                                         RandomStream& random) {
  Linear linear;
  linear.weight = register_parameter(name + "_weight", uniform_tensor({out, in}, linear_bound(in), random));
  linear.bias = register_parameter(name + "_bias", uniform_tensor({out}, linear_bound(in), random));
  return linear;
}

at::Tensor FactorGcn::input_features(const GraphBatch& batch) const {
  if (options_.node_types > 0) {
    require(batch.features.scalar_type() == at::kLong, "factorgcn: expected int64 node types, got features of type ",
            batch.features.scalar_type());
    if (options_.embedding > 0) {
      return embed_types(embedding_, batch.features);
    }
    at::Tensor one_hot = at::zeros({batch.num_nodes(), options_.node_types}, layers_[0]->parameters()[0].options());
    return one_hot.scatter_(1, batch.features.unsqueeze(1), 1.0);
  }
  require(batch.features.dim() == 2 && batch.features.size(1) == options_.in_features,
          "factorgcn: features have shape ", batch.features.sizes(), ", expected ", options_.in_features, " columns");
  return batch.features;
}

at::Tensor FactorGcn::finish_block(std::size_t index, const at::Tensor& x, const at::Tensor& size_scale,
                                   const at::Tensor& real_nodes) const {
  if (options_.batch_norm) {
    return batch_norm(x, norms_[index], is_training(), options_.activation, options_.slope, size_scale, real_nodes);
  }
  const at::Tensor scaled = size_scale.defined() ? x * size_scale.unsqueeze(1) : x;
  return activate(scaled, options_.activation, options_.slope);
}

FactorGcn::LayerWay FactorGcn::layer_way(std::size_t index, const GraphBatch& batch, const at::Tensor& x,
                                         bool judged) const {
  if (!judged || options_.discriminator_depth == 2) {
    const LayerWeights weights = layers_[index]->weights();
    if (suits_layer_tiles(batch, x, weights, judged)) {
      return LayerWay::kTiles;
    }
    const bool joins = judged && discriminators_[index]->companion(batch) != nullptr;
    if (!joins && suits_layer_rows(batch, x, weights)) {
      return LayerWay::kRows;
    }
  }
  return LayerWay::kComposed;
}

LayerStep FactorGcn::layer_step(std::size_t index, const GraphBatch& batch, const at::Tensor& x,
                                const NodeWeights& weights, bool judged) {
  DisentangleLayerImpl& layer = *layers_[index];
  const LayerWay way = layer_way(index, batch, x, judged);
  if (way != LayerWay::kComposed) {
    const auto run = way == LayerWay::kTiles ? layer_in_tiles : layer_in_rows;
    const DiscriminatorWeights judge = judged ? discriminators_[index]->weights() : DiscriminatorWeights{};
    return run(batch, x, layer.weights(), judged ? &judge : nullptr, weights, options_.gate_scale, true);
  }
  const LinearMap* companion = judged ? discriminators_[index]->companion(batch) : nullptr;
  const DisentangleOutput output = layer.forward(batch.edges, x, weights, companion);
  return {output.out, judged ? discriminators_[index]->loss(batch, output, weights) : at::Tensor()};
}

ModelOutput FactorGcn::forward(const GraphBatch& batch, bool with_regulariser) {
  const StepOutput output = forward_in_step(batch, with_regulariser);
  if (!output.regularisers.empty()) {
    wait_for_judges(output.prediction);
  }
  ModelOutput result{output.prediction, {}};
  for (const at::Tensor& loss : output.regularisers) {
    result.regulariser = result.regulariser.defined() ? result.regulariser + loss : loss;
  }
  return result;
}

StepOutput FactorGcn::forward_in_step(const GraphBatch& batch, bool with_regulariser) {
  const at::Tensor x = input_features(batch);
  const bool judged = with_regulariser && options_.discriminator;
  Blocks blocks = in_tiles(batch, judged) ? run_in_tiles(batch, x, judged) : run_one_by_one(batch, x, judged);
  if (options_.readout == Readout::kLayerSum) {
    blocks.ends.insert(blocks.ends.begin(), segment_sum(x, batch.graph_offsets));
  }
  return {read_out(blocks.ends), blocks.regularisers};
}

bool FactorGcn::in_tiles(const GraphBatch& batch, bool judged) const {
  return options_.tiles && options_.activation != Activation::kTanh && (!judged || options_.discriminator_depth == 2) &&
         !batch.counts.defined() && fits_tiles(batch.graph_offsets);
}

FactorGcn::Blocks FactorGcn::run_in_tiles(const GraphBatch& batch, const at::Tensor& x, bool judged) {
  StackInputs inputs;
  inputs.edges = batch.edges;
  inputs.graph_offsets = batch.graph_offsets;
  inputs.x = x;
  StackOptions options;
  options.gate_scale = options_.gate_scale;
  options.norm = options_.norm;
  options.size_norm = options_.size_norm;
  options.slope = options_.activation == Activation::kLeakyRelu ? options_.slope
                                                                : (options_.activation == Activation::kRelu ? 0 : 1);
  options.end = is_node_readout(options_.readout)        ? StackEnd::kNodes
                : options_.readout == Readout::kLayerSum ? StackEnd::kLevelSums
                                                         : StackEnd::kMeans;
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    StackBlock& block = inputs.blocks.emplace_back();
    layers_[index]->join(block);
    if (judged) {
      discriminators_[index]->join(batch, block);
    }
    if (options_.batch_norm) {
      const BatchNormState& norm = norms_[index];
      block.gamma = norm.gamma;
      block.beta = norm.beta;
      block.mean = is_training() ? at::Tensor() : norm.running_mean;
      block.variance = is_training() ? at::Tensor() : norm.running_variance;
      options.eps = norm.eps;
    }
  }
  const StackResult result = disentangle_stack(inputs, options);
  for (std::size_t index = 0; index < result.means.size(); ++index) {
    update_running_moments(norms_[index], result.means[index], result.variances[index], batch.num_nodes());
  }
  Blocks blocks{result.ends, {}};
  if (result.loss.defined()) {
    blocks.regularisers.push_back(result.loss);
  }
  return blocks;
}

FactorGcn::Blocks FactorGcn::run_one_by_one(const GraphBatch& batch, const at::Tensor& x, bool judged) {
  // The other ways have no use for what layers in rows share.
  const std::vector<NodeWeights> weights =
      layer_way(0, batch, x, judged) == LayerWay::kRows
          ? layer_weights(batch.edges, options_.norm, x.scalar_type(), num_factor_layers())
          : std::vector<NodeWeights>(layers_.size(), node_weights(batch.edges, options_.norm, x.scalar_type()));
  const at::Tensor size_scale = options_.size_norm ? size_scale_of(batch, x.scalar_type()) : at::Tensor();
  Blocks blocks;
  at::Tensor features = x;
  for (std::size_t index = 0; index < layers_.size(); ++index) {
    const LayerStep step = layer_step(index, batch, features, weights[index], judged);
    if (judged) {
      blocks.regularisers.push_back(step.loss);
    }
    features = finish_block(index, step.out.flatten(1), size_scale, batch.real_nodes());
    if (judged && options_.batch_norm) {
      start_judges(features);  // not sooner: batch norm would wait for what they have begun
    }
    if (options_.readout == Readout::kLayerSum) {
      blocks.ends.push_back(segment_sum(features, batch.graph_offsets));
    }
  }
  if (is_node_readout(options_.readout)) {
    blocks.ends.push_back(features);
  } else if (options_.readout != Readout::kLayerSum) {
    blocks.ends.push_back(segment_mean(features, batch.graph_offsets));
  }
  return blocks;
}

at::Tensor FactorGcn::read_out(const std::vector<at::Tensor>& ends) {
  switch (options_.readout) {
    case Readout::kMeanTanh:
      return dense(activate(ends[0], Activation::kTanh), head_[0].weight, head_[0].bias);
    case Readout::kNodeLinear:
      return dense(ends[0], head_[0].weight, head_[0].bias);
    case Readout::kMeanMlp:
    case Readout::kNodeMlp: {
      at::Tensor x = activate(ends[0], Activation::kRelu);
      x = activate(dense(x, head_[0].weight, head_[0].bias), Activation::kRelu);
      return dense(x, head_[1].weight, head_[1].bias);
    }
    case Readout::kLayerSum: {
      at::Tensor total;
      for (std::size_t level = 0; level < ends.size(); ++level) {
        const at::Tensor score =
            at::dropout(dense(ends[level], head_[level].weight, head_[level].bias), options_.dropout, drops_out());
        total = total.defined() ? total + score : score;
      }
      return total;
    }
  }
  fail("factorgcn: unknown readout");
}

int FactorGcn::num_factor_layers() const { return static_cast<int>(layers_.size()); }

at::Tensor FactorGcn::factor_coefficients(const GraphBatch& batch, int layer) {
  require(layer >= 0 && layer < num_factor_layers(), "factorgcn: layer ", layer + 1, " asked for, but there are ",
          num_factor_layers());
  at::NoGradGuard no_gradient;
  at::Tensor x = input_features(batch);
  const NodeWeights weights = node_weights(batch.edges, options_.norm, x.scalar_type());
  const at::Tensor size_scale = options_.size_norm ? size_scale_of(batch, x.scalar_type()) : at::Tensor();
  for (int index = 0;; ++index) {
    const DisentangleOutput output = layers_[index]->forward(batch.edges, x, weights);
    if (index == layer) {
      return layers_[index]->coefficients(batch.edges, output);
    }
    x = finish_block(static_cast<std::size_t>(index), output.out.flatten(1), size_scale, batch.real_nodes());
  }
}

at::Tensor FactorGcn::hidden_features(const GraphBatch& batch) {
  at::NoGradGuard no_gradient;
  const at::Tensor x = input_features(batch);
  const NodeWeights weights = node_weights(batch.edges, options_.norm, x.scalar_type());
  const at::Tensor size_scale = options_.size_norm ? size_scale_of(batch, x.scalar_type()) : at::Tensor();
  return finish_block(0, layers_[0]->forward(batch.edges, x, weights).out.flatten(1), size_scale, batch.real_nodes());
}

}  // namespace factorgcn
