// Student's distribution against tables, means and differences against values worked out by hand, and how often
// intervals hold what they are to hold.
#include "factorgcn/eval/several_runs.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/eval/student.h"

namespace factorgcn {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double bell_number(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

TEST(Student, QuantilesAreThoseOfPrintedTables) {
  EXPECT_NEAR(student_quantile(0.975, 1), 12.7062047364, 1e-8);
  EXPECT_NEAR(student_quantile(0.975, 2), 4.3026527297, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 4), 2.7764451052, 1e-9);
  EXPECT_NEAR(student_quantile(0.95, 10), 1.8124611228, 1e-9);
  EXPECT_NEAR(student_quantile(0.995, 30), 2.7499956536, 1e-9);
  EXPECT_NEAR(student_quantile(0.975, 1e6), 1.959964, 1e-5);
  EXPECT_NEAR(student_quantile(0.025, 4), -2.7764451052, 1e-9);
  EXPECT_EQ(student_quantile(0.5, 3), 0);
}

TEST(Student, QuantileAndShareAreInverse) {
  for (const double degrees : {0.7, 1.0, 2.5, 9.0, 120.0}) {
    for (const double share : {0.001, 0.1, 0.4, 0.6, 0.9, 0.9999}) {
      EXPECT_NEAR(student_share_below(student_quantile(share, degrees), degrees), share, 1e-12)
          << degrees << " " << share;
    }
  }
  EXPECT_EQ(student_share_below(std::numeric_limits<double>::infinity(), 3), 1);
  EXPECT_NEAR(student_share_below(1, 1), 0.75, 1e-14);  // Cauchy
}

TEST(SeveralRuns, SpreadByHand) {
  const Spread spread = spread_of(std::vector{1.0, 2.0, kNone, 6.0});
  EXPECT_EQ(spread.runs, 3);
  EXPECT_EQ(spread.mean, 3);
  EXPECT_EQ(spread.lowest, 1);
  EXPECT_EQ(spread.highest, 6);
  EXPECT_NEAR(*spread.deviation, std::sqrt(7.0), 1e-12);
  EXPECT_NEAR(spread.interval->high, 3 + 4.3026527297 * std::sqrt(7.0 / 3), 1e-8);
  EXPECT_NEAR(spread.interval->low + spread.interval->high, 6, 1e-12);
}

TEST(SeveralRuns, ALoneRunHasNoSpread) {
  const Spread lone = spread_of(std::vector{4.0});
  EXPECT_EQ(lone.runs, 1);
  EXPECT_EQ(lone.mean, 4);
  EXPECT_FALSE(lone.deviation || lone.interval);
  const Spread none = spread_of(std::vector{kNone});
  EXPECT_EQ(none.runs, 0);
  EXPECT_TRUE(std::isnan(none.mean));
}

TEST(SeveralRuns, PairsSeeWhatGroupsCannot) {
  // Seeds differ by much more than the two settings do, but in the same way.
  const std::vector left{1.1, 5.12, 9.09, 3.1}, right{1.0, 5.0, 9.0, 3.0};
  const Difference paired = paired_difference(left, right, 0.95), unpaired = unpaired_difference(left, right, 0.95);
  EXPECT_EQ(paired.how, Comparison::kPaired);
  EXPECT_EQ(paired.pairs, 4);
  EXPECT_NEAR(paired.value, 0.1025, 1e-12);
  EXPECT_NEAR(unpaired.value, 0.1025, 1e-12);
  EXPECT_EQ(paired.more_than_noise(), true);
  EXPECT_EQ(unpaired.more_than_noise(), false);
  const Difference folds = paired_difference(left, right, 0.95, 0.25);  // twice the variance of the mean
  EXPECT_NEAR((folds.interval->high - folds.value) / (paired.interval->high - paired.value), std::sqrt(2.0), 1e-9);
}

TEST(SeveralRuns, WelchByHand) {
  const Difference difference = unpaired_difference(std::vector{1.0, 2.0, 3.0}, std::vector{2.0, 6.0}, 0.95);
  EXPECT_EQ(difference.how, Comparison::kUnpaired);
  EXPECT_EQ(difference.value, -2);
  const double own = 1.0 / 3, other = 8.0 / 2;
  const double degrees = (own + other) * (own + other) / (own * own / 2 + other * other / 1);
  EXPECT_NEAR(difference.interval->high, -2 + student_quantile(0.975, degrees) * std::sqrt(own + other), 1e-9);
}

TEST(SeveralRuns, FewRunsSayLittle) {
  EXPECT_EQ(unpaired_difference(std::vector{1.0}, std::vector{2.0}, 0.95).how, Comparison::kNotPossible);
  EXPECT_FALSE(unpaired_difference(std::vector{1.0}, std::vector{2.0}, 0.95).more_than_noise());
  EXPECT_EQ(paired_difference(std::vector{1.0}, std::vector{2.0}, 0.95).how, Comparison::kNotPossible);
  const Difference one = unpaired_difference(std::vector{9.0}, std::vector{1.0, 2.0, 3.0}, 0.95);
  EXPECT_EQ(one.how, Comparison::kOneToMany);
  EXPECT_NEAR(one.interval->low, 7 - 4.3026527297 * std::sqrt(4.0 / 3), 1e-8);
  EXPECT_EQ(one.more_than_noise(), true);
}

TEST(SeveralRuns, IntervalsOfSamplesAddUp) {
  const Difference difference = sampled_difference(0.8, {0.77, 0.84}, 0.7, {0.66, 0.73}, 0.95);
  EXPECT_NEAR(difference.interval->low, 0.1 - std::hypot(0.03, 0.03), 1e-6);
  EXPECT_NEAR(difference.interval->high, 0.1 + std::hypot(0.04, 0.04), 1e-6);
  EXPECT_EQ(difference.more_than_noise(), true);
  const Difference strict = sampled_difference(0.8, {0.77, 0.84}, 0.7, {0.66, 0.73}, 0.999999);
  EXPECT_EQ(strict.more_than_noise(), false);
}

TEST(SeveralRuns, IntervalsHoldTheTruthAsOftenAsTheySay) {
  RandomStream random(5, "several runs");
  constexpr int kSimulated = 4000;
  int mean_held = 0, paired_held = 0, unpaired_held = 0;
  for (int trial = 0; trial < kSimulated; ++trial) {
    std::vector<double> left, right;
    for (int run = 0; run < 4; ++run) {
      const double shared = 3 * bell_number(random);
      left.push_back(10 + shared + bell_number(random));
      right.push_back(8 + shared + 0.5 * bell_number(random));
    }
    const auto holds = [](const Interval& interval, double truth) {
      return interval.low <= truth && truth <= interval.high;
    };
    mean_held += holds(*spread_of(left).interval, 10);
    paired_held += holds(*paired_difference(left, right, 0.95).interval, 2);
    std::vector<double> apart;
    for (int run = 0; run < 6; ++run) {
      apart.push_back(8 + bell_number(random));
    }
    unpaired_held += holds(*unpaired_difference(left, apart, 0.95).interval, 2);
  }
  const double allowed = 4 * std::sqrt(0.95 * 0.05 / kSimulated);
  EXPECT_NEAR(mean_held / double{kSimulated}, 0.95, allowed);
  EXPECT_NEAR(paired_held / double{kSimulated}, 0.95, allowed);
  EXPECT_NEAR(unpaired_held / double{kSimulated}, 0.95, 0.02);  // Welch's is approximate
}

}  // namespace
}  // namespace factorgcn
