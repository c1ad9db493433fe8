// A model and data small enough to train in milliseconds, with everything a checkpoint must carry: parameters, a
// buffer, dropout and a regulariser. Labels follow from the sign of the mean feature, so the task can be learnt.
#pragma once

#include <ATen/core/grad_mode.h>
#include <torch/types.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "base/temporary_folder.h"
#include "factorgcn/base/random.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/weights.h"

namespace factorgcn::testing {

class TinyModel : public GraphModel {
 public:
  explicit TinyModel(std::int64_t features = 3, std::int64_t outputs = 3, double dropout = 0.2) : dropout_(dropout) {
    weight_ = register_parameter("weight", torch::zeros({outputs, features}));
    bias_ = register_parameter("bias", torch::zeros({outputs}));
    seen_ = register_buffer("seen", torch::zeros({features}));
    RandomStream random(7, "test/tiny model");
    const at::NoGradGuard no_grad;
    for (std::int64_t index = 0; index < weight_.numel(); ++index) {
      weight_.view({-1})[index] = random.uniform(-0.5, 0.5);
    }
  }

  ModelOutput forward(const GraphBatch& batch, bool /*with_regulariser*/ = true) override {
    ++forwards;
    const torch::Tensor sizes = batch.graph_offsets.slice(0, 1) - batch.graph_offsets.slice(0, 0, -1);
    const torch::Tensor owner = torch::repeat_interleave(torch::arange(batch.num_graphs()), sizes);
    torch::Tensor mean = torch::zeros({batch.num_graphs(), batch.features.size(1)}).index_add(0, owner, batch.features);
    mean = mean / sizes.unsqueeze(1);
    if (is_training()) {
      const at::NoGradGuard no_grad;
      seen_.mul_(0.9).add_(mean.mean(0), 0.1);
    }
    mean = torch::dropout(mean, dropout_, is_training());
    torch::Tensor prediction = torch::linear(mean, weight_, bias_) + 0.01 * seen_.sum();
    if (is_training() && forwards_until_nan >= 0 && --forwards_until_nan < 0) {
      prediction = prediction * std::numeric_limits<double>::quiet_NaN();
    }
    if (!is_training() && infinite_when_scored) {
      prediction = prediction * std::numeric_limits<double>::infinity();
    }
    return {prediction, weight_.pow(2).mean()};
  }

  int forwards = 0;
  int forwards_until_nan = -1;  ///< training passes before predictions become NaN; -1: never
  bool infinite_when_scored = false;

 private:
  double dropout_;
  torch::Tensor weight_, bias_, seen_;
};

inline Dataset tiny_dataset(std::int64_t graphs = 60) {
  RandomStream random(1, "test/tiny data");
  std::vector<Graph> list;
  Dataset dataset;
  dataset.name = "tiny";
  dataset.task = Task::kMultiLabel;
  dataset.num_outputs = 3;
  dataset.targets = torch::zeros({graphs, 3});
  for (std::int64_t index = 0; index < graphs; ++index) {
    Graph graph;
    graph.name = "tiny graph " + std::to_string(index);
    graph.num_nodes = 2 + static_cast<std::int64_t>(random.below(4));
    graph.features = torch::zeros({graph.num_nodes, 3});
    for (std::int64_t column = 0; column < 3; ++column) {
      const double centre = random.chance(0.5) ? 1.0 : -1.0;
      for (std::int64_t node = 0; node < graph.num_nodes; ++node) {
        graph.features[node][column] = centre + random.uniform(-0.5, 0.5);
      }
      dataset.targets[index][column] = centre > 0 ? 1.0 : 0.0;
    }
    for (std::int32_t node = 0; node < graph.num_nodes; ++node) {
      graph.source.push_back(node);
      graph.target.push_back(node);
    }
    list.push_back(graph);
    auto& part = index % 5 < 3 ? dataset.split.train : index % 5 == 3 ? dataset.split.validation : dataset.split.test;
    part.push_back(index);
  }
  dataset.graphs = make_store(list);
  return dataset;
}

/// Equal to the last bit.
inline bool same_bits(const NamedTensors& left, const NamedTensors& right) {
  if (left.size() != right.size()) {
    return false;
  }
  for (std::size_t index = 0; index < left.size(); ++index) {
    if (left[index].first != right[index].first || !torch::equal(left[index].second, right[index].second)) {
      return false;
    }
  }
  return true;
}

/// The message of the Error that `action` throws; a note where it throws none.
template <class ErrorType, class Action>
std::string message_of(Action&& action) {
  try {
    action();
  } catch (const ErrorType& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace factorgcn::testing
