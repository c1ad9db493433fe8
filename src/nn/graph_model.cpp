// Defaults that models share.
#include "factorgcn/nn/graph_model.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

StepOutput GraphModel::forward_in_step(const GraphBatch& batch, bool with_regulariser) {
  const ModelOutput output = forward(batch, with_regulariser);
  StepOutput result{output.prediction, {}};
  if (output.regulariser.defined()) {
    result.regularisers.push_back(output.regulariser);
  }
  return result;
}

ModelOutput GraphModel::lesson(const GraphBatch& batch, const Lesson&) { return forward(batch, true); }

OwnObjective GraphModel::own_objective(const GraphBatch&, const Lesson&) {
  fail("this model has no objective of its own");
}

at::Tensor GraphModel::factor_coefficients(const GraphBatch&, int) {
  fail("this model has no edge coefficients that could be read as factor graphs");
}

at::Tensor GraphModel::hidden_features(const GraphBatch&) { fail("this model does not show its hidden features"); }

std::int64_t count_parameters(const torch::nn::Module& module) {
  std::int64_t count = 0;
  for (const auto& parameter : module.parameters()) {
    count += parameter.numel();
  }
  return count;
}

}  // namespace factorgcn
