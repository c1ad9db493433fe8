// Metrics gathered batch by batch.
//
// Tensors may be of any number type and on any device; they are brought to the CPU once. Cost: O(entries) a batch.
// A NaN prediction never counts as right, so a model that has diverged cannot score well by accident.
#include "factorgcn/eval/classification.h"

#include <cmath>
#include <limits>

#include "factorgcn/base/error.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

constexpr double kNothingAdded = std::numeric_limits<double>::quiet_NaN();

void check_same_shape(const char* metric, const char* name, const at::Tensor& predictions, const at::Tensor& targets) {
  require(predictions.defined() && targets.defined(), metric, ": ", name, " and targets must both be given");
  require(predictions.sizes() == targets.sizes(), metric, ": ", name, " of shape ", shape_text(predictions),
          " against targets of shape ", shape_text(targets), "; they must be the same");
  require(!predictions.is_complex() && !targets.is_complex(), metric, ": complex numbers cannot be scored");
}

/// A contiguous copy on the CPU (or the tensor itself where it is one already).
at::Tensor on_cpu(const at::Tensor& tensor, at::ScalarType type) {
  return tensor.detach().to(at::Device(at::kCPU), type).contiguous();
}

/// Checked class scores and target classes of one batch.
struct ClassBatch {
  at::Tensor scores;   ///< double [B, C]
  at::Tensor classes;  ///< int64 [B]

  ClassBatch(const char* metric, const at::Tensor& given_scores, const at::Tensor& given_classes) {
    require(given_scores.defined() && given_classes.defined(), metric, ": scores and classes must both be given");
    require(given_scores.dim() == 2 && given_scores.size(1) >= 1, metric, ": scores of shape ",
            shape_text(given_scores), "; they must be [rows, classes] with at least one class");
    require(given_classes.dim() == 1 && given_classes.size(0) == given_scores.size(0), metric, ": classes of shape ",
            shape_text(given_classes), " for scores of shape ", shape_text(given_scores),
            "; one class a row is needed");
    require(at::isIntegralType(given_classes.scalar_type(), /*includeBool=*/false), metric,
            ": classes must be integers, not ", at::toString(given_classes.scalar_type()));
    require(!given_scores.is_complex(), metric, ": complex numbers cannot be scored");
    scores = on_cpu(given_scores, at::kDouble);
    classes = on_cpu(given_classes, at::kLong);
    for (std::int64_t row = 0; row < rows(); ++row) {
      const std::int64_t wanted = target(row);
      require(wanted >= 0 && wanted < num_classes(), metric, ": row ", row, " has class ", wanted,
              ", which is not among the ", num_classes(), " classes scored");
    }
  }

  std::int64_t rows() const { return scores.size(0); }
  std::int64_t num_classes() const { return scores.size(1); }
  std::int64_t target(std::int64_t row) const { return classes.data_ptr<std::int64_t>()[row]; }

  /// The first of the largest scores is at the target; false where a score is NaN.
  bool is_right(std::int64_t row) const {
    const double* const score = scores.data_ptr<double>() + row * num_classes();
    std::int64_t best = 0;
    for (std::int64_t column = 0; column < num_classes(); ++column) {
      if (std::isnan(score[column])) {
        return false;
      }
      if (score[column] > score[best]) {
        best = column;
      }
    }
    return best == target(row);
  }
};

}  // namespace

void MicroF1::add(const at::Tensor& logits, const at::Tensor& targets) {
  check_same_shape("micro-F1", "logits", logits, targets);
  require(logits.dim() == 2, "micro-F1: logits of shape ", shape_text(logits), "; they must be [rows, labels]");
  const at::Tensor cpu_logits = on_cpu(logits, at::kDouble), cpu_targets = on_cpu(targets, at::kDouble);
  const double* const logit = cpu_logits.data_ptr<double>();
  const double* const target = cpu_targets.data_ptr<double>();
  const std::int64_t count = cpu_logits.numel();
  for (std::int64_t at = 0; at < count; ++at) {
    require(target[at] == 0 || target[at] == 1, "micro-F1: a target is ", target[at], "; targets must be 0 or 1");
  }
  for (std::int64_t at = 0; at < count; ++at) {
    const bool wanted = target[at] == 1;
    const bool predicted = std::isnan(logit[at]) ? !wanted : logit[at] > 0;
    true_positive_ += wanted && predicted;
    false_positive_ += !wanted && predicted;
    false_negative_ += wanted && !predicted;
  }
}

double MicroF1::value() const {
  const std::int64_t denominator = 2 * true_positive_ + false_positive_ + false_negative_;
  return denominator == 0 ? 1.0 : static_cast<double>(2 * true_positive_) / static_cast<double>(denominator);
}

void MeanAbsoluteError::add(const at::Tensor& predictions, const at::Tensor& targets) {
  check_same_shape("mean absolute error", "predictions", predictions, targets);
  const at::Tensor cpu_predictions = on_cpu(predictions, at::kDouble), cpu_targets = on_cpu(targets, at::kDouble);
  const double* const prediction = cpu_predictions.data_ptr<double>();
  const double* const target = cpu_targets.data_ptr<double>();
  const std::int64_t count = cpu_predictions.numel();
  for (std::int64_t at = 0; at < count; ++at) {
    sum_ += std::abs(prediction[at] - target[at]);
  }
  count_ += count;
}

double MeanAbsoluteError::value() const { return count_ == 0 ? kNothingAdded : sum_ / static_cast<double>(count_); }

void Accuracy::add(const at::Tensor& scores, const at::Tensor& classes) {
  const ClassBatch batch("accuracy", scores, classes);
  for (std::int64_t row = 0; row < batch.rows(); ++row) {
    right_ += batch.is_right(row);
  }
  count_ += batch.rows();
}

double Accuracy::value() const {
  return count_ == 0 ? kNothingAdded : static_cast<double>(right_) / static_cast<double>(count_);
}

MeanRecall::MeanRecall(std::int64_t num_classes) {
  require(num_classes >= 1, "mean recall: ", num_classes, " classes; at least 1 is needed");
  right_.assign(static_cast<std::size_t>(num_classes), 0);
  count_.assign(static_cast<std::size_t>(num_classes), 0);
}

void MeanRecall::add(const at::Tensor& scores, const at::Tensor& classes) {
  const ClassBatch batch("mean recall", scores, classes);
  require(batch.num_classes() == static_cast<std::int64_t>(count_.size()), "mean recall: scores of ",
          batch.num_classes(), " classes where ", count_.size(), " were announced");
  for (std::int64_t row = 0; row < batch.rows(); ++row) {
    right_[batch.target(row)] += batch.is_right(row);
    ++count_[batch.target(row)];
  }
}

double MeanRecall::value() const {
  double recalls = 0;
  std::int64_t present = 0;
  for (std::size_t label = 0; label < count_.size(); ++label) {
    if (count_[label] > 0) {
      recalls += static_cast<double>(right_[label]) / static_cast<double>(count_[label]);
      ++present;
    }
  }
  return present == 0 ? kNothingAdded : recalls / static_cast<double>(present);
}

}  // namespace factorgcn
