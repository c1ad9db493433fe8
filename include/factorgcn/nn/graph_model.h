// What every trainable model of this library offers to the trainer and the metrics.
#pragma once

#include <ATen/core/Tensor.h>
#include <torch/nn/module.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/graph/graph_batch.h"

namespace factorgcn {

struct FACTORGCN_API ModelOutput {
  at::Tensor prediction;   ///< [G, C] for graph tasks, [N, C] for node tasks; logits or regression values
  at::Tensor regulariser;  ///< a scalar to be weighted by lambda and added to the task loss; undefined where none
};

/// What a training step asks of a forward pass; see ops/late_losses.h.
struct FACTORGCN_API StepOutput {
  at::Tensor prediction;
  std::vector<at::Tensor> regularisers;  ///< scalars that ModelOutput::regulariser is the sum of; maybe still under way
};

/// What a model that has losses of its own is told of a batch beside its graphs.
struct FACTORGCN_API Lesson {
  at::Tensor targets;      ///< as in LabelledBatch, in main memory
  double progress = 1;     ///< the share of all epochs that are behind it, 0 .. 1
  std::uint64_t seed = 0;  ///< of all that is drawn
};

/// How well a model does by its own measure; the less, the better.
struct FACTORGCN_API OwnObjective {
  double value = 0;
  std::vector<std::pair<std::string, double>> terms = {};  ///< what it is made of, by name, before their weights
};

class FACTORGCN_API GraphModel : public torch::nn::Module {
 public:
  /// One forward pass. The regulariser is computed only while the module is in training mode or `with_regulariser`.
  virtual ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) = 0;

  /// forward() for a training step, which needs no value of a regulariser before its end.
  virtual StepOutput forward_in_step(const GraphBatch& batch, bool with_regulariser);

  /// True where training looks at more than predictions and the choice of the best model at more than the task's
  /// metric: lesson() and own_objective() are then called. Such a model is trained batch by batch on every device, by
  /// one process.
  virtual bool has_own_objective() const { return false; }

  /// A forward pass for a training step of a model with losses of its own: they are the regulariser, which lambda is
  /// the weight of. The batch is in main memory, wherever the model is; so it is for own_objective().
  virtual ModelOutput lesson(const GraphBatch& batch, const Lesson& lesson);

  /// What a model with losses of its own is chosen by: the whole objective as it is at training's end, on graphs that
  /// it was not trained on, without gradients. The module must be in evaluation mode.
  virtual OwnObjective own_objective(const GraphBatch& batch, const Lesson& lesson);

  /// True where forward() fulfils what docs/gpu.md asks of a model that is recorded on batches with padding. Others are
  /// trained on a GPU too, batch by batch as on the CPU.
  virtual bool can_be_recorded() const { return false; }

  /// Looks at the data to be trained on, once, before the first step: what is learnt here are buffers, which are kept
  /// with the weights. Most models have nothing to learn from them.
  virtual void learn_input(const Dataset& /*dataset*/) {}

  /// Dropout also in evaluation mode, as one published protocol has it (train/protocol.h).
  void keep_dropout(bool keep) { keep_dropout_ = keep; }

  /// Layers whose edge coefficients can be read as factor graphs; 0 for models without any.
  virtual int num_factor_layers() const { return 0; }

  /// Coefficients of every edge in every factor of a layer (0-based): [E, K], in the order of batch.edges'
  /// in-edges.
  virtual at::Tensor factor_coefficients(const GraphBatch& batch, int layer);

  /// Features of every node after the first hidden layer, [N, D]: for looking at what a model has learnt. Throws Error
  /// where a model does not show them.
  virtual at::Tensor hidden_features(const GraphBatch& batch);

 protected:
  bool drops_out() const { return is_training() || keep_dropout_; }

 private:
  bool keep_dropout_ = false;
};

/// Number of learnt values.
FACTORGCN_API std::int64_t count_parameters(const torch::nn::Module& module);

}  // namespace factorgcn
