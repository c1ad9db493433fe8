// Losses of numbers are ours (ops/mean_loss.h), of classes libtorch's; the class weights of node tasks are counted
// here.
#include "factorgcn/train/objective.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/mean_loss.h"

namespace factorgcn {
namespace {

at::Tensor class_weights(const at::Tensor& prediction, const at::Tensor& classes) {
  const at::Tensor counts = at::bincount(classes, {}, prediction.size(1)).to(prediction.scalar_type());
  // A batch of one class would give it weight 0 and the loss 0 / 0.
  if (counts.max().item<double>() == static_cast<double>(classes.numel())) {
    return {};
  }
  return 1 - counts / static_cast<double>(classes.numel());
}

/// class_weights() without looking at the counts; rows of class -100 are no class's.
at::Tensor class_weights_unseen(const at::Tensor& prediction, const at::Tensor& classes) {
  const at::Tensor all = at::arange(prediction.size(1), classes.options());
  const at::Tensor counts = classes.unsqueeze(1).eq(all).sum(0).to(prediction.scalar_type()), total = counts.sum();
  const at::Tensor weights = 1 - counts / total;
  return at::where(counts.max().eq(total), at::ones_like(weights), weights);
}

/// For tasks whose targets are numbers.
at::Tensor number_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                       const at::Tensor& real_graphs = {}) {
  return mean_loss(task == Task::kMultiLabel ? MeanLoss::kBinaryCrossEntropy : MeanLoss::kAbsolute, prediction,
                   targets.to(prediction.scalar_type()), real_graphs);
}

void check_same_shape(Task task, const at::Tensor& prediction, const at::Tensor& targets) {
  require(prediction.sizes() == targets.sizes(), task_name(task), " loss: predictions are ", prediction.sizes(),
          ", targets ", targets.sizes(), "; the shapes must be equal");
}

void check_classes(Task task, const at::Tensor& prediction, const at::Tensor& targets) {
  require(prediction.dim() == 2 && targets.dim() == 1 && prediction.size(0) == targets.size(0), task_name(task),
          " loss: predictions are ", prediction.sizes(), ", targets ", targets.sizes(),
          "; expected [rows, classes] and [rows]");
}

}  // namespace

at::Tensor task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets) {
  switch (task) {
    case Task::kMultiLabel:
    case Task::kRegression:
      check_same_shape(task, prediction, targets);
      return number_loss(task, prediction, targets);
    case Task::kGraphClass:
      check_classes(task, prediction, targets);
      return at::cross_entropy_loss(prediction, targets);
    case Task::kNodeClass: {
      check_classes(task, prediction, targets);
      return at::cross_entropy_loss(prediction, targets, class_weights(prediction, targets));
    }
    case Task::kNone:
      break;
  }
  fail("unknown task ", static_cast<int>(task));
}

Loss objective(Task task, const ModelOutput& output, const at::Tensor& targets, double lambda) {
  Loss loss;
  loss.total = task_loss(task, output.prediction, targets);
  loss.task = loss.total.item<double>();
  if (output.regulariser.defined()) {
    loss.regulariser = output.regulariser.item<double>();
    loss.total = loss.total.add(output.regulariser, lambda);
  }
  loss.value = loss.total.item<double>();
  return loss;
}

at::Tensor padded_task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                            const GraphBatch& batch) {
  if (task == Task::kMultiLabel || task == Task::kRegression) {
    check_same_shape(task, prediction, targets);
    return number_loss(task, prediction, targets, batch.real_graphs());
  }
  check_classes(task, prediction, targets);
  return at::cross_entropy_loss(prediction, targets,
                                task == Task::kNodeClass ? class_weights_unseen(prediction, targets) : at::Tensor());
}

}  // namespace factorgcn
