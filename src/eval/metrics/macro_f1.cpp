// Macro-F1: the F1 of each class or label, averaged over those that are there or were named.
#include <algorithm>

#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"

namespace factorgcn {
namespace {

struct F1Counts {
  std::int64_t found = 0, wrong = 0;  ///< wrong: named though not there, or there though not named

  bool any() const { return found + wrong > 0; }
  double size() const { return static_cast<double>(2 * found + wrong); }
  double value() const { return static_cast<double>(2 * found) / size(); }
  /// Of one more sample that was found, or was wrong.
  double influence(bool right) const { return ((right ? 2 : 0) - value() * (right ? 2 : 1)) / size(); }
  double variance() const {
    return static_cast<double>(found) * influence(true) * influence(true) +
           static_cast<double>(wrong) * influence(false) * influence(false);
  }
  /// Of the samples concerned, a share was found (Jaccard's index): Wilson's interval of that share, as F1.
  Interval interval() const {
    const auto concerned = static_cast<double>(found + wrong);
    const Interval share = wilson_interval(static_cast<double>(found) / concerned, concerned);
    return {2 * share.low / (1 + share.low), 2 * share.high / (1 + share.high)};
  }
};

/// Calls `see(column, right)` for each column that a sample concerns.
template <class See>
void see_f1(const Answers& answers, std::int64_t row, const See& see) {
  if (answers.kind() == TargetKind::kClasses) {
    const std::int64_t wanted = answers.target_class(row), chosen = answers.chosen_class(row);
    see(wanted, wanted == chosen);
    if (chosen != wanted && chosen >= 0) {
      see(chosen, false);
    }
    return;
  }
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    const bool wanted = answers.is_positive(row, column), named = answers.names_label(row, column);
    if (wanted || named) {
      see(column, wanted == named);
    }
  }
}

/// One answer for all: for classes the most frequent one, for labels all of them.
double constant_f1(const Answers& answers, double columns) {
  double sum = 0, best = 0;
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    std::int64_t wanted = 0;
    for (std::int64_t row = 0; row < answers.rows(); ++row) {
      wanted += answers.is_positive(row, column);
    }
    const double alone = static_cast<double>(2 * wanted) / static_cast<double>(wanted + answers.rows());
    sum += alone;
    best = std::max(best, alone);
  }
  return (answers.kind() == TargetKind::kClasses ? best : sum) / columns;
}

MetricScore score_macro_f1(const Answers& answers) {
  std::vector<F1Counts> counts(static_cast<std::size_t>(answers.columns()));
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    see_f1(answers, row,
           [&](std::int64_t column, bool right) { ++(right ? counts[column].found : counts[column].wrong); });
  }
  std::vector<AveragedPart> parts;
  for (const F1Counts& each : counts) {
    if (each.any()) {
      parts.push_back({each.value(), each.interval(), each.variance()});
    }
  }
  if (parts.empty()) {
    return {};
  }
  const auto columns = static_cast<double>(parts.size());
  double variance = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    double influence = 0;
    see_f1(answers, row,
           [&](std::int64_t column, bool right) { influence += counts[column].influence(right) / columns; });
    variance += influence * influence;
  }
  const AveragedPart all = average_parts(parts, variance, usual_dependence(answers));
  return {all.value, constant_f1(answers, columns), all.interval};
}

}  // namespace

Metric metric_entries::macro_f1() {
  return {.name = "macro_f1",
          .label = "macro-F1",
          .measures = "F1 of each class or label, averaged, so that rare ones count as much (1 is perfect)",
          .kinds = {TargetKind::kLabels, TargetKind::kClasses},
          .score = score_macro_f1};
}

}  // namespace factorgcn
