// Cross-validation as a user runs it.
#include <gtest/gtest.h>

#include "cli/workplace.h"
#include "shelf/tu_folder.h"

namespace factorgcn::cli {
namespace {

const std::string kTiny = " --dataset RINGS --epochs 2 --batch-size 16 --set hidden=8 --set factors=2,1 ";

class Folds : public ::testing::Test {
 protected:
  Folds() { factorgcn::testing::write_tu_folder(work.path("data"), "RINGS", 24); }
  Outcome run(const std::string& arguments) const {
    return work.run(arguments, {"FACTORGCN_DATA=" + work.path("data").string()});
  }
  Workplace work;
};

TEST_F(Folds, ReportsBothProtocols) {
  const Outcome outcome = run("train --folds --fold-count 3 --out out" + kTiny);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("published"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("corrected"), std::string::npos);
  EXPECT_NE(outcome.err.find("fold 3 of 3"), std::string::npos) << outcome.err;
  const auto metrics = work.read_json("out/metrics.json");
  EXPECT_EQ(metrics.at("folds").at("published").at("per_fold").size(), 3U);
  EXPECT_TRUE(metrics.at("test").contains("accuracy"));
  EXPECT_EQ(metrics.at("test").at("accuracy"), metrics.at("folds").at("corrected").at("accuracy"));

  const Outcome again = run("evaluate out");
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("corrected"), std::string::npos);
  expect_refused(run("evaluate out --split test"), {"cross-validation"});
  const Outcome resumed = run("train --resume out");
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("done before"), std::string::npos) << resumed.err;
}

TEST_F(Folds, OneFoldIsAnOrdinaryRun) {
  const Outcome outcome = run("train --fold 2 --fold-count 3 --out one" + kTiny);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(work.read_json("one/config.json").at("data").at("fold"), 2);
  EXPECT_TRUE(work.read_json("one/metrics.json").at("test").contains("accuracy"));
}

TEST_F(Folds, RefusesWhatDoesNotGoTogether) {
  expect_refused(run("train --folds --fold 2" + kTiny), {"--fold and --folds"});
  expect_refused(run("train --fold-protocols both" + kTiny), {"--fold-protocols goes with --folds"});
  expect_refused(run("train --folds --fold-protocols neither" + kTiny), {"'neither'", "both"});
  expect_refused(run("train --folds --epochs 1"), {"synthetic", "no folds"});
  expect_refused(run("train --dataset mutag"), {"factorgcn data fetch mutag"});
}

}  // namespace
}  // namespace factorgcn::cli
