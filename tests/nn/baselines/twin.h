// How the compared networks are tested: each against a float64 twin of dense matrices, in predictions, regulariser and
// the gradients of all weights. The twin reads the model's weights by name; nothing of ops/ is used.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/batch_norm.h>
#include <ATen/ops/elu.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/one_hot.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <string>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/nn/registry.h"
#include "nn/dense_twin.h"
#include "ops/random_graphs.h"

namespace factorgcn::testing {

inline constexpr std::int64_t kNodeTypes = 5, kFeatures = 6, kEdgeTypes = 3, kOutputs = 3;

/// Four small graphs with self loops, parallel edges and lone nodes; float64 features or node types, and edge types.
inline GraphBatch twin_batch(bool types, RandomStream& random) {
  std::vector<Graph> graphs(4);
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Graph& graph = graphs[g];
    graph.num_nodes = 4 + static_cast<std::int64_t>(g);
    for (int e = 0; e < 12; ++e) {
      // The last node of each graph stays alone.
      graph.source.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes - 1)));
      graph.target.push_back(static_cast<std::int32_t>(random.below(graph.num_nodes - 1)));
    }
    if (types) {
      graph.features = at::zeros({graph.num_nodes}, at::TensorOptions().dtype(at::kLong));
      for (std::int64_t i = 0; i < graph.num_nodes; ++i) {
        graph.features[i] = static_cast<std::int64_t>(random.below(kNodeTypes));
      }
    } else {
      graph.features = random_tensor({graph.num_nodes, kFeatures}, random, at::kFloat);
    }
  }
  GraphBatch batch = make_batch(graphs);
  if (!types) {
    batch.features = batch.features.to(at::kDouble);
  }
  batch.edge_types = at::empty({batch.num_edges()}, at::kInt);
  for (std::int64_t e = 0; e < batch.num_edges(); ++e) {
    batch.edge_types.data_ptr<std::int32_t>()[e] = static_cast<std::int32_t>(random.below(kEdgeTypes));
  }
  return batch;
}

inline ModelInput twin_input(Task task, bool types) {
  return {task, types ? 0 : kFeatures, types ? kNodeTypes : 0, kOutputs, kEdgeTypes};
}

/// What the twin does around the convolutions.
struct TwinShape {
  std::int64_t layers = 2;
  bool batch_norm = false, size_norm = false, residual = false;
  std::string activation = "relu", readout = "mean_mlp";
  std::int64_t embedding = 6;

  Settings settings(Settings more) const {
    more.insert({{"layers", layers},
                 {"batch_norm", batch_norm},
                 {"size_norm", size_norm},
                 {"residual", residual},
                 {"activation", activation},
                 {"readout", readout},
                 {"hidden", std::int64_t{8}}});
    return more;
  }
};

/// The weights of a model by name.
struct TwinWeights {
  const torch::nn::Module& module;

  at::Tensor operator()(const std::string& name) const { return weight_of(module, name); }
  at::Tensor linear(const at::Tensor& x, const std::string& name) const {
    return at::linear(x, weight_of(module, name + "_weight"), weight_of(module, name + "_bias"));
  }
  at::Tensor norm(const at::Tensor& x, const std::string& name) const {
    return at::batch_norm(x, weight_of(module, name + "_gamma"), weight_of(module, name + "_beta"), {}, {}, true, 0.1,
                          1e-5, false);
  }
};

/// The convolution of one layer; may add to the regulariser.
using TwinConvolution = std::function<at::Tensor(const TwinWeights& weights, const std::string& layer,
                                                 const GraphBatch& batch, const at::Tensor& x, ModelOutput& output)>;

inline at::Tensor twin_pool(const at::Tensor& x, const at::Tensor& offsets, bool mean) {
  std::vector<at::Tensor> rows;
  for (std::int64_t g = 0; g + 1 < offsets.numel(); ++g) {
    const at::Tensor part = x.slice(0, offsets[g].item<std::int64_t>(), offsets[g + 1].item<std::int64_t>());
    rows.push_back(mean ? part.mean(0) : part.sum(0));
  }
  return at::stack(rows);
}

inline ModelOutput twin_forward(const torch::nn::Module& model, const GraphBatch& batch, const TwinShape& shape,
                                const TwinConvolution& convolution, at::Tensor* last = nullptr) {
  const TwinWeights weights{model};
  at::Tensor x = batch.features;
  if (x.scalar_type() == at::kLong) {
    x = shape.embedding == 0 ? at::one_hot(x, kNodeTypes).to(at::kDouble) : at::embedding(weights("embedding"), x);
  }
  ModelOutput output;
  std::vector<at::Tensor> levels{x};
  for (std::int64_t layer = 1; layer <= shape.layers; ++layer) {
    const at::Tensor in = levels.back();
    at::Tensor y = convolution(weights, "layer" + std::to_string(layer), batch, in, output);
    if (shape.size_norm) {
      const at::Tensor sizes = batch.graph_offsets.diff();
      y = y * sizes.to(at::kDouble).rsqrt().repeat_interleave(sizes).unsqueeze(1);
    }
    if (shape.batch_norm) {
      y = weights.norm(y, "norm" + std::to_string(layer));
    }
    y = shape.activation == "relu"         ? at::relu(y)
        : shape.activation == "tanh"       ? at::tanh(y)
        : shape.activation == "elu"        ? at::elu(y)
        : shape.activation == "leaky_relu" ? at::leaky_relu(y, 0.2)
                                           : y;
    levels.push_back(shape.residual && in.size(1) == y.size(1) ? y + in : y);
  }
  const at::Tensor& end = levels.back();
  if (last != nullptr) {
    *last = end;
  }
  if (shape.readout == "mean_tanh") {
    output.prediction = weights.linear(at::tanh(twin_pool(end, batch.graph_offsets, true)), "head");
  } else if (shape.readout == "mean_relu") {
    output.prediction = weights.linear(at::relu(twin_pool(end, batch.graph_offsets, true)), "head");
  } else if (shape.readout == "mean_mlp" || shape.readout == "node_mlp") {
    const at::Tensor in = shape.readout == "mean_mlp" ? twin_pool(end, batch.graph_offsets, true) : end;
    output.prediction = weights.linear(at::relu(weights.linear(at::relu(in), "head1")), "head2");
  } else if (shape.readout == "node_linear") {
    output.prediction = weights.linear(end, "head");
  } else {
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const at::Tensor score =
          weights.linear(twin_pool(levels[level], batch.graph_offsets, false), "head" + std::to_string(level));
      output.prediction = level == 0 ? score : output.prediction + score;
    }
  }
  return output;
}

/// Predictions, regulariser and the gradients of all weights of both, on features and on node types.
inline void expect_equal_twin(const std::string& name, const Settings& more, TwinShape shape,
                              const TwinConvolution& convolution,
                              const std::function<at::Tensor(const at::Tensor& last)>& judge = {}) {
  RandomStream random(1, "test");
  for (const bool types : {false, true}) {
    SCOPED_TRACE(name + (types ? " on node types" : " on features"));
    Settings settings = shape.settings(more);
    if (types) {
      settings["embedding"] = shape.embedding;
    }
    const bool per_node = shape.readout.starts_with("node");
    const auto model =
        make_model(name, twin_input(per_node ? Task::kNodeClass : Task::kRegression, types), settings, 3);
    model->to(at::kDouble);
    const GraphBatch batch = twin_batch(types, random);
    at::Tensor last;
    const ModelOutput actual = model->forward(batch, true);
    ModelOutput expected = twin_forward(*model, batch, shape, convolution, &last);
    if (judge) {
      expected.regulariser = judge(last);
    }
    ASSERT_EQ(actual.regulariser.defined(), expected.regulariser.defined());
    EXPECT_LT(difference(actual.prediction, expected.prediction), 1e-10);
    const at::Tensor direction = random_tensor(expected.prediction.sizes(), random);
    const auto total = [&](const ModelOutput& output) {
      const at::Tensor task = (output.prediction * direction).sum();
      return output.regulariser.defined() ? task + output.regulariser * 0.7 : task;
    };
    if (expected.regulariser.defined()) {
      EXPECT_LT(difference(actual.regulariser, expected.regulariser), 1e-10);
    }
    std::vector<at::Tensor> parameters;
    std::vector<std::string> names;
    for (const auto& item : model->named_parameters()) {
      parameters.push_back(item.value());
      names.push_back(item.key());
    }
    const auto gradients = torch::autograd::grad({total(actual)}, parameters, {}, {}, false, /*allow_unused=*/false);
    const auto twins = torch::autograd::grad({total(expected)}, parameters, {}, {}, false, /*allow_unused=*/false);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_LT(difference(gradients[i], twins[i]), 1e-9) << names[i];
    }
    EXPECT_FALSE(model->forward(batch, false).regulariser.defined());
  }
}

}  // namespace factorgcn::testing
