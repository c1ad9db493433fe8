// A model in evaluation mode, without gradients, for as long as this lives.
#pragma once

#include <ATen/core/grad_mode.h>

#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

class EvaluationMode {
 public:
  explicit EvaluationMode(GraphModel& model) : model_(model), was_training_(model.is_training()) { model_.eval(); }
  ~EvaluationMode() { model_.train(was_training_); }
  EvaluationMode(const EvaluationMode&) = delete;
  EvaluationMode& operator=(const EvaluationMode&) = delete;

 private:
  GraphModel& model_;
  bool was_training_;
  at::NoGradGuard no_grad_;
};

}  // namespace factorgcn
