// The parts that all networks share.
#include "factorgcn/nn/network_shell.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/embed_types.h"
#include "factorgcn/ops/segment_reduce.h"
#include "nn/init.h"

namespace factorgcn {

const char* readout_name(Readout readout) {
  switch (readout) {
    case Readout::kMeanTanh:
      return "mean_tanh";
    case Readout::kMeanRelu:
      return "mean_relu";
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

Readout readout_from_name(const std::string& name, const std::string& what) {
  std::string known;
  for (const auto readout : {Readout::kMeanTanh, Readout::kMeanRelu, Readout::kMeanMlp, Readout::kNodeMlp,
                             Readout::kNodeLinear, Readout::kLayerSum}) {
    if (name == readout_name(readout)) {
      return readout;
    }
    known += (known.empty() ? "" : ", ") + std::string(readout_name(readout));
  }
  throw UsageError(concat(what, " is \"", name, "\": choose one of ", known));
}

void check_shell(const std::string& name, const ShellOptions& options) {
  require_usage((options.in_features > 0) != (options.node_types > 0), name, ": in_features is ", options.in_features,
                " and node_types is ", options.node_types, "; exactly one of them must be positive");
  require_usage(options.embedding >= 0, name, ": embedding width is ", options.embedding,
                "; it must be at least 1, or 0 for one-hot node types");
  require_usage(options.outputs >= 1, name, ": outputs is ", options.outputs, "; it must be at least 1");
  require_usage(options.hidden >= 1, name, ": hidden is ", options.hidden, "; it must be at least 1");
  require_usage(options.slope >= 0 && options.slope <= 1, name, ": slope is ", options.slope, "; it must be in 0 .. 1");
  require_usage(options.dropout >= 0 && options.dropout < 1, name, ": dropout is ", options.dropout,
                "; it must be in 0 .. 1, below 1");
  require_usage(options.input_dropout >= 0 && options.input_dropout < 1, name, ": input_dropout is ",
                options.input_dropout, "; it must be in 0 .. 1, below 1");
  require_usage(options.scale == InputScale::kNone || options.node_types == 0, name, ": scale is ",
                input_scale_name(options.scale), ", but nodes have types; values alone can be scaled");
}

NetworkShell::NetworkShell(std::string name, const ShellOptions& options, std::int64_t layers, std::uint64_t seed)
    : name_(std::move(name)),
      shell_(options),
      layers_(layers),
      input_width_(options.node_types == 0  ? options.in_features
                   : options.embedding == 0 ? options.node_types
                                            : options.embedding),
      random_(seed, "model/" + name_) {
  check_shell(name_, options);
  if (options.node_types > 0 && options.embedding > 0) {
    embedding_ =
        register_parameter("embedding", uniform_tensor({options.node_types, input_width_}, std::sqrt(3.0), random_));
  }
  if (options.scale == InputScale::kStandard) {
    columns_.mean = register_buffer("input_mean", at::zeros({options.in_features}, at::kFloat));
    columns_.factor = register_buffer("input_factor", at::ones({options.in_features}, at::kFloat));
  }
  if (options.edge_weights) {
    edge_weight_mean_ = register_buffer("edge_weight_mean", at::ones({1}, at::kFloat));
  }
  for (std::int64_t layer = 1; options.batch_norm && layer <= layers; ++layer) {
    norms_.push_back(make_norm("norm" + std::to_string(layer), options.hidden));
  }
}

void NetworkShell::make_head() {
  switch (shell_.readout) {
    case Readout::kMeanTanh:
    case Readout::kMeanRelu:
    case Readout::kNodeLinear:
      head_.push_back(make_linear("head", shell_.hidden, shell_.outputs));
      break;
    case Readout::kMeanMlp:
    case Readout::kNodeMlp: {
      const std::int64_t middle = std::max<std::int64_t>(shell_.hidden / 2, 1);
      head_.push_back(make_linear("head1", shell_.hidden, middle));
      head_.push_back(make_linear("head2", middle, shell_.outputs));
      break;
    }
    case Readout::kLayerSum:
      for (std::size_t level = 0; level <= num_layers(); ++level) {
        head_.push_back(make_linear("head" + std::to_string(level), in_width(level), shell_.outputs));
      }
      break;
  }
}

LinearMap NetworkShell::make_linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias) {
  LinearMap map;
  map.weight = register_parameter(name + "_weight", uniform_tensor({out, in}, linear_bound(in), random_));
  if (bias) {
    map.bias = register_parameter(name + "_bias", uniform_tensor({out}, linear_bound(in), random_));
  }
  return map;
}

BatchNormState NetworkShell::make_norm(const std::string& name, std::int64_t width) {
  const auto type = at::TensorOptions().dtype(at::kFloat);
  BatchNormState norm;
  norm.gamma = register_parameter(name + "_gamma", at::ones({width}, type));
  norm.beta = register_parameter(name + "_beta", at::zeros({width}, type));
  norm.running_mean = register_buffer(name + "_mean", at::zeros({width}, type));
  norm.running_variance = register_buffer(name + "_variance", at::ones({width}, type));
  return norm;
}

at::Tensor NetworkShell::input_features(const GraphBatch& batch) const {
  if (shell_.node_types > 0) {
    require(batch.features.scalar_type() == at::kLong, name_, ": expected int64 node types, got features of type ",
            batch.features.scalar_type());
    if (shell_.embedding > 0) {
      return drop_entries(embed_types(embedding_, batch.features), shell_.input_dropout, drops_out());
    }
    at::Tensor one_hot = at::zeros({batch.num_nodes(), shell_.node_types}, head_[0].weight.options());
    return drop_entries(one_hot.scatter_(1, batch.features.unsqueeze(1), 1.0), shell_.input_dropout, drops_out());
  }
  require(batch.features.dim() == 2 && batch.features.size(1) == shell_.in_features, name_, ": features have shape ",
          batch.features.sizes(), ", expected ", shell_.in_features, " columns");
  const at::Tensor x = shell_.scale == InputScale::kRows       ? scaled_rows(batch.features)
                       : shell_.scale == InputScale::kStandard ? scaled_columns(batch.features, columns_)
                                                               : batch.features;
  return drop_entries(x, shell_.input_dropout, drops_out());
}

void NetworkShell::learn_input(const Dataset& dataset) {
  const at::NoGradGuard no_gradient;
  if (scales_columns()) {
    set_columns(column_scale(dataset));
  }
  if (shell_.edge_weights) {
    edge_weight_mean_.fill_(mean_edge_weight(dataset));
  }
}

void NetworkShell::set_columns(const ColumnScale& columns) {
  const at::NoGradGuard no_gradient;
  columns_.mean.copy_(columns.mean);
  columns_.factor.copy_(columns.factor);
}

at::Tensor NetworkShell::edge_weights_of(const GraphBatch& batch) const {
  if (!shell_.edge_weights) {
    return {};
  }
  require(batch.edge_weights.defined(), name_, ": the graphs have no edge weights, which the model was made for");
  return batch.edge_weights / edge_weight_mean_;
}

at::Tensor NetworkShell::drop_out(const at::Tensor& x) const {
  return drops_blocks() ? at::dropout(x, shell_.dropout, true) : x;
}

at::Tensor NetworkShell::row_scale_of(const GraphBatch& batch, at::ScalarType type) const {
  at::Tensor scale;
  if (shell_.size_norm) {
    const at::Tensor sizes = batch.graph_offsets.diff();
    // The length is told beforehand: a GPU would have to be waited for to learn it.
    scale = sizes.to(type).rsqrt().repeat_interleave(sizes, 0, batch.num_nodes());
  }
  // Batch norm sets rows of padding to 0. Without it, they are set to 0 here: a sum over thousands of self loops would
  // otherwise grow from layer to layer until it is infinite, and 0 times that is no gradient.
  if (batch.counts.defined() && !shell_.batch_norm) {
    const at::Tensor nodes = batch.real_nodes();
    const at::Tensor real = at::arange(batch.num_nodes(), nodes.options()).lt(nodes).to(type);
    scale = scale.defined() ? scale * real : real;
  }
  return scale;
}

at::Tensor NetworkShell::finish_block(std::size_t layer, const at::Tensor& y, const at::Tensor& row_scale,
                                      const GraphBatch& batch) const {
  if (!shell_.batch_norm) {
    return activate(row_scale.defined() ? y * row_scale.unsqueeze(1) : y, shell_.activation, shell_.slope);
  }
  const bool fused = is_leaky(shell_.activation);
  const at::Tensor normed = batch_norm(y, norms_[layer], is_training(), fused ? shell_.activation : Activation::kNone,
                                       shell_.slope, row_scale, batch.real_nodes());
  return fused ? normed : activate(normed, shell_.activation, shell_.slope);
}

at::Tensor NetworkShell::pool(const GraphBatch& batch, const at::Tensor& x) const {
  if (is_node_readout(shell_.readout)) {
    return x;
  }
  return reads_every_level() ? segment_sum(x, batch.graph_offsets) : segment_mean(x, batch.graph_offsets);
}

at::Tensor NetworkShell::read_out(const std::vector<at::Tensor>& pooled) const {
  switch (shell_.readout) {
    case Readout::kMeanTanh:
      return linear(head_[0], activate(pooled[0], Activation::kTanh));
    case Readout::kMeanRelu:
      return linear(head_[0], activate(pooled[0], Activation::kRelu));
    case Readout::kNodeLinear:
      return linear(head_[0], pooled[0]);
    case Readout::kMeanMlp:
    case Readout::kNodeMlp: {
      const at::Tensor x = linear(head_[0], activate(pooled[0], Activation::kRelu));
      return linear(head_[1], activate(x, Activation::kRelu));
    }
    case Readout::kLayerSum: {
      at::Tensor total;
      for (std::size_t level = 0; level < pooled.size(); ++level) {
        const at::Tensor score = at::dropout(linear(head_[level], pooled[level]), shell_.dropout, drops_out());
        total = total.defined() ? total + score : score;
      }
      return total;
    }
  }
  fail(name_, ": unknown readout");
}

}  // namespace factorgcn
