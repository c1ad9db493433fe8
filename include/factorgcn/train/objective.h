// What training minimises: the task's loss plus lambda times the model's regulariser.
//
//   multi-label   binary cross entropy with logits, mean over all labels
//   regression    mean absolute error
//   graph class   cross entropy, mean over graphs
//   node class    cross entropy with each class weighted by 1 - its share of the batch, divided by the summed weights
//
// The weights of classes can be chosen (class_weights): task, the above; none, all alike; balanced, those of the
// training part by 1 / their number there, so that rare classes count as much as common ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

enum class ClassWeights { kTask, kNone, kBalanced };

FACTORGCN_API ClassWeights class_weights_from_name(const std::string& name);

/// What they are for the training part of a data set: float [C], or undefined for those of the task. Balanced ones have
/// the mean 1 over the part; classes that it does not have weigh 0.
FACTORGCN_API at::Tensor class_weight_values(ClassWeights weights, const Dataset& dataset);

/// The same for classes of nodes from how many nodes each class has, int64 [C]: always defined.
FACTORGCN_API at::Tensor node_class_weights(ClassWeights weights, const at::Tensor& counts);

/// A scalar, differentiable in the prediction. Shapes as in data/dataset.h; throws Error where they do not fit.
/// `class_weights`: of class_weight_values(), for tasks of classes.
FACTORGCN_API at::Tensor task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                                   const at::Tensor& class_weights = {});

struct FACTORGCN_API Loss {
  at::Tensor total;  ///< to call backward() on
  double value = 0;  ///< total
  double task = 0;
  double regulariser = 0;  ///< unweighted; 0 where the model has none
};

FACTORGCN_API Loss objective(Task task, const ModelOutput& output, const at::Tensor& targets, double lambda,
                             const at::Tensor& class_weights = {});

/// The loss of a batch from its pieces: task_loss(batch) = sum over pieces of piece_share * task_loss(piece), where
/// each piece is given the batch's class weights.
struct FACTORGCN_API BatchPieces {
  /// `targets`: of the whole batch, in main memory; `outputs`: columns of a prediction.
  BatchPieces(Task task, const at::Tensor& targets, std::int64_t outputs, const at::Tensor& class_weights = {});

  double piece_share(const at::Tensor& targets) const;

  at::Tensor class_weights;  ///< to give to task_loss(); undefined: none

 private:
  double weight(const at::Tensor& targets) const;
  double whole_ = 0;
};

/// task_loss() without waiting for a GPU, and for batches that are padded: graphs of `batch` beyond the real ones do
/// not count, nor do rows of class -100. Equal to task_loss() up to rounding.
FACTORGCN_API at::Tensor padded_task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                                          const GraphBatch& batch, const at::Tensor& class_weights = {});

}  // namespace factorgcn
