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

/// The logarithm of each class's odds: they rank as its softmax does, and do not become equal where that rounds to 1.
/// Exponents are taken about the largest of the other classes, and sums leave a class out rather than take it away:
/// nothing cancels. Rows that differ by a constant tie. A NaN makes its whole row NaN.
void write_class_odds(std::span<const double> scores, std::span<double> odds, std::span<double> sums) {
  const std::size_t classes = scores.size();
  const std::size_t best = static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) - scores.begin());
  const double largest = scores[best];
  double second = -std::numeric_limits<double>::infinity(), below = 0;
  for (std::size_t at = 0; at < classes; ++at) {
    second = at == best ? second : std::max(second, scores[at]);
  }
  sums[classes] = 0;  // of the classes from here on
  for (std::size_t at = classes; at-- > 0;) {
    below += at == best ? 0 : std::exp(scores[at] - second);
    odds[at] = std::exp(scores[at] - largest);
    sums[at] = sums[at + 1] + odds[at];
  }
  double before = 0;
  for (std::size_t at = 0; at < classes; ++at) {
    const double own = odds[at];
    odds[at] =
        at == best ? (scores[at] - second) - std::log(below) : (scores[at] - largest) - std::log(before + sums[at + 1]);
    before += own;
  }
  if (std::any_of(scores.begin(), scores.end(), [](double score) { return std::isnan(score); })) {
    std::fill(odds.begin(), odds.end(), std::numeric_limits<double>::quiet_NaN());
  }
}

std::vector<double> class_odds(std::span<const double> scores, std::int64_t columns) {
  const auto classes = static_cast<std::size_t>(columns);
  std::vector<double> odds(scores.size()), sums(classes + 1);
  for (std::size_t at = 0; at < scores.size(); at += classes) {
    write_class_odds(scores.subspan(at, classes), std::span(odds).subspan(at, classes), sums);
  }
  return odds;
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

Answers::Ranking Answers::rank(std::span<const double> confidences, std::int64_t column) const {
  std::vector<std::pair<double, std::int32_t>> order;
  order.reserve(static_cast<std::size_t>(rows_));
  for (std::int64_t row = 0; row < rows_; ++row) {
    const double confidence = confidences[row * columns_ + column];
    const double key = !std::isnan(confidence)    ? -confidence
                       : is_positive(row, column) ? std::numeric_limits<double>::infinity()
                                                  : -std::numeric_limits<double>::infinity();
    order.emplace_back(key, static_cast<std::int32_t>(row));
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
    const std::vector<double> odds =
        kind_ == TargetKind::kClasses ? class_odds(predictions_, columns_) : std::vector<double>();
    const std::span<const double> confidences = odds.empty() ? predictions_ : odds;
    std::vector<Ranking> made(static_cast<std::size_t>(columns_));
    parallel_tasks(columns_,
                   [&](std::int64_t column) { made[static_cast<std::size_t>(column)] = rank(confidences, column); });
    rankings_ = std::move(made);
  }
  return rankings_;
}

}  // namespace factorgcn
