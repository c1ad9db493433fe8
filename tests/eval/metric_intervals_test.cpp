// Intervals: printed values, what happens at the ends, and how often they hold the truth on simulated answers.
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {
namespace {

/// Rows of answers as they are simulated.
struct Simulated {
  TargetKind kind;
  std::int64_t columns;
  std::vector<double> predictions, targets;
  std::vector<std::int64_t> classes;

  Answers answers() {
    Answers made(kind, columns);
    const auto rows = static_cast<std::int64_t>(predictions.size()) / columns;
    const at::Tensor shown = at::from_blob(predictions.data(), {rows, columns}, at::kDouble);
    made.add(shown, kind == TargetKind::kClasses ? at::from_blob(classes.data(), {rows}, at::kLong)
                                                 : at::from_blob(targets.data(), {rows, columns}, at::kDouble));
    return made;
  }
};

double normal(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(2 * std::numbers::pi * random.uniform());
}

double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

/// How often the interval holds the truth.
double coverage(const char* name, double truth, const std::function<Simulated(RandomStream&)>& simulate) {
  constexpr int kRepeats = 1000;
  int held = 0;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    RandomStream random(static_cast<std::uint64_t>(repeat), "test/coverage");
    const MetricScore score = find_metric(name)->score(simulate(random).answers());
    held += score.interval && score.interval->low <= truth && truth <= score.interval->high;
  }
  return static_cast<double>(held) / kRepeats;
}

/// 95 % up to what 1,000 repeats tell, and a little for small samples.
void expect_right(double share) {
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.975);
}

/// Of each class `sizes` samples; a sample of class c is put into class d with probability confusion[c][d].
Simulated simulated_classes(RandomStream& random, const std::vector<int>& sizes,
                            const std::vector<std::vector<double>>& confusion) {
  const auto classes = static_cast<std::int64_t>(sizes.size());
  Simulated result{TargetKind::kClasses, classes, {}, {}, {}};
  for (std::int64_t wanted = 0; wanted < classes; ++wanted) {
    for (int at = 0; at < sizes[wanted]; ++at) {
      double left = random.uniform();
      std::int64_t chosen = 0;
      while (chosen + 1 < classes && left >= confusion[wanted][chosen]) {
        left -= confusion[wanted][chosen++];
      }
      result.classes.push_back(wanted);
      for (std::int64_t column = 0; column < classes; ++column) {
        result.predictions.push_back(column == chosen ? 1 : 0);
      }
    }
  }
  return result;
}

double expected_macro_f1(const std::vector<int>& sizes, const std::vector<std::vector<double>>& confusion) {
  double sum = 0;
  for (std::size_t label = 0; label < sizes.size(); ++label) {
    double named = 0;
    for (std::size_t wanted = 0; wanted < sizes.size(); ++wanted) {
      named += sizes[wanted] * confusion[wanted][label];
    }
    sum += 2 * sizes[label] * confusion[label][label] / (sizes[label] + named);
  }
  return sum / static_cast<double>(sizes.size());
}

/// Two normal distributions `shift` apart.
Simulated simulated_ranking(RandomStream& random, int positives, int negatives, double shift) {
  Simulated result{TargetKind::kLabels, 1, {}, {}, {}};
  for (int at = 0; at < positives + negatives; ++at) {
    const bool positive = at < positives;
    result.predictions.push_back(normal(random) + (positive ? shift : 0));
    result.targets.push_back(positive ? 1 : 0);
  }
  return result;
}

TEST(Wilson, GivesThePrintedValues) {
  // Newcombe, Statistics in Medicine 17 (1998), table I: 81 of 263, 15 of 148, 0 of 20, 1 of 29.
  const Interval most = wilson_interval(81.0 / 263, 263), some = wilson_interval(15.0 / 148, 148);
  EXPECT_NEAR(most.low, 0.2553, 5e-5);
  EXPECT_NEAR(most.high, 0.3662, 5e-5);
  EXPECT_NEAR(some.low, 0.0624, 5e-5);
  EXPECT_NEAR(some.high, 0.1605, 5e-5);
  EXPECT_EQ(wilson_interval(0, 20).low, 0);
  EXPECT_NEAR(wilson_interval(0, 20).high, 0.1611, 5e-5);
  EXPECT_NEAR(wilson_interval(1.0 / 29, 29).high, 0.1718, 5e-5);
  EXPECT_EQ(wilson_interval(1, 20).high, 1);
}

TEST(Intervals, ArePointsForNoPerfectScore) {
  RandomStream random(1, "test/perfect");
  const std::vector<std::vector<double>> perfect{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Answers classes = simulated_classes(random, {20, 30, 4}, perfect).answers();
  const Answers ranking = simulated_ranking(random, 12, 50, 100).answers();
  std::vector<ScoredMetric> scores = score_answers(classes);
  for (const char* name : {"roc_auc", "average_precision"}) {
    scores.push_back({find_metric(name), find_metric(name)->score(ranking)});
  }
  for (const ScoredMetric& each : scores) {
    EXPECT_EQ(*each.score.value, 1) << each.metric->name;
    EXPECT_EQ(each.score.interval->high, 1) << each.metric->name;
    EXPECT_LT(each.score.interval->low, 0.99) << each.metric->name;
    EXPECT_GT(each.score.interval->low, 0.5) << each.metric->name;
  }
}

TEST(Intervals, CountASmallClassWithoutAMistake) {
  RandomStream random(1, "test/small class");
  const Answers answers = simulated_classes(random, {5000, 4}, {{0.9, 0.1}, {0, 1}}).answers();
  const MetricScore score = find_metric("mean_recall")->score(answers);
  EXPECT_LT(score.interval->low, *score.value - 0.2) << "four samples may well be right by luck";
}

TEST(Intervals, AreTheSameForAnyNumberOfThreads) {
  const auto scores = [](int threads) {
    set_num_threads(threads);
    RandomStream random(3, "test/threads");
    std::vector<double> all;
    Simulated classes{TargetKind::kClasses, 5, {}, {}, {}};
    for (int row = 0; row < 500; ++row) {
      classes.classes.push_back(static_cast<std::int64_t>(random.below(5)));
      for (int column = 0; column < 5; ++column) {
        classes.predictions.push_back(normal(random) + (column == classes.classes.back() ? 1 : 0));
      }
    }
    for (const ScoredMetric& each : score_answers(classes.answers())) {
      all.insert(all.end(), {*each.score.value, each.score.interval->low, each.score.interval->high});
    }
    return all;
  };
  const int before = num_threads();
  const std::vector<double> one = scores(1), three = scores(3);
  set_num_threads(before);
  EXPECT_EQ(one, three);
}

TEST(Coverage, Accuracy) {
  expect_right(coverage("accuracy", 0.8, [](RandomStream& random) {
    return simulated_classes(random, {40, 40}, {{0.8, 0.2}, {0.2, 0.8}});
  }));
}

TEST(Coverage, BalancedAccuracy) {
  const std::vector<std::vector<double>> confusion{{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}, {0.05, 0, 0.95}};
  expect_right(coverage("mean_recall", (0.9 + 0.7 + 0.95) / 3, [&](RandomStream& random) {
    return simulated_classes(random, {60, 25, 12}, confusion);
  }));
}

TEST(Coverage, MacroF1) {
  const std::vector<std::vector<double>> three{{0.9, 0.05, 0.05}, {0.2, 0.7, 0.1}, {0.1, 0.1, 0.8}};
  const std::vector<int> sizes{60, 40, 20};
  const double truth = expected_macro_f1(sizes, three);
  const double share =
      coverage("macro_f1", truth, [&](RandomStream& random) { return simulated_classes(random, sizes, three); });
  EXPECT_GE(share, 0.93);
  EXPECT_LE(share, 0.985) << "class sizes are fixed here, which the interval does not know";
  const std::vector<std::vector<double>> two{{0.9, 0.1}, {0.3, 0.7}};
  expect_right(coverage("macro_f1", expected_macro_f1({60, 40}, two), [&](RandomStream& random) {
    return simulated_classes(random, {60, 40}, two);
  }));
}

TEST(Coverage, MicroF1OverGraphsWhoseLabelsGoWrongTogether) {
  // Each graph has four labels, each wanted half of the time; a graph is easy or hard.
  const auto simulate = [](RandomStream& random) {
    Simulated result{TargetKind::kLabels, 4, {}, {}, {}};
    for (int graph = 0; graph < 80; ++graph) {
      const double right = random.chance(0.5) ? 0.95 : 0.6;
      for (int label = 0; label < 4; ++label) {
        const bool wanted = random.chance(0.5), named = random.chance(right) == wanted;
        result.targets.push_back(wanted ? 1 : 0);
        result.predictions.push_back(named ? 1 : -1);
      }
    }
    return result;
  };
  const double right = (0.95 + 0.6) / 2;  // wanted and named half of the time each
  expect_right(coverage("micro_f1", right, simulate));
  const double macro = coverage("macro_f1", right, simulate);
  EXPECT_GE(macro, 0.93);
  EXPECT_LE(macro, 0.98);
}

TEST(Coverage, RocAuc) {
  expect_right(coverage("roc_auc", normal_cdf(1.2 / std::numbers::sqrt2),
                        [](RandomStream& random) { return simulated_ranking(random, 40, 60, 1.2); }));
  const double far = coverage("roc_auc", normal_cdf(2.5 / std::numbers::sqrt2),
                              [](RandomStream& random) { return simulated_ranking(random, 25, 40, 2.5); });
  EXPECT_GE(far, 0.92);
  EXPECT_LE(far, 0.985);
}

TEST(Coverage, RocAucOfThreeClasses) {
  const auto simulate = [](RandomStream& random, int rows) {
    Simulated result{TargetKind::kClasses, 3, {}, {}, {}};
    for (int row = 0; row < rows; ++row) {
      result.classes.push_back(static_cast<std::int64_t>(random.below(3)));
      for (int column = 0; column < 3; ++column) {
        result.predictions.push_back(normal(random) + (column == result.classes.back() ? 1 : 0));
      }
    }
    return result;
  };
  RandomStream random(0, "test/truth");
  const double auc = *find_metric("roc_auc")->score(simulate(random, 200'000).answers()).value;
  expect_right(coverage("roc_auc", auc, [&](RandomStream& each) { return simulate(each, 120); }));
}

TEST(Coverage, AveragePrecision) {
  // Integral of the precision over the recall, for 30 % positives.
  double truth = 0;
  for (double x = -8, step = 1e-3; x < 10; x += step) {
    const double found = 0.3 * normal_cdf(1.2 - x), taken = found + 0.7 * normal_cdf(-x);
    truth += std::exp(-(x - 1.2) * (x - 1.2) / 2) / std::sqrt(2 * std::numbers::pi) * step * found / taken;
  }
  const double share = coverage("average_precision", truth,
                                [](RandomStream& random) { return simulated_ranking(random, 90, 210, 1.2); });
  EXPECT_GE(share, 0.92);
  EXPECT_LE(share, 0.98);
}

TEST(Coverage, Values) {
  const auto simulate = [](RandomStream& random) {
    Simulated result{TargetKind::kValues, 1, {}, {}, {}};
    for (int row = 0; row < 60; ++row) {
      result.targets.push_back(normal(random));
      result.predictions.push_back(result.targets.back() + 0.5 * normal(random));
    }
    return result;
  };
  expect_right(coverage("mae", 0.5 * std::sqrt(2 / std::numbers::pi), simulate));
  expect_right(coverage("rmse", 0.5, simulate));
  const double explained = coverage("r2", 0.75, simulate);
  EXPECT_GE(explained, 0.92);
  EXPECT_LE(explained, 0.98);
}

}  // namespace
}  // namespace factorgcn
