// The learning rate's course, epoch by epoch.
#include "factorgcn/train/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

std::vector<double> rates(Schedule schedule, const std::vector<double>& losses) {
  std::vector<double> result;
  for (const double loss : losses) {
    schedule.finish_epoch(loss);
    result.push_back(schedule.rate());
  }
  return result;
}

TEST(Schedule, NoneKeepsTheRate) {
  EXPECT_EQ(rates(Schedule({}, 0.1), {5, 5, 5, 5}), (std::vector<double>{0.1, 0.1, 0.1, 0.1}));
}

TEST(Schedule, StepCutsEveryNEpochs) {
  ScheduleOptions options;
  options.kind = "step";
  options.every = 2;
  options.factor = 0.5;
  EXPECT_EQ(rates(Schedule(options, 1.0), {1, 2, 3, 4, 5}), (std::vector<double>{1, 0.5, 0.5, 0.25, 0.25}));
}

TEST(Schedule, OneCycleRisesAndFalls) {
  ScheduleOptions options;
  options.kind = "one_cycle";
  options.warmup = 0.25;
  Schedule schedule(options, 1.0, 8);
  // Half cosines between 1 / 25, 1 and 1 / 250,000, at the middle of each epoch.
  const double first = schedule.rate();
  EXPECT_NEAR(first, 1 + (0.04 - 1) * (1 + std::sqrt(0.5)) / 2, 1e-12);
  const std::vector<double> rest = rates(schedule, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_NEAR(rest[0], 1 + (0.04 - 1) * (1 - std::sqrt(0.5)) / 2, 1e-12);
  EXPECT_NEAR(rest[6], 4e-6 + (1 - 4e-6) * (1 + std::cos(3.141592653589793 * 11 / 12)) / 2, 1e-12);
  EXPECT_TRUE(std::is_sorted(rest.rbegin(), rest.rend() - 1));
  options.floor = 0.3;
  EXPECT_EQ(Schedule(options, 1.0, 8).rate(), 0.3);
  options.warmup = 1.5;
  EXPECT_THROW(Schedule(options, 1.0, 8), UsageError);
}

TEST(Schedule, PlateauCutsAfterPatienceEpochsWithoutABetterLoss) {
  ScheduleOptions options;
  options.kind = "plateau";
  options.patience = 2;
  options.factor = 0.5;
  options.floor = 0.2;
  // An equal loss is no better one; the count starts again after a cut; the floor holds.
  EXPECT_EQ(rates(Schedule(options, 1.0), {3, 2, 2, 2.5, 1, 4, 4, 4, 4, 4, 4}),
            (std::vector<double>{1, 1, 1, 0.5, 0.5, 0.5, 0.25, 0.25, 0.2, 0.2, 0.2}));
}

TEST(Schedule, ALossThatIsNotFiniteIsNoBetter) {
  ScheduleOptions options;
  options.kind = "plateau";
  options.patience = 1;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(rates(Schedule(options, 1.0), {nan, 3, -std::numeric_limits<double>::infinity()}),
            (std::vector<double>{0.5, 0.5, 0.25}));
}

TEST(Schedule, ARateBelowTheFloorIsNotRaised) {
  ScheduleOptions options;
  options.kind = "step";
  options.every = 1;
  options.floor = 0.5;
  EXPECT_EQ(rates(Schedule(options, 0.1), {1, 1}), (std::vector<double>{0.1, 0.1}));
}

TEST(Schedule, StateContinuesElsewhere) {
  ScheduleOptions options;
  options.kind = "plateau";
  options.patience = 3;
  Schedule first(options, 1.0);
  first.finish_epoch(1);
  first.finish_epoch(2);
  first.finish_epoch(2);
  Schedule second(options, 1.0);
  second.set_state(first.state());
  second.finish_epoch(2);
  EXPECT_EQ(second.rate(), 0.5);
}

TEST(Schedule, RefusesWrongOptions) {
  const auto with = [](auto change) {
    ScheduleOptions options;
    change(options);
    return options;
  };
  EXPECT_THROW(check_schedule(with([](auto& o) { o.kind = "cosine"; })), UsageError);
  EXPECT_THROW(check_schedule(with([](auto& o) { o.factor = 0; })), UsageError);
  EXPECT_THROW(check_schedule(with([](auto& o) { o.factor = 1.5; })), UsageError);
  EXPECT_THROW(check_schedule(with([](auto& o) { o.patience = 0; })), UsageError);
  EXPECT_THROW(check_schedule(with([](auto& o) { o.every = 0; })), UsageError);
  EXPECT_THROW(check_schedule(with([](auto& o) { o.floor = -1; })), UsageError);
}

}  // namespace
}  // namespace factorgcn
