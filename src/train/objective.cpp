// Losses from libtorch's own functions; the class weights of node tasks are counted here.
#include "factorgcn/train/objective.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/l1_loss.h>

#include "factorgcn/base/error.h"

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
      check_same_shape(task, prediction, targets);
      return at::binary_cross_entropy_with_logits(prediction, targets.to(prediction.scalar_type()));
    case Task::kRegression:
      check_same_shape(task, prediction, targets);
      return at::l1_loss(prediction, targets.to(prediction.scalar_type()));
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
    loss.total = loss.total + output.regulariser * lambda;
  }
  loss.value = loss.total.item<double>();
  return loss;
}

}  // namespace factorgcn
