// Predictions and targets as plain arrays, and the rows in the order of their predictions.
#include <ATen/core/Tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/eval/metrics.h"
#include "graph/tensor_checks.h"

namespace factorgcn {
namespace {

template <class Value>
void append(const at::Tensor& tensor, at::ScalarType type, std::vector<Value>& values) {
  const at::Tensor plain = tensor.detach().to(at::Device(at::kCPU), type).contiguous();
  values.insert(values.end(), plain.data_ptr<Value>(), plain.data_ptr<Value>() + plain.numel());
}

}  // namespace

Answers::Answers(TargetKind kind, std::int64_t columns) : kind_(kind), columns_(columns) {
  require(columns >= 1, "answers of ", columns, " columns; at least 1 is needed");
}

Answers Answers::of_classes(std::int64_t classes, std::span<const std::int64_t> chosen,
                            std::span<const std::int64_t> targets) {
  Answers answers(TargetKind::kClasses, classes);
  require(chosen.size() == targets.size(), "there are ", chosen.size(), " answers for ", targets.size(), " targets");
  answers.can_be_ranked_ = false;
  answers.rows_ = static_cast<std::int64_t>(chosen.size());
  answers.classes_.assign(targets.begin(), targets.end());
  answers.predictions_.assign(chosen.size() * static_cast<std::size_t>(classes), 0.0);
  for (std::int64_t row = 0; row < answers.rows_; ++row) {
    require(chosen[row] >= 0 && chosen[row] < classes && targets[row] >= 0 && targets[row] < classes, "answers: row ",
            row, " has class ", targets[row], " and was put into ", chosen[row], "; there are ", classes, " classes");
    answers.predictions_[row * classes + chosen[row]] = 1;
  }
  return answers;
}

void Answers::add(const at::Tensor& predictions, const at::Tensor& targets) {
  require(predictions.defined() && targets.defined(), "answers: predictions and targets must both be given");
  require(predictions.dim() == 2 && predictions.size(1) == columns_, "answers: predictions of shape ",
          shape_text(predictions), "; they must be [rows, ", columns_, "]");
  require(rows_ + predictions.size(0) <= std::numeric_limits<std::int32_t>::max(), "answers: too many rows");
  if (kind_ == TargetKind::kClasses) {
    require(targets.dim() == 1 && targets.size(0) == predictions.size(0), "answers: classes of shape ",
            shape_text(targets), " for predictions of shape ", shape_text(predictions));
    append(targets, at::kLong, classes_);
    for (std::int64_t row = rows_; row < rows_ + predictions.size(0); ++row) {
      require(classes_[row] >= 0 && classes_[row] < columns_, "answers: row ", row, " has class ", classes_[row],
              ", which is not among the ", columns_, " classes scored");
    }
  } else {
    require(targets.sizes() == predictions.sizes(), "answers: targets of shape ", shape_text(targets),
            " for predictions of shape ", shape_text(predictions));
    append(targets, at::kDouble, targets_);
  }
  append(predictions, at::kDouble, predictions_);
  rows_ += predictions.size(0);
  rankings_.clear();
}

std::int64_t Answers::chosen_class(std::int64_t row) const {
  const double* const scores = predictions_.data() + row * columns_;
  std::int64_t best = 0;
  for (std::int64_t column = 0; column < columns_; ++column) {
    if (std::isnan(scores[column])) {
      return -1;
    }
    if (scores[column] > scores[best]) {
      best = column;
    }
  }
  return best;
}

bool Answers::names_label(std::int64_t row, std::int64_t column) const {
  const double logit = prediction(row, column);
  return std::isnan(logit) ? !is_positive(row, column) : logit > 0;
}

double Answers::confidence(std::int64_t row, std::int64_t column) const {
  double value = prediction(row, column);
  if (kind_ == TargetKind::kClasses) {
    // The odds of the class: they rank as its probability does, and do not become equal where that rounds to 1.
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t other = 0; other < columns_; ++other) {
      largest = other == column ? largest : std::max(largest, prediction(row, other));
    }
    for (std::int64_t other = 0; other < columns_; ++other) {
      sum += other == column ? 0 : std::exp(prediction(row, other) - largest);
    }
    // In this order rows that differ by a constant tie. A NaN anywhere in the row gets here through its exp().
    value = (value - largest) - std::log(sum);
  }
  return !std::isnan(value)         ? value
         : is_positive(row, column) ? -std::numeric_limits<double>::infinity()
                                    : std::numeric_limits<double>::infinity();
}

Answers::Ranking Answers::rank(std::int64_t column) const {
  std::vector<std::pair<double, std::int32_t>> order;
  order.reserve(static_cast<std::size_t>(rows_));
  for (std::int64_t row = 0; row < rows_; ++row) {
    order.emplace_back(-confidence(row, column), static_cast<std::int32_t>(row));
  }
  std::sort(order.begin(), order.end());
  Ranking ranking;
  ranking.rows.reserve(order.size());
  for (std::size_t at = 0; at < order.size(); ++at) {
    ranking.rows.push_back(order[at].second);
    if (at + 1 == order.size() || order[at + 1].first != order[at].first) {
      ranking.ends.push_back(static_cast<std::int32_t>(at + 1));
    }
  }
  return ranking;
}

const std::vector<Answers::Ranking>& Answers::rankings() const {
  require(can_be_ranked_, "answers that only name a class cannot be ranked");
  if (rankings_.empty()) {
    std::vector<Ranking> made(static_cast<std::size_t>(columns_));
    parallel_tasks(columns_, [&](std::int64_t column) { made[static_cast<std::size_t>(column)] = rank(column); });
    rankings_ = std::move(made);
  }
  return rankings_;
}

}  // namespace factorgcn
