// The arguments of a disentangle layer with its discriminator on the GPU, checked, for both ways of running it
// (layer_tiles.cpp and layer_rows.cpp), and how these are registered.
#pragma once

#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>
#include <iterator>
#include <vector>

#include "ops/cuda/beside.h"
#include "ops/cuda/glue.h"
#include "ops/layer_tiles_schema.h"

namespace factorgcn::cuda {

/// All inputs; in this order they are given and saved for the backward pass.
struct LayerInputs {
  at::Tensor x, weight, bias, gate_weight, gate_bias;
  at::Tensor judge[6];  // both convolutions' and the classifier's weights and biases; all or none
  at::Tensor source_weight, target_weight;
  at::Tensor in_offsets, in_sources, out_offsets, out_targets, graph_offsets;
  at::Tensor real_graphs;                 // or undefined
  at::Tensor long_targets, long_sources;  // likewise; see KnownLongRows
  std::int64_t layer = 0;
  double gate_scale = 1;
  bool beside = false;  // the discriminator may run on another stream

  static constexpr int kTensors = 21;
  at::Tensor& at(int index) {
    at::Tensor* const all[kTensors] = {
        &x,          &weight,      &bias,        &gate_weight,   &gate_bias,     &judge[0],      &judge[1],
        &judge[2],   &judge[3],    &judge[4],    &judge[5],      &source_weight, &target_weight, &in_offsets,
        &in_sources, &out_offsets, &out_targets, &graph_offsets, &real_graphs,   &long_targets,  &long_sources};
    return *all[index];
  }

  /// In the order of the operations' schema.
  static LayerInputs of(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                        const at::Tensor& gate_weight, const at::Tensor& gate_bias, const OptionalTensor& first_weight,
                        const OptionalTensor& first_bias, const OptionalTensor& second_weight,
                        const OptionalTensor& second_bias, const OptionalTensor& classifier_weight,
                        const OptionalTensor& classifier_bias, const OptionalTensor& source_weight,
                        const OptionalTensor& target_weight, const at::Tensor& in_offsets, const at::Tensor& in_sources,
                        const at::Tensor& out_offsets, const at::Tensor& out_targets, const at::Tensor& graph_offsets,
                        const OptionalTensor& real_graphs, const OptionalTensor& long_targets,
                        const OptionalTensor& long_sources, std::int64_t layer, double gate_scale, bool beside) {
    return {
        x,
        weight,
        bias,
        gate_weight,
        gate_bias,
        {value_or_undefined(first_weight), value_or_undefined(first_bias), value_or_undefined(second_weight),
         value_or_undefined(second_bias), value_or_undefined(classifier_weight), value_or_undefined(classifier_bias)},
        value_or_undefined(source_weight),
        value_or_undefined(target_weight),
        in_offsets,
        in_sources,
        out_offsets,
        out_targets,
        graph_offsets,
        value_or_undefined(real_graphs),
        value_or_undefined(long_targets),
        value_or_undefined(long_sources),
        layer,
        gate_scale,
        beside};
  }

  std::int64_t nodes() const { return x.size(0); }
  std::int64_t in() const { return x.size(1); }
  std::int64_t width() const { return weight.size(0); }
  std::int64_t factors() const { return gate_weight.size(0) / 2; }
  std::int64_t narrow() const { return judge[0].size(0); }
  std::int64_t graphs() const { return graph_offsets.numel() - 1; }
  bool judged() const { return judge[0].defined(); }
  /// Those that are trained, in the order of the inputs; the discriminator's where its loss is wanted.
  std::vector<at::Tensor> weights(bool with_judge) const {
    std::vector<at::Tensor> all{weight, bias, gate_weight, gate_bias};
    if (with_judge) {
      all.insert(all.end(), std::begin(judge), std::end(judge));
    }
    return all;
  }
  /// Whichever of them is trained, the backward pass needs all that is kept for it.
  bool wants_gradient() const {
    const auto wants = [](const at::Tensor& tensor) { return tensor.defined() && tensor.requires_grad(); };
    const std::vector<at::Tensor> all = weights(true);
    return wants(x) || std::any_of(all.begin(), all.end(), wants);
  }

  void check(const char* operation) {
    require(x.defined() && x.dim() == 2 && x.size(1) >= 1, operation, ": x must have shape [nodes, columns]");
    require(weight.defined() && weight.dim() == 2 && gate_weight.defined() && gate_weight.dim() == 2 &&
                gate_weight.size(0) >= 2 && gate_weight.size(0) % 2 == 0,
            operation, ": weight must have shape [width, in], gate_weight [2 factors, width]");
    x = x.contiguous();
    const auto tidy = [&](const char* name, at::Tensor& tensor, std::vector<std::int64_t> shape) {
      check_table(operation, name, tensor, shape, x);
      tensor = tensor.contiguous();
    };
    tidy("weight", weight, {width(), in()});
    tidy("bias", bias, {width()});
    tidy("gate_weight", gate_weight, {2 * factors(), width()});
    tidy("gate_bias", gate_bias, {2 * factors()});
    if (judged()) {
      require(judge[0].dim() == 2, operation, ": first_weight must have shape [narrow, width]");
      tidy("first_weight", judge[0], {narrow(), width()});
      tidy("first_bias", judge[1], {narrow()});
      tidy("second_weight", judge[2], {width(), narrow()});
      tidy("second_bias", judge[3], {width()});
      tidy("classifier_weight", judge[4], {factors(), width()});
      tidy("classifier_bias", judge[5], {factors()});
    }
    for (at::Tensor* node_weight : {&source_weight, &target_weight}) {
      if (node_weight->defined()) {
        tidy("a node weight", *node_weight, {nodes()});
      }
    }
    check_index(operation, "in_offsets", in_offsets, at::kLong, nodes() + 1, x);
    check_index(operation, "out_offsets", out_offsets, at::kLong, nodes() + 1, x);
    check_index(operation, "in_sources", in_sources, at::kInt, out_targets.numel(), x);
    check_index(operation, "out_targets", out_targets, at::kInt, in_sources.numel(), x);
    check_offsets(operation, graph_offsets, x);
    if (real_graphs.defined()) {
      check_index(operation, "real_graphs", real_graphs, at::kLong, 1, x);
    }
  }

  /// Puts the inputs in front of what else is saved.
  void save(torch::autograd::AutogradContext* context, const std::vector<at::Tensor>& more) {
    torch::autograd::variable_list saved;
    for (int i = 0; i < kTensors; ++i) {
      saved.push_back(at(i));
    }
    saved.insert(saved.end(), more.begin(), more.end());
    if (Taken* const taken = BesideStreams::taken(*context)) {
      taken->keep(saved);
    }
    context->save_for_backward(std::move(saved));
    context->saved_data["layer"] = layer;
    context->saved_data["gate_scale"] = gate_scale;
  }
  static LayerInputs restore(torch::autograd::AutogradContext* context, const torch::autograd::variable_list& saved) {
    LayerInputs inputs;
    for (int i = 0; i < kTensors; ++i) {
      inputs.at(i) = saved[i];
    }
    inputs.layer = context->saved_data["layer"].toInt();
    inputs.gate_scale = context->saved_data["gate_scale"].toDouble();
    return inputs;
  }

  /// The gradients of the arguments of a LayerOperation's function from those of the inputs, the last of which have
  /// none.
  static torch::autograd::variable_list gradients(torch::autograd::variable_list of_inputs) {
    constexpr int kOthers = 4;  // `training` in front; layer, gate_scale and beside behind
    of_inputs.insert(of_inputs.begin(), at::Tensor());
    of_inputs.resize(kTensors + kOthers);
    return of_inputs;
  }
};

/// The operation that an autograd function makes: call() has the schema's C++ type, so that its arguments are listed
/// there and in LayerInputs::of() alone. The function is given `training`, then these.
template <class Function, class Signature = LayerTilesSignature>
struct LayerOperation;
template <class Function, class Result, class... Arguments>
struct LayerOperation<Function, Result(Arguments...)> {
  static Result call(Arguments... arguments) {
    const bool training = at::GradMode::is_enabled() && LayerInputs::of(arguments...).wants_gradient();
    const torch::autograd::variable_list results = Function::apply(training, arguments...);
    return {results[0], results[1]};
  }
};

}  // namespace factorgcn::cuda
