// The table of metrics: what each is called, what it measures, which way is better, how it is shown, and how it, its
// chance value and its 95 % interval are computed. Training, metrics.json, reports, pages and the reproduction read it.
//
// Adding a metric: write src/eval/metrics/NAME.cpp with one function `Metric NAME()` in namespace metric_entries (copy
// the nearest one) and add the line `entry(NAME)` to src/eval/metrics/list.h, at the place where people shall see it.
// It is then computed wherever its kind of targets is scored, written to metrics.json under Metric::name and shown in
// every report and page; nothing else changes. A metric that shall also choose the best epoch needs `begin`, and its
// task names it in metric_name() (train/evaluate.h). Names are keys of files: they stay as they are once written.
//
// Intervals use no random numbers: shares have Wilson's score interval, averages over classes combine those of the
// classes, everything else follows from each sample's influence on the score (docs/metrics.md). Samples (rows) are
// taken for independent. Cost: O(rows x columns); rankings, O(rows log rows) a column, are made once for all that need
// them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"

namespace at {
class Tensor;
}

namespace factorgcn {

class Confusion;

/// What targets look like: labels [rows, columns] of 0 and 1, values [rows, columns], or one class [rows] of several.
enum class TargetKind { kLabels, kValues, kClasses };

enum class Better { kHigher, kLower };

/// A part of fewer samples is called small wherever its scores are shown.
inline constexpr std::int64_t kSmallPart = 30;

/// A metric that is gathered batch by batch, as scoring after each epoch does.
class FACTORGCN_API MetricSum {
 public:
  virtual ~MetricSum() = default;
  virtual void add(const at::Tensor& predictions, const at::Tensor& targets) = 0;
  virtual double value() const = 0;
};

/// Predictions and targets of a whole part, in main memory. A prediction that is NaN counts as wrong whatever the
/// target; a value that is NaN makes its score NaN.
class FACTORGCN_API Answers {
 public:
  /// Columns: labels, values or classes.
  Answers(TargetKind kind, std::int64_t columns);
  /// Where only the chosen classes are known: such answers cannot be ranked.
  static Answers of_classes(std::int64_t classes, std::span<const std::int64_t> chosen,
                            std::span<const std::int64_t> targets);

  /// predictions: [B, columns]; targets: of the same shape, or integers [B] for classes. What does not fit is refused.
  void add(const at::Tensor& predictions, const at::Tensor& targets);

  TargetKind kind() const { return kind_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  bool can_be_ranked() const { return can_be_ranked_; }

  double prediction(std::int64_t row, std::int64_t column) const { return predictions_[row * columns_ + column]; }
  /// Of labels and values.
  double target(std::int64_t row, std::int64_t column) const { return targets_[row * columns_ + column]; }
  /// Of classes.
  std::int64_t target_class(std::int64_t row) const { return classes_[row]; }
  /// The first of the largest predictions; -1 where one is NaN.
  std::int64_t chosen_class(std::int64_t row) const;
  /// Of labels: the prediction is above 0; where it is NaN, the wrong answer.
  bool names_label(std::int64_t row, std::int64_t column) const;
  /// The row has the label, or is of the class.
  bool is_positive(std::int64_t row, std::int64_t column) const {
    return kind_ == TargetKind::kClasses ? classes_[row] == column : targets_[row * columns_ + column] == 1;
  }

  /// Rows from the most to the least confident for a column; rows before ends[0] tie, then those before ends[1], ...
  /// Classes are ranked by the odds of their softmax. A NaN ranks where it is worst.
  struct Ranking {
    std::vector<std::int32_t> rows, ends;
  };
  /// One a column. Made at the first call, columns in parallel; not to be called from two threads at a time.
  const std::vector<Ranking>& rankings() const;

 private:
  Ranking rank(std::span<const double> confidences, std::int64_t column) const;

  TargetKind kind_;
  std::int64_t columns_, rows_ = 0;
  bool can_be_ranked_ = true;
  std::vector<double> predictions_, targets_;
  std::vector<std::int64_t> classes_;
  mutable std::vector<Ranking> rankings_;
};

struct FACTORGCN_API Interval {
  double low = 0, high = 0;
};

/// Each part is absent where it is not known.
struct FACTORGCN_API MetricScore {
  std::optional<double> value;
  std::optional<double> chance;      ///< of an answer that is the same for every sample
  std::optional<Interval> interval;  ///< 95 %
};

struct FACTORGCN_API Metric {
  const char* name;      ///< key in metrics.json: "mean_recall"
  const char* label;     ///< as people see it: "balanced accuracy"
  const char* measures;  ///< what it says, to follow its label and a colon
  Better better = Better::kHigher;
  const char* unit = "";                           ///< "%": shown times 100
  int decimals = 4;                                ///< shown, in that unit
  std::vector<TargetKind> kinds = {};              ///< that it is computed for; none: a score of factors
  MetricScore (*score)(const Answers&) = nullptr;  ///< where `kinds` has something
  /// The same of classes from counts alone, where these suffice (eval/confusion.h).
  MetricScore (*score_counts)(const Confusion&) = nullptr;
  const char* unknown_because = "";                ///< why its value is not known, where it is not
  std::unique_ptr<MetricSum> (*begin)(std::int64_t columns) = nullptr;  ///< where it can choose the best epoch

  bool is_for(TargetKind kind) const;
  /// Scores of factors compare with true relations: the disentanglement scorer computes them.
  bool is_of_factors() const { return kinds.empty(); }
  /// In the unit shown.
  double shown(double value) const { return unit[0] == '%' ? 100 * value : value; }
  /// "accuracy in %", "micro-F1".
  std::string label_with_unit() const;
};

/// All metrics in the order in which people see them.
FACTORGCN_API const std::vector<Metric>& metrics();

/// nullptr where the name is not in the table: "loss", or a newer program's.
FACTORGCN_API const Metric* find_metric(std::string_view name);

/// A metric's name as people write it: "micro-F1", "GED_E", ...; unknown names come back unchanged.
FACTORGCN_API std::string metric_label(std::string_view name);

/// True where a smaller value is better; so for "loss".
FACTORGCN_API bool smaller_is_better(std::string_view name);

struct FACTORGCN_API ScoredMetric {
  const Metric* metric;
  MetricScore score;
};

/// Every metric for this kind of targets, in the table's order. There must be a row.
FACTORGCN_API std::vector<ScoredMetric> score_answers(const Answers& answers);

/// Wilson's score interval of a share of `count` samples, which may be a fraction: an effective number.
FACTORGCN_API Interval wilson_interval(double share, double count);

}  // namespace factorgcn
