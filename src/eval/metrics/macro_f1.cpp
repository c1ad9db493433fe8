// Macro-F1: the F1 of each class or label, averaged over those that are there or were named.
#include <algorithm>

#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "factorgcn/eval/confusion.h"

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

/// Calls `see(column, right)` for each column that a sample concerns: of labels, and of classes.
template <class See>
void see_f1(const Answers& answers, std::int64_t row, const See& see) {
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    const bool wanted = answers.is_positive(row, column), named = answers.names_label(row, column);
    if (wanted || named) {
      see(column, wanted == named);
    }
  }
}

template <class See>
void see_f1(std::int64_t wanted, std::int64_t chosen, const See& see) {
  see(wanted, wanted == chosen);
  if (chosen != wanted && chosen >= 0) {
    see(chosen, false);
  }
}

/// F1 of an answer that always names a column.
double named_always(std::int64_t wanted, std::int64_t rows) {
  return static_cast<double>(2 * wanted) / static_cast<double>(wanted + rows);
}

/// One answer for all: for labels all of them, for classes the most frequent one.
double constant_f1(const Answers& answers) {
  double sum = 0;
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    std::int64_t wanted = 0;
    for (std::int64_t row = 0; row < answers.rows(); ++row) {
      wanted += answers.is_positive(row, column);
    }
    sum += named_always(wanted, answers.rows());
  }
  return sum;
}

double constant_f1(const Confusion& confusion) {
  double best = 0;
  for (std::int64_t label = 0; label < confusion.classes(); ++label) {
    best = std::max(best, named_always(confusion.size(label), confusion.rows()));
  }
  return best;
}

/// `each_sample(take)` calls `take(times, see_columns)` for all samples, those that are alike at once;
/// `see_columns(see)` is see_f1() of such a sample. `constant`: the sum over columns of one answer for all.
template <class EachSample>
MetricScore macro_f1_of(std::int64_t columns_there, double dependence, double constant, const EachSample& each_sample) {
  std::vector<F1Counts> counts(static_cast<std::size_t>(columns_there));
  each_sample([&](std::int64_t times, const auto& see_columns) {
    see_columns(
        [&](std::int64_t column, bool right) { (right ? counts[column].found : counts[column].wrong) += times; });
  });
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
  each_sample([&](std::int64_t times, const auto& see_columns) {
    double influence = 0;
    see_columns([&](std::int64_t column, bool right) { influence += counts[column].influence(right) / columns; });
    variance += static_cast<double>(times) * influence * influence;
  });
  const AveragedPart all = average_parts(parts, variance, dependence);
  return {all.value, constant / columns, all.interval};
}

MetricScore macro_f1_of_classes(const Confusion& confusion) {
  return macro_f1_of(confusion.classes(), kClassDependence, constant_f1(confusion), [&](const auto& take) {
    for (std::int64_t wanted = 0; wanted < confusion.classes(); ++wanted) {
      for (std::int64_t chosen = -1; chosen < confusion.classes(); ++chosen) {
        if (const std::int64_t times = confusion.count(wanted, chosen); times > 0) {
          take(times, [&](const auto& see) { see_f1(wanted, chosen, see); });
        }
      }
    }
  });
}

MetricScore score_macro_f1(const Answers& answers) {
  if (answers.kind() == TargetKind::kClasses) {
    return macro_f1_of_classes(Confusion(answers));
  }
  return macro_f1_of(answers.columns(), usual_dependence(answers), constant_f1(answers), [&](const auto& take) {
    for (std::int64_t row = 0; row < answers.rows(); ++row) {
      take(1, [&](const auto& see) { see_f1(answers, row, see); });
    }
  });
}

}  // namespace

Metric metric_entries::macro_f1() {
  return {.name = "macro_f1",
          .label = "macro-F1",
          .measures = "F1 of each class or label, averaged, so that rare ones count as much (1 is perfect)",
          .kinds = {TargetKind::kLabels, TargetKind::kClasses},
          .score = score_macro_f1,
          .score_counts = macro_f1_of_classes};
}

}  // namespace factorgcn
