// Losses of numbers are ours (ops/mean_loss.h), of classes libtorch's; the class weights of node tasks are counted
// here.
#include "factorgcn/train/objective.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/bincount.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/mean_loss.h"

namespace factorgcn {
namespace {

/// By each class's share of the rows that `counts` counts.
at::Tensor weights_by_share(const at::Tensor& counts, at::ScalarType type) {
  const auto rows = static_cast<double>(counts.sum().item<std::int64_t>());
  // A batch of one class would give it weight 0 and the loss 0 / 0.
  if (counts.max().item<double>() == rows) {
    return {};
  }
  return 1 - counts.to(type) / rows;
}

at::Tensor class_weights(const at::Tensor& classes, std::int64_t number, at::ScalarType type) {
  return weights_by_share(at::bincount(classes, {}, number), type);
}

/// With the mean 1 over the rows that are counted.
at::Tensor balanced_weights(const at::Tensor& counts) {
  const auto* const count = counts.data_ptr<std::int64_t>();
  const std::int64_t classes = counts.numel();
  const auto all = static_cast<double>(counts.sum().item<std::int64_t>());
  const auto present = static_cast<double>(classes - std::count(count, count + classes, 0));
  at::Tensor values = at::zeros({classes}, at::kFloat);
  for (std::int64_t index = 0; index < classes; ++index) {
    const auto own = static_cast<double>(count[index]);
    values.data_ptr<float>()[index] = static_cast<float>(own > 0 ? all / present / own : 0);
  }
  return values;
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

ClassWeights class_weights_from_name(const std::string& name) {
  require_usage(name == "task" || name == "none" || name == "balanced", "'class_weights' is '", name,
                "'; choose task, none or balanced");
  return name == "none" ? ClassWeights::kNone : name == "balanced" ? ClassWeights::kBalanced : ClassWeights::kTask;
}

at::Tensor class_weight_values(ClassWeights weights, const Dataset& dataset) {
  const bool nodes = dataset.task == Task::kNodeClass;
  if (weights == ClassWeights::kTask) {
    return {};
  }
  require_usage(nodes || dataset.task == Task::kGraphClass, "'class_weights' goes with classes; the task of data set ",
                dataset.name, " is ", task_name(dataset.task));
  if (weights == ClassWeights::kNone) {
    return nodes ? at::ones({dataset.num_outputs}, at::kFloat) : at::Tensor();
  }
  const at::Tensor counts = at::zeros({dataset.num_outputs}, at::kLong);
  const auto* const classes = dataset.targets.data_ptr<std::int64_t>();
  const auto* const offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (const std::int64_t item : dataset.split.train) {
    const bool whole = nodes && !dataset.node_split;  // every node of a graph
    const std::int64_t end = whole ? offsets[item + 1] : item + 1;
    for (std::int64_t row = whole ? offsets[item] : item; row < end; ++row) {
      ++counts.data_ptr<std::int64_t>()[classes[row]];
    }
  }
  return balanced_weights(counts);
}

at::Tensor node_class_weights(ClassWeights weights, const at::Tensor& counts) {
  const at::Tensor values = weights == ClassWeights::kBalanced ? balanced_weights(counts)
                            : weights == ClassWeights::kTask   ? weights_by_share(counts, at::kFloat)
                                                               : at::Tensor();
  return values.defined() ? values : at::ones({counts.numel()}, at::kFloat);
}

at::Tensor task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets,
                     const at::Tensor& given_weights) {
  switch (task) {
    case Task::kMultiLabel:
    case Task::kRegression:
      check_same_shape(task, prediction, targets);
      return number_loss(task, prediction, targets);
    case Task::kGraphClass:
      check_classes(task, prediction, targets);
      return at::cross_entropy_loss(prediction, targets, given_weights);
    case Task::kNodeClass: {
      check_classes(task, prediction, targets);
      const at::ScalarType type = prediction.scalar_type();
      const at::Tensor weights =
          given_weights.defined() ? given_weights : class_weights(targets, prediction.size(1), type);
      return at::cross_entropy_loss(prediction, targets, weights);
    }
    case Task::kNone:
      break;
  }
  fail("unknown task ", static_cast<int>(task));
}

Loss objective(Task task, const ModelOutput& output, const at::Tensor& targets, double lambda,
               const at::Tensor& class_weights) {
  Loss loss;
  loss.total = task_loss(task, output.prediction, targets, class_weights);
  loss.task = loss.total.item<double>();
  if (output.regulariser.defined()) {
    loss.regulariser = output.regulariser.item<double>();
    loss.total = loss.total.add(output.regulariser, lambda);
  }
  loss.value = loss.total.item<double>();
  return loss;
}

BatchPieces::BatchPieces(Task task, const at::Tensor& targets, std::int64_t outputs, const at::Tensor& given_weights)
    : class_weights(given_weights) {
  if (task == Task::kNodeClass && !class_weights.defined()) {
    class_weights = factorgcn::class_weights(targets, outputs, at::kFloat);
    if (!class_weights.defined()) {
      class_weights = at::ones({outputs}, at::kFloat);  // so that a piece does not count classes of its own
    }
  }
  whole_ = weight(targets);
}

double BatchPieces::weight(const at::Tensor& targets) const {
  return class_weights.defined() ? at::index_select(class_weights, 0, targets).to(at::kDouble).sum().item<double>()
                                 : static_cast<double>(targets.size(0));
}

double BatchPieces::piece_share(const at::Tensor& targets) const { return weight(targets) / whole_; }

at::Tensor padded_task_loss(Task task, const at::Tensor& prediction, const at::Tensor& targets, const GraphBatch& batch,
                            const at::Tensor& given_weights) {
  if (task == Task::kMultiLabel || task == Task::kRegression) {
    check_same_shape(task, prediction, targets);
    return number_loss(task, prediction, targets, batch.real_graphs());
  }
  check_classes(task, prediction, targets);
  return at::cross_entropy_loss(prediction, targets,
                                given_weights.defined()    ? given_weights
                                : task == Task::kNodeClass ? class_weights_unseen(prediction, targets)
                                                           : at::Tensor());
}

}  // namespace factorgcn
