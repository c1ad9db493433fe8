// The parts that the compared networks share.
#include "nn/baselines/stack.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/nn/embed_types.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/segment_reduce.h"
#include "nn/init.h"

namespace factorgcn::baselines {
namespace {

constexpr std::array<std::pair<const char*, Ending>, 6> kEndings{{{"mean_tanh", Ending::kMeanTanh},
                                                                  {"mean_relu", Ending::kMeanRelu},
                                                                  {"mean_mlp", Ending::kMeanMlp},
                                                                  {"node_mlp", Ending::kNodeMlp},
                                                                  {"node_linear", Ending::kNodeLinear},
                                                                  {"layer_sum", Ending::kLayerSum}}};

constexpr std::array<std::pair<const char*, Bend>, 5> kBends{{{"none", Bend::kNone},
                                                              {"relu", Bend::kRelu},
                                                              {"leaky_relu", Bend::kLeakyRelu},
                                                              {"tanh", Bend::kTanh},
                                                              {"elu", Bend::kElu}}};

bool is_node_ending(Ending ending) { return ending == Ending::kNodeMlp || ending == Ending::kNodeLinear; }

template <class Table, class Value>
const char* name_in(const Table& table, Value value) {
  return std::find_if(table.begin(), table.end(), [&](const auto& entry) { return entry.second == value; })->first;
}

template <class Table>
auto value_in(const Table& table, const std::string& name, const std::string& what) {
  std::string known;
  for (const auto& [each, value] : table) {
    if (name == each) {
      return value;
    }
    known += (known.empty() ? "" : ", ") + std::string(each);
  }
  throw UsageError(concat(what, " is \"", name, "\": choose one of ", known));
}

/// What ops/batch_norm.h can do in the same pass.
bool is_fused(Bend activation) {
  return activation == Bend::kNone || activation == Bend::kRelu || activation == Bend::kLeakyRelu;
}

Activation plain(Bend activation) {
  switch (activation) {
    case Bend::kRelu:
      return Activation::kRelu;
    case Bend::kLeakyRelu:
      return Activation::kLeakyRelu;
    case Bend::kTanh:
      return Activation::kTanh;
    default:
      return Activation::kNone;
  }
}

}  // namespace

void read_stack(SettingsReader& reader, const ModelInput& input, StackOptions& options) {
  constexpr std::int64_t kWidest = 1 << 16;
  const std::string owner = "model " + options.name;
  const bool per_node = is_node_task(input.task);
  options.in_features = input.in_features;
  options.node_types = input.node_types;
  options.edge_types = input.edge_types;
  options.outputs = input.outputs;
  if (input.node_types > 0) {
    options.node_types = reader.integer("node_types", input.node_types, input.node_types, 1 << 24);
    options.embedding = reader.integer("embedding", options.embedding, 0, kWidest);
  }
  options.hidden = reader.integer("hidden", options.hidden, 1, kWidest);
  options.layers = reader.integer("layers", options.layers, 1, 64);
  options.batch_norm = reader.boolean("batch_norm", options.batch_norm);
  options.size_norm = reader.boolean("size_norm", options.size_norm);
  options.residual = reader.boolean("residual", options.residual);
  options.activation =
      value_in(kBends, reader.text("activation", name_in(kBends, options.activation)), owner + ": activation");
  options.slope = reader.number("slope", options.slope, 0, 1);
  options.ending = value_in(kEndings, reader.text("readout", per_node ? "node_mlp" : name_in(kEndings, options.ending)),
                            owner + ": readout");
  options.dropout = reader.number("dropout", options.dropout, 0, 0.999);
  require_usage(per_node == is_node_ending(options.ending), owner, ": readout ", name_in(kEndings, options.ending),
                " does not fit a task of kind ", task_name(input.task));
}

void StackPass::add_regulariser(const at::Tensor& loss) {
  regulariser = regulariser.defined() ? regulariser + loss : loss;
}

at::Tensor bend(const at::Tensor& x, Bend activation, double slope) {
  if (activation == Bend::kElu) {
    return at::elu(x);
  }
  return activation == Bend::kNone ? x : activate(x, plain(activation), slope);
}

at::Tensor linear(const LinearMap& map, const at::Tensor& x) { return dense(x, map.weight, map.bias); }

StackModel::StackModel(const StackOptions& options, std::uint64_t seed)
    : options_(options), random_(seed, "model/" + options.name) {
  require_usage((options.in_features > 0) != (options.node_types > 0), options.name, ": in_features is ",
                options.in_features, " and node_types is ", options.node_types,
                "; exactly one of them must be positive");
  require_usage(options.outputs >= 1, options.name, ": outputs is ", options.outputs, "; it must be at least 1");
  input_width_ = options.in_features;
  if (options.node_types > 0) {
    input_width_ = options.embedding == 0 ? options.node_types : options.embedding;
  }
  if (options.node_types > 0 && options.embedding > 0) {
    embedding_ =
        register_parameter("embedding", uniform_tensor({options.node_types, input_width_}, std::sqrt(3.0), random_));
  }
  for (std::int64_t layer = 1; options.batch_norm && layer <= options.layers; ++layer) {
    norms_.push_back(make_norm("norm" + std::to_string(layer), options.hidden));
  }
  const std::int64_t hidden = options.hidden;
  switch (options.ending) {
    case Ending::kMeanTanh:
    case Ending::kMeanRelu:
    case Ending::kNodeLinear:
      head_.push_back(make_linear("head", hidden, options.outputs));
      break;
    case Ending::kMeanMlp:
    case Ending::kNodeMlp: {
      const std::int64_t middle = std::max<std::int64_t>(hidden / 2, 1);
      head_.push_back(make_linear("head1", hidden, middle));
      head_.push_back(make_linear("head2", middle, options.outputs));
      break;
    }
    case Ending::kLayerSum:
      for (std::int64_t level = 0; level <= options.layers; ++level) {
        head_.push_back(
            make_linear("head" + std::to_string(level), level == 0 ? input_width_ : hidden, options.outputs));
      }
      break;
  }
}

LinearMap StackModel::make_linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias) {
  LinearMap map;
  map.weight = register_parameter(name + "_weight", uniform_tensor({out, in}, linear_bound(in), random_));
  if (bias) {
    map.bias = register_parameter(name + "_bias", uniform_tensor({out}, linear_bound(in), random_));
  }
  return map;
}

BatchNormState StackModel::make_norm(const std::string& name, std::int64_t width) {
  const auto type = at::TensorOptions().dtype(at::kFloat);
  BatchNormState norm;
  norm.gamma = register_parameter(name + "_gamma", at::ones({width}, type));
  norm.beta = register_parameter(name + "_beta", at::zeros({width}, type));
  norm.running_mean = register_buffer(name + "_mean", at::zeros({width}, type));
  norm.running_variance = register_buffer(name + "_variance", at::ones({width}, type));
  return norm;
}

at::Tensor StackModel::input_features(const GraphBatch& batch) const {
  if (options_.node_types > 0) {
    require(batch.features.scalar_type() == at::kLong, options_.name,
            ": expected int64 node types, got features of type ", batch.features.scalar_type());
    if (options_.embedding > 0) {
      return embed_types(embedding_, batch.features);
    }
    at::Tensor one_hot = at::zeros({batch.num_nodes(), options_.node_types}, head_[0].weight.options());
    return one_hot.scatter_(1, batch.features.unsqueeze(1), 1.0);
  }
  require(batch.features.dim() == 2 && batch.features.size(1) == options_.in_features, options_.name,
          ": features have shape ", batch.features.sizes(), ", expected ", options_.in_features, " columns");
  return batch.features;
}

at::Tensor StackModel::row_scale_of(const GraphBatch& batch, at::ScalarType type) const {
  at::Tensor scale;
  if (options_.size_norm) {
    const at::Tensor sizes = batch.graph_offsets.diff();
    // The length is told beforehand: a GPU would have to be waited for to learn it.
    scale = sizes.to(type).rsqrt().repeat_interleave(sizes, 0, batch.num_nodes());
  }
  // Batch norm sets rows of padding to 0. Without it, they are set to 0 here: a sum over thousands of self loops would
  // otherwise grow from layer to layer until it is infinite, and 0 times that is no gradient.
  if (batch.counts.defined() && !options_.batch_norm) {
    const at::Tensor nodes = batch.real_nodes();
    const at::Tensor real = at::arange(batch.num_nodes(), nodes.options()).lt(nodes).to(type);
    scale = scale.defined() ? scale * real : real;
  }
  return scale;
}

at::Tensor StackModel::finish_block(std::size_t layer, const at::Tensor& y, const at::Tensor& x,
                                    const at::Tensor& row_scale, const at::Tensor& real_nodes) const {
  at::Tensor result;
  if (options_.batch_norm) {
    const bool fused = is_fused(options_.activation);
    result = batch_norm(y, norms_[layer], is_training(), fused ? plain(options_.activation) : Activation::kNone,
                        options_.slope, row_scale, real_nodes);
    result = fused ? result : bend(result, options_.activation, options_.slope);
  } else {
    result = bend(row_scale.defined() ? y * row_scale.unsqueeze(1) : y, options_.activation, options_.slope);
  }
  return options_.residual && x.size(1) == result.size(1) ? result + x : result;
}

ModelOutput StackModel::forward(const GraphBatch& batch, bool with_regulariser) {
  StackPass pass{batch, with_regulariser, {}, {}, {}};
  std::vector<at::Tensor> levels{input_features(batch)};
  const at::Tensor row_scale = row_scale_of(batch, levels[0].scalar_type());
  prepare(pass);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    const at::Tensor y = convolve(layer, levels.back(), pass);
    levels.push_back(finish_block(layer, y, levels.back(), row_scale, batch.real_nodes()));
  }
  if (with_regulariser) {
    judge(levels.back(), pass);
  }
  return {read_out(batch, levels), pass.regulariser};
}

at::Tensor StackModel::read_out(const GraphBatch& batch, const std::vector<at::Tensor>& levels) const {
  const at::Tensor& last = levels.back();
  switch (options_.ending) {
    case Ending::kMeanTanh:
      return linear(head_[0], activate(segment_mean(last, batch.graph_offsets), Activation::kTanh));
    case Ending::kMeanRelu:
      return linear(head_[0], activate(segment_mean(last, batch.graph_offsets), Activation::kRelu));
    case Ending::kNodeLinear:
      return linear(head_[0], last);
    case Ending::kMeanMlp:
    case Ending::kNodeMlp: {
      const bool per_node = is_node_ending(options_.ending);
      const at::Tensor x = activate(per_node ? last : segment_mean(last, batch.graph_offsets), Activation::kRelu);
      return linear(head_[1], activate(linear(head_[0], x), Activation::kRelu));
    }
    case Ending::kLayerSum: {
      at::Tensor total;
      for (std::size_t level = 0; level < levels.size(); ++level) {
        const at::Tensor score = at::dropout(linear(head_[level], segment_sum(levels[level], batch.graph_offsets)),
                                             options_.dropout, drops_out());
        total = total.defined() ? total + score : score;
      }
      return total;
    }
  }
  fail(options_.name, ": unknown readout");
}

at::Tensor StackModel::hidden_features(const GraphBatch& batch) {
  at::NoGradGuard no_gradient;
  StackPass pass{batch, false, {}, {}, {}};
  const at::Tensor x = input_features(batch);
  prepare(pass);
  return finish_block(0, convolve(0, x, pass), x, row_scale_of(batch, x.scalar_type()), batch.real_nodes());
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
  at::NoGradGuard no_gradient;
  StackPass pass{batch, false, {}, {}, {}};
  at::Tensor x = input_features(batch);
  const at::Tensor row_scale = row_scale_of(batch, x.scalar_type());
  prepare(pass);
  for (int index = 0; index < layer; ++index) {
    const auto at = static_cast<std::size_t>(index);
    x = finish_block(at, convolve(at, x, pass), x, row_scale, batch.real_nodes());
  }
  return coefficients(static_cast<std::size_t>(layer), x, pass);
}

}  // namespace factorgcn::baselines
