// The table of metrics: its entries, values worked out by hand, and values against slow twins on random answers.
#include "factorgcn/eval/metrics.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/error_text.h"
#include "eval/arbitrary.h"
#include "factorgcn/eval/classification.h"

namespace factorgcn {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

at::Tensor matrix(const std::vector<double>& values, std::int64_t columns) {
  return at::tensor(at::ArrayRef<double>(values), at::kDouble).view({-1, columns});
}

Answers classes_answered(std::int64_t columns, const std::vector<double>& scores,
                         const std::vector<std::int64_t>& targets) {
  Answers answers(TargetKind::kClasses, columns);
  answers.add(matrix(scores, columns), at::tensor(at::ArrayRef<std::int64_t>(targets), at::kLong));
  return answers;
}

Answers answered(TargetKind kind, std::int64_t columns, const std::vector<double>& predictions,
                 const std::vector<double>& targets) {
  Answers answers(kind, columns);
  answers.add(matrix(predictions, columns), matrix(targets, columns));
  return answers;
}

MetricScore score(const char* name, const Answers& answers) { return find_metric(name)->score(answers); }

TEST(MetricTable, EveryEntryIsWhole) {
  std::set<std::string> names, labels;
  for (const Metric& metric : metrics()) {
    EXPECT_TRUE(names.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(labels.insert(metric.label).second) << metric.label;
    EXPECT_GT(std::string(metric.measures).size(), 20U) << metric.name;
    EXPECT_EQ(metric.is_of_factors(), metric.score == nullptr) << metric.name;
    EXPECT_TRUE(std::string(metric.unit).empty() || std::string(metric.unit) == "%") << metric.name;
    EXPECT_EQ(find_metric(metric.name), &metric);
  }
  for (const char* name : {"micro_f1", "mae", "accuracy", "mean_recall", "macro_f1", "roc_auc", "average_precision",
                           "rmse", "r2", "ged_e", "ged_e_share", "relation_auc", "c_score"}) {
    EXPECT_TRUE(names.count(name) > 0) << name << " is a key of files and must stay";
  }
  EXPECT_EQ(find_metric("loss"), nullptr);
}

TEST(MetricTable, NamesAreReadable) {
  EXPECT_EQ(metric_label("micro_f1"), "micro-F1");
  EXPECT_EQ(metric_label("mean_recall"), "balanced accuracy");
  EXPECT_EQ(metric_label("something_new"), "something_new");
  EXPECT_TRUE(smaller_is_better("ged_e"));
  EXPECT_TRUE(smaller_is_better("mae"));
  EXPECT_TRUE(smaller_is_better("loss"));
  EXPECT_FALSE(smaller_is_better("micro_f1"));
  EXPECT_EQ(find_metric("accuracy")->label_with_unit(), "accuracy in %");
  EXPECT_EQ(find_metric("accuracy")->shown(0.5), 50);
  EXPECT_EQ(find_metric("c_score")->label_with_unit(), "C-Score");
  EXPECT_EQ(find_metric("c_score")->shown(0.5), 0.5);
}

TEST(MetricTable, EachKindOfTargetsHasItsMetrics) {
  const auto names = [](const Answers& answers) {
    std::vector<std::string> list;
    for (const ScoredMetric& each : score_answers(answers)) {
      list.emplace_back(each.metric->name);
    }
    return list;
  };
  EXPECT_EQ(names(answered(TargetKind::kLabels, 1, {1, -1}, {1, 0})),
            (std::vector<std::string>{"micro_f1", "macro_f1", "roc_auc", "average_precision"}));
  EXPECT_EQ(names(answered(TargetKind::kValues, 1, {1, 2}, {1, 0})), (std::vector<std::string>{"mae", "rmse", "r2"}));
  EXPECT_EQ(names(classes_answered(2, {1, 0, 0, 1}, {0, 1})),
            (std::vector<std::string>{"accuracy", "mean_recall", "macro_f1", "roc_auc", "average_precision"}));
  EXPECT_EQ(error_text([] { score_answers(Answers(TargetKind::kValues, 1)); }), "there are no samples to score");
}

TEST(Metrics, ClassesByHand) {
  // Classes 0 0 0 1 1 2, answered 0 0 1 1 2 2.
  const Answers answers =
      classes_answered(3, {3, 1, 0, 3, 0, 1, 1, 2, 0, 0, 4, 1, 0, 1, 2, 0, 0, 5}, {0, 0, 0, 1, 1, 2});
  EXPECT_DOUBLE_EQ(*score("accuracy", answers).value, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*score("accuracy", answers).chance, 0.5);
  EXPECT_DOUBLE_EQ(*score("mean_recall", answers).value, (2.0 / 3 + 0.5 + 1) / 3);
  EXPECT_DOUBLE_EQ(*score("mean_recall", answers).chance, 1.0 / 3);
  EXPECT_DOUBLE_EQ(*score("macro_f1", answers).value, (4.0 / 5 + 2.0 / 4 + 2.0 / 3) / 3);
  EXPECT_DOUBLE_EQ(*score("macro_f1", answers).chance, 6.0 / 9 / 3);
}

TEST(Metrics, RankingsByHand) {
  // Rows by falling score: + - + + - with the third and fourth tied.
  const Answers answers = answered(TargetKind::kLabels, 1, {5, 4, 3, 3, 1}, {1, 0, 1, 1, 0});
  EXPECT_DOUBLE_EQ(*score("roc_auc", answers).value, (2 + 1 + 1) / 6.0);
  EXPECT_DOUBLE_EQ(*score("roc_auc", answers).chance, 0.5);
  EXPECT_DOUBLE_EQ(*score("average_precision", answers).value, (1.0 + 2 * (3.0 / 4)) / 3);
  EXPECT_DOUBLE_EQ(*score("average_precision", answers).chance, 0.6);
  const Answers tied = answered(TargetKind::kLabels, 1, {2, 2, 2, 2}, {1, 0, 0, 0});
  EXPECT_DOUBLE_EQ(*score("roc_auc", tied).value, 0.5);
  EXPECT_DOUBLE_EQ(*score("average_precision", tied).value, 0.25);
}

TEST(Metrics, TwoClassesAreOneRankingAgainstTheOther) {
  const Answers answers = classes_answered(2, {0, 2, 0, 1, 5, 6, 3, 3, 2, 0}, {1, 0, 1, 1, 0});
  // Differences 2, 1, 1, 0, -2: positives are tied once with a negative, and one lies below it.
  EXPECT_DOUBLE_EQ(*score("roc_auc", answers).value, (2 + 1.5 + 1) / 6.0);
}

TEST(Metrics, WhatIsNotKnownIsNoNumber) {
  const Answers one_class = classes_answered(2, {1, 0, 0, 1, 2, 0}, {0, 0, 0});
  EXPECT_FALSE(score("roc_auc", one_class).value || score("roc_auc", one_class).interval);
  EXPECT_FALSE(score("average_precision", one_class).value);
  EXPECT_DOUBLE_EQ(*score("mean_recall", one_class).value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(*score("mean_recall", one_class).chance, 1);
  const Answers constant = answered(TargetKind::kValues, 1, {1, 2, 3}, {2, 2, 2});
  EXPECT_FALSE(score("r2", constant).value);
  EXPECT_FALSE(score("macro_f1", answered(TargetKind::kLabels, 2, {-1, -1}, {0, 0})).value);
  // A label that all samples have is left out; the other counts.
  const Answers half = answered(TargetKind::kLabels, 2, {1, 1, 2, -1}, {1, 1, 1, 0});
  EXPECT_EQ(*score("roc_auc", half).value, 1);
  const std::vector<std::int64_t> chosen{0, 1, 1}, targets{0, 1, 0};
  const Answers named = Answers::of_classes(2, chosen, targets);
  EXPECT_DOUBLE_EQ(*score("accuracy", named).value, 2.0 / 3);
  EXPECT_FALSE(score("roc_auc", named).value) << "answers that only name a class have no order";
}

TEST(Metrics, NanIsAlwaysWrong) {
  const Answers labels = answered(TargetKind::kLabels, 1, {kNan, kNan, 1, -1}, {1, 0, 1, 0});
  EXPECT_EQ(*score("roc_auc", labels).value, 0.25) << "a NaN is below every negative or above every positive";
  EXPECT_EQ(*score("micro_f1", labels).value, 0.5);
  EXPECT_EQ(*score("macro_f1", labels).value, 0.5);
  const Answers classes = classes_answered(2, {kNan, 1, 0, kNan, 1, 0, 0, 1}, {1, 0, 0, 1});
  EXPECT_EQ(*score("accuracy", classes).value, 0.5);
  EXPECT_EQ(*score("roc_auc", classes).value, 0.25);
  EXPECT_DOUBLE_EQ(*score("macro_f1", classes).value, 2.0 / 3);
  const Answers values = answered(TargetKind::kValues, 1, {kNan, 1}, {1, 2});
  for (const ScoredMetric& each : score_answers(values)) {
    EXPECT_TRUE(std::isnan(*each.score.value)) << each.metric->name;
    EXPECT_FALSE(each.score.interval) << each.metric->name;
  }
}

TEST(Metrics, ValuesByHand) {
  const Answers answers = answered(TargetKind::kValues, 2, {1, 0, 2, 4, 4, 2}, {1, 1, 2, 2, 3, 3});
  EXPECT_DOUBLE_EQ(*score("mae", answers).value, 5.0 / 6);
  EXPECT_DOUBLE_EQ(*score("mae", answers).chance, 4.0 / 6);
  EXPECT_DOUBLE_EQ(*score("rmse", answers).value, std::sqrt(7.0 / 6));
  EXPECT_DOUBLE_EQ(*score("rmse", answers).chance, std::sqrt(4.0 / 6));
  EXPECT_DOUBLE_EQ(*score("r2", answers).value, (0.5 - 2) / 2);
  EXPECT_EQ(*score("r2", answers).chance, 0);
}

TEST(Metrics, MicroF1OfTheBestConstantAnswer) {
  // Naming the first label alone finds 3 of 4: 6 / (4 + 3); naming both finds 4: 8 / (4 + 6).
  const Answers answers = answered(TargetKind::kLabels, 2, {1, 1, 1, 1, 1, 1}, {1, 0, 1, 0, 1, 1});
  EXPECT_DOUBLE_EQ(*score("micro_f1", answers).chance, 6.0 / 7);
}

TEST(Metrics, WhatDoesNotFitIsRefused) {
  Answers classes(TargetKind::kClasses, 2);
  EXPECT_EQ(error_text([&] {
              classes.add(at::empty({2, 3}), at::empty({2}, at::kLong));
            }),
            "answers: predictions of shape [2, 3]; they must be [rows, 2]");
  EXPECT_EQ(error_text([&] {
              classes_answered(2, {1, 0}, {2});
            }),
            "answers: row 0 has class 2, which is not among the 2 classes scored");
  EXPECT_EQ(error_text([] { Answers(TargetKind::kValues, 0); }), "answers of 0 columns; at least 1 is needed");
  Answers values(TargetKind::kValues, 2);
  EXPECT_EQ(error_text([&] {
              values.add(at::empty({2, 2}), at::empty({2, 1}));
            }),
            "answers: targets of shape [2, 1] for predictions of shape [2, 2]");
}

// ---- slow twins ----------------------------------------------------------------------------------------------------

struct Column {
  std::vector<double> scores;
  std::vector<bool> positive;
};

double slow_auc(const Column& column) {
  double won = 0, pairs = 0;
  for (std::size_t left = 0; left < column.scores.size(); ++left) {
    for (std::size_t right = 0; right < column.scores.size(); ++right) {
      if (column.positive[left] && !column.positive[right]) {
        const double lead = column.scores[left] - column.scores[right];
        won += std::abs(lead) < 1e-12 ? 0.5 : lead > 0 ? 1 : 0;
        pairs += 1;
      }
    }
  }
  return won / pairs;
}

double slow_average_precision(const Column& column) {
  std::vector<double> thresholds = column.scores;
  std::sort(thresholds.rbegin(), thresholds.rend());
  double sum = 0, last_recall = 0;
  const auto all = static_cast<double>(std::count(column.positive.begin(), column.positive.end(), true));
  for (const double threshold : thresholds) {
    double found = 0, taken = 0;
    for (std::size_t row = 0; row < column.scores.size(); ++row) {
      if (column.scores[row] >= threshold - 1e-12) {
        found += column.positive[row] ? 1 : 0;
        taken += 1;
      }
    }
    sum += (found / all - last_recall) * found / taken;
    last_recall = found / all;
  }
  return sum;
}

double slow_f1(const std::vector<bool>& wanted, const std::vector<bool>& named) {
  double both = 0, all_wanted = 0, all_named = 0;
  for (std::size_t row = 0; row < wanted.size(); ++row) {
    both += wanted[row] && named[row] ? 1 : 0;
    all_wanted += wanted[row] ? 1 : 0;
    all_named += named[row] ? 1 : 0;
  }
  if (both == 0) {
    return all_wanted + all_named == 0 ? kNan : 0;
  }
  const double precision = both / all_named, recall = both / all_wanted;
  return 2 * precision * recall / (precision + recall);
}

/// Mean of what is known; NaN where nothing is.
template <class Values>
double mean_known(const Values& values) {
  double sum = 0, count = 0;
  for (const double value : values) {
    sum += std::isnan(value) ? 0 : value;
    count += std::isnan(value) ? 0 : 1;
  }
  return sum / count;
}

void compare(const Answers& answers, const std::vector<Column>& columns, const std::vector<double>& f1) {
  std::vector<double> aucs, precisions;
  for (const Column& column : columns) {
    const auto positives = std::count(column.positive.begin(), column.positive.end(), true);
    const bool both = positives > 0 && positives < static_cast<std::ptrdiff_t>(column.positive.size());
    aucs.push_back(both ? slow_auc(column) : kNan);
    precisions.push_back(both ? slow_average_precision(column) : kNan);
  }
  const auto same = [&](const char* name, double expected) {
    const MetricScore found = score(name, answers);
    RC_ASSERT(found.value.has_value() == !std::isnan(expected));
    if (found.value) {
      RC_ASSERT(std::abs(*found.value - expected) < 1e-9);
      RC_ASSERT(found.interval->low <= *found.value + 1e-12 && *found.value <= found.interval->high + 1e-12);
      RC_ASSERT(found.interval->low >= 0 && found.interval->high <= 1);
    }
  };
  same("roc_auc", mean_known(aucs));
  same("average_precision", mean_known(precisions));
  same("macro_f1", mean_known(f1));
}

RC_GTEST_PROP(MetricsProperty, LabelsMatchTheSlowTwins, ()) {
  const int rows = pick(1, 30), labels = pick(1, 4);
  const std::vector<int> logits = pick_many(rows * labels, -4, 5), targets = pick_many(rows * labels, 0, 2);
  const Answers answers =
      answered(TargetKind::kLabels, labels, {logits.begin(), logits.end()}, {targets.begin(), targets.end()});
  std::vector<Column> columns(labels);
  std::vector<double> f1;
  for (int label = 0; label < labels; ++label) {
    std::vector<bool> named;
    for (int row = 0; row < rows; ++row) {
      columns[label].scores.push_back(logits[row * labels + label]);
      columns[label].positive.push_back(targets[row * labels + label] == 1);
      named.push_back(logits[row * labels + label] > 0);
    }
    f1.push_back(slow_f1(columns[label].positive, named));
  }
  compare(answers, columns, f1);
  MicroF1 micro;
  micro.add(matrix({logits.begin(), logits.end()}, labels), matrix({targets.begin(), targets.end()}, labels));
  RC_ASSERT(*score("micro_f1", answers).value == micro.value());
}

RC_GTEST_PROP(MetricsProperty, ClassesMatchTheSlowTwins, ()) {
  const int rows = pick(1, 30), classes = pick(2, 4);
  const std::vector<int> logits = pick_many(rows * classes, -3, 4), targets = pick_many(rows, 0, classes);
  const std::vector<std::int64_t> wanted(targets.begin(), targets.end());
  const Answers answers = classes_answered(classes, {logits.begin(), logits.end()}, wanted);
  std::vector<Column> columns(classes);
  std::vector<double> f1;
  std::vector<int> chosen;
  for (int row = 0; row < rows; ++row) {
    const auto first = logits.begin() + row * classes;
    chosen.push_back(static_cast<int>(std::max_element(first, first + classes) - first));
    double sum = 0;
    for (int column = 0; column < classes; ++column) {
      sum += std::exp(first[column]);
    }
    for (int column = 0; column < classes; ++column) {
      columns[column].scores.push_back(std::exp(first[column]) / sum);
      columns[column].positive.push_back(targets[row] == column);
    }
  }
  for (int column = 0; column < classes; ++column) {
    std::vector<bool> named;
    std::transform(chosen.begin(), chosen.end(), std::back_inserter(named), [&](int at) { return at == column; });
    f1.push_back(slow_f1(columns[column].positive, named));
  }
  compare(answers, columns, f1);
  Accuracy accuracy;
  MeanRecall recall(classes);
  const at::Tensor scores = matrix({logits.begin(), logits.end()}, classes);
  accuracy.add(scores, at::tensor(at::ArrayRef<std::int64_t>(wanted), at::kLong));
  recall.add(scores, at::tensor(at::ArrayRef<std::int64_t>(wanted), at::kLong));
  RC_ASSERT(*score("accuracy", answers).value == accuracy.value());
  RC_ASSERT(std::abs(*score("mean_recall", answers).value - recall.value()) < 1e-12);
}

RC_GTEST_PROP(MetricsProperty, ValuesMatchTheSlowTwins, ()) {
  const int rows = pick(2, 30), columns = pick(1, 4);
  const std::vector<int> predictions = pick_many(rows * columns, -9, 10), targets = pick_many(rows * columns, -9, 10);
  const at::Tensor left = matrix({predictions.begin(), predictions.end()}, columns);
  const at::Tensor right = matrix({targets.begin(), targets.end()}, columns);
  Answers answers(TargetKind::kValues, columns);
  answers.add(left.narrow(0, 0, 1), right.narrow(0, 0, 1));  // in two pieces
  answers.add(left.narrow(0, 1, rows - 1), right.narrow(0, 1, rows - 1));
  const at::Tensor squares = left.sub(right).square();
  RC_ASSERT(std::abs(*score("mae", answers).value - left.sub(right).abs().mean().item<double>()) < 1e-9);
  RC_ASSERT(std::abs(*score("rmse", answers).value - std::sqrt(squares.mean().item<double>())) < 1e-9);
  std::vector<double> explained;
  for (int column = 0; column < columns; ++column) {
    const double variance = right.select(1, column).var(/*unbiased=*/false).item<double>();
    explained.push_back(variance > 0 ? 1 - squares.select(1, column).mean().item<double>() / variance : kNan);
  }
  const MetricScore r2 = score("r2", answers);
  RC_ASSERT(r2.value.has_value() == !std::isnan(mean_known(explained)));
  RC_ASSERT((!r2.value || std::abs(*r2.value - mean_known(explained)) < 1e-6 * (1 + std::abs(*r2.value))));
}

}  // namespace
}  // namespace factorgcn
