// What training minimises: the task's loss plus lambda times the model's regulariser.
//
//   multi-label   binary cross entropy with logits, mean over all labels
//   regression    mean absolute error
//   graph class   cross entropy, mean over graphs
//   node class    cross entropy with each class weighted by 1 - its share of the batch, divided by the summed weights
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"

namespace factorgcn {

/// A scalar, differentiable in the prediction. Shapes as in data/dataset.h; throws Error where they do not fit.
FACTORGCN_API at::Tensor task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets);

struct FACTORGCN_API Loss {
  at::Tensor total;  ///< to call backward() on
  double value = 0;  ///< total
  double task = 0;
  double regulariser = 0;  ///< unweighted; 0 where the model has none
};

FACTORGCN_API Loss objective(Task task, const ModelOutput& output, const at::Tensor& targets, double lambda);

/// task_loss() without waiting for a GPU, and for batches that are padded: graphs of `batch` beyond the real ones do
/// not count, nor do rows of class -100. Equal to task_loss() up to rounding.
FACTORGCN_API at::Tensor padded_task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                                          const GraphBatch& batch);

}  // namespace factorgcn
