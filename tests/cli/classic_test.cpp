// Models that are not trained end to end, as a user meets them.
#include <gtest/gtest.h>

#include <string>

#include "cli/workplace.h"
#include "factorgcn/classic/svm.h"
#include "shelf/tu_folder.h"

namespace factorgcn::cli {
namespace {

class Classic : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_train_svm()) {
      GTEST_SKIP() << "this build has no libsvm";
    }
    factorgcn::testing::write_tu_folder(work.path("data"), "RINGS", 24);
  }
  Outcome run(const std::string& arguments) const {
    return work.run(arguments, {"FACTORGCN_DATA=" + work.path("data").string()});
  }
  Workplace work;
};

TEST_F(Classic, CrossValidationSpeaksOfNoEpochs) {
  const Outcome outcome = run(
      "train --dataset RINGS --model wl_subtree --folds --fold-count 3 --set rounds=1 --set inner_folds=3 --out out");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"published", "corrected", "100.0 ± 0.0", "There are no epochs", "Test graphs never choose"}) {
    std::string flat = outcome.out;
    for (char& letter : flat) {
      letter = letter == '\n' ? ' ' : letter;
    }
    EXPECT_NE(flat.find(part), std::string::npos) << part << " is missing in:\n" << outcome.out;
  }
  EXPECT_EQ(outcome.err.find("epoch"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("fold 3 of 3, published protocol: accuracy 100.0 %"), std::string::npos) << outcome.err;
  EXPECT_EQ(work.read_json("out/metrics.json").at("folds").at("published").at("per_fold").size(), 3U);
  EXPECT_TRUE(work.has("out/published/fold-01/choice.json"));
  EXPECT_TRUE(work.has("out/published/fold-01/model.safetensors"));
  const Outcome again = run("evaluate out/published/fold-01 --split test --json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("\"accuracy\": 1.0"), std::string::npos) << again.out;
}

TEST_F(Classic, SaysWhyItCannotServeATask) {
  expect_refused(run("train --model wl_subtree --out x"), {"wl_subtree classifies graphs", "synthetic"});
  expect_refused(run("train --model patchy_san --out x"), {"patchy_san classifies graphs", "synthetic"});
  expect_refused(run("train --dataset RINGS --model wl-subtree --out x"), {"unknown model", "wl_subtree"});
  expect_refused(run("train --dataset RINGS --model awl --set length=3 --out x"), {"length", "lengths"});
  EXPECT_FALSE(work.has("x"));
  const Outcome listed = run("models");
  for (const char* name : {"wl_subtree", "awl", "patchy_san", "factorgcn"}) {
    EXPECT_NE(listed.out.find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace factorgcn::cli
