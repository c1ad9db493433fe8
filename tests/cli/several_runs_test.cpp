// Several seeds, comparisons and searches as a user runs them, with Ctrl-C and kills in between.
#include <gtest/gtest.h>
#include <signal.h>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

const std::string kQuick =
    " --train-size 60 --validation-size 30 --test-size 40 --batch-size 20 --epochs 2 "
    "--set hidden=8 --set factors=2,2 ";

TEST(SeveralRuns, SeedsAreTheRunsOneWouldStartByHand) {
  const Workplace place;
  const Outcome outcome = place.run("train --seeds 2 --seed 3 --jobs 2 --out s" + kQuick);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "95 % interval of the mean")) << outcome.out;
  EXPECT_TRUE(holds(outcome.err, "[2/2]")) << outcome.err;
  ASSERT_EQ(place.run("train --quiet --seed 4 --out one" + kQuick).code, 0);
  EXPECT_EQ(without_time(place.read_json("s/runs/seed-4/metrics.json")),
            without_time(place.read_json("one/metrics.json")));
  const auto metrics = place.read_json("s/metrics.json");
  const double first = place.read_json("s/runs/seed-3/metrics.json").at("test").at("micro_f1");
  const double second = place.read_json("one/metrics.json").at("test").at("micro_f1");
  EXPECT_NEAR(metrics.at("test").at("micro_f1").at("mean").get<double>(), (first + second) / 2, 1e-12);
  EXPECT_EQ(metrics.at("seeds"), nlohmann::json({3, 4}));
  EXPECT_TRUE(place.has("s/page.html") && place.has("s/runs/seed-3/page.html"));

  // The same command with more seeds adds to them; other settings are another matter.
  const Outcome more = place.run("train --seeds 9,3 --no-page --out s" + kQuick);
  EXPECT_EQ(more.code, 0) << more.err;
  EXPECT_TRUE(holds(more.err, "2 runs were done before")) << more.err;
  EXPECT_EQ(place.read_json("s/metrics.json").at("runs"), 3);
  expect_refused(place.run("train --seeds 2 --out s" + kQuick + "--epochs 3"), {"s/runs/seed-3", "'epochs' 2"});

  EXPECT_EQ(place.run("evaluate s --json").code, 0);
  EXPECT_EQ(place.run("page s").code, 0);
  expect_refused(place.run("evaluate s --split test"), {"several seeds", "s/runs/seed-3"});

  const Outcome compared = place.run("compare s one --out compared.html");
  EXPECT_EQ(compared.code, 0) << compared.err;
  EXPECT_TRUE(holds(compared.out, "than A in micro-F1") || holds(compared.out, "the same micro-F1")) << compared.out;
  EXPECT_TRUE(place.has("compared.html"));
  expect_refused(place.run("compare s"), {"two runs or more"});
}

TEST(SeveralRuns, GoOnAfterAnInterruptAndAKill) {
  const Workplace place;
  const std::string command = "train --seeds 3 --no-page --checkpoint-seconds 0 --out s" + kQuick;
  {
    Child child = place.start(command);
    ASSERT_TRUE(child.wait_until([&] { return place.has("s/runs/seed-0/config.json"); })) << child.wait().err;
    child.send(SIGINT);
    const Outcome outcome = child.wait();
    EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.err;
    EXPECT_TRUE(holds(outcome.err, "train --resume s")) << outcome.err;
    EXPECT_FALSE(place.has("s/metrics.json"));
  }
  const Outcome outcome = place.run("train --resume s --quiet --jobs 2");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(place.read_json("s/metrics.json").at("runs"), 3);
  expect_refused(place.run("train --resume s --epochs 5"), {"--epochs", "several seeds"});
}

TEST(SeveralRuns, DivergedRunsAreSaid) {
  const Workplace place;
  const Outcome outcome = place.run("train --seeds 2 --no-page --learning-rate 1e30 --out s" + kQuick);
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "diverged in 2 of 2 runs")) << outcome.err;
  EXPECT_EQ(place.read_json("s/metrics.json").at("test"), nlohmann::json::object());
}

TEST(SeveralRuns, WrongUseIsExplained) {
  const Workplace place;
  expect_refused(place.run("train --seeds 0"), {"--seeds '0'"});
  expect_refused(place.run("train --jobs 2"), {"--jobs goes with --seeds"});
  expect_refused(place.run("train --seeds 2 --model randomgcn"), {"randomgcn"});
  expect_refused(place.run("search --over hidden=8"), {"--out"});
  expect_refused(place.run("search --out q"), {"--over"});
  expect_refused(place.run("search --folds --over hidden=8 --out q"), {"--folds", "--fold N"});
  EXPECT_FALSE(place.has("q"));
}

TEST(SeveralRuns, ASearchGoesOnWhereItWasKilled) {
  const Workplace place;
  const std::string command = "search --over hidden=8,16,5 --over learning-rate=0.01,1e30 --no-page --out q" + kQuick;
  {
    Child child = place.start(command);
    ASSERT_TRUE(child.wait_until([&] {
      return place.has("q/runs/hidden=8,learning-rate=0.01/runs/seed-0/metrics.json");
    })) << child.wait().err;
    child.send(SIGINT);
    EXPECT_EQ(child.wait().code, 128 + SIGINT);
  }
  const Outcome outcome = place.run(command);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "done before")) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "Chosen on the validation part")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "diverged")) << outcome.out;
  const auto metrics = place.read_json("q/metrics.json");
  EXPECT_EQ(metrics.at("trials").size(), 6U);
  EXPECT_TRUE(metrics.contains("chosen"));
  ASSERT_EQ(place.run("train --quiet --no-page --config q/chosen.json --seed 0 --out again").code, 0);
  EXPECT_EQ(place.read_json("again/metrics.json").at("validation").at("micro_f1"),
            metrics.at("trials")[0].at("validation"));
  EXPECT_EQ(place.run("evaluate q").code, 0);
  EXPECT_EQ(place.run("page q").code, 0);
  expect_refused(place.run("compare q again"), {"q holds several runs"});
}

}  // namespace
}  // namespace factorgcn::cli
