// How a model errs: counted by hand.
#include "report/prediction_parts.h"

#include <ATen/ops/log.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace factorgcn {
namespace {

/// Five rows of three classes with these probabilities.
TestedRows five_rows() {
  const at::Tensor shares =
      at::tensor({0.85F, 0.1F, 0.05F, 0.2F, 0.75F, 0.05F, 0.65F, 0.3F, 0.05F, 0.05F, 0.2F, 0.75F, 0.55F, 0.35F, 0.1F})
          .reshape({5, 3});
  return {at::log(shares), at::tensor(std::vector<std::int64_t>{0, 1, 1, 2, 0})};
}

TEST(PredictionParts, CountClassesAndTheirConfusion) {
  Page page;
  add_prediction_parts(five_rows(), Task::kNodeClass, {"a", "b", "c"}, "test nodes", page);
  ASSERT_EQ(page.confusions.size(), 1U);
  EXPECT_EQ(page.confusions[0].counts, (std::vector<std::int64_t>{2, 0, 0, 1, 1, 0, 0, 0, 1}));
  ASSERT_EQ(page.tables.size(), 1U);
  const PageTable& table = page.tables[0];
  const auto value = [&](std::size_t row, const char* key) { return *table.rows[row].cells.at(key).value; };
  EXPECT_EQ(table.rows[0].cells.at("there").text, "2");
  EXPECT_DOUBLE_EQ(value(0, "precision"), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(0, "recall"), 100);
  EXPECT_DOUBLE_EQ(value(1, "precision"), 100);
  EXPECT_DOUBLE_EQ(value(1, "recall"), 50);
  EXPECT_DOUBLE_EQ(value(1, "f1"), 100 * 2.0 / 3);
  EXPECT_DOUBLE_EQ(value(2, "share"), 20);
  EXPECT_NO_THROW(check_page(page));
}

TEST(PredictionParts, JudgeProbabilitiesByWhatCameTrue) {
  Page page;
  add_prediction_parts(five_rows(), Task::kGraphClass, {"a", "b", "c"}, "test graphs", page);
  ASSERT_EQ(page.reliabilities.size(), 1U);
  const PageReliability& part = page.reliabilities[0];
  std::int64_t count = 0;
  double error = 0;
  for (const PageReliabilityBin& bin : part.bins) {
    count += bin.count;
    error += static_cast<double>(bin.count) / 5 * std::abs(bin.said - bin.came);
    EXPECT_LE(bin.low, bin.came);
    EXPECT_GE(bin.high, bin.came);
    EXPECT_TRUE(bin.from <= bin.said && bin.said <= bin.to) << bin.said;
  }
  EXPECT_EQ(count, 5);
  EXPECT_DOUBLE_EQ(part.error, error);
  // 0.55 and right, 0.65 and wrong, twice 0.75 and right, 0.85 and right: each in a bin of its own.
  EXPECT_NEAR(part.error, (0.45 + 0.65 + 2 * 0.25 + 0.15) / 5, 1e-6);
  EXPECT_GT(part.chance, 0);
}

TEST(PredictionParts, PerfectProbabilitiesAreOffByAboutTheirChance) {
  // 400 rows of probability 0.75, 300 of them true: no error at all, and a chance value of one bin of 400.
  const at::Tensor prediction = at::zeros({400, 2});
  prediction.select(1, 1).fill_(std::log(3.0));
  const at::Tensor targets = at::zeros({400}, at::kLong);
  targets.narrow(0, 0, 300).fill_(1);
  Page page;
  add_prediction_parts({prediction, targets}, Task::kNodeClass, {"no", "yes"}, "test nodes", page);
  EXPECT_NEAR(page.reliabilities[0].error, 0, 1e-6);
  EXPECT_NEAR(page.reliabilities[0].chance, std::sqrt(2 / std::numbers::pi * 0.75 * 0.25 / 400), 1e-6);
  EXPECT_EQ(page.tables[0].rows[0].cells.at("precision").text, "never said");
}

TEST(PredictionParts, CountLabels) {
  const at::Tensor prediction = at::tensor({2.0F, -1.0F, 2.0F, 1.0F, -1.0F, -1.0F}).reshape({3, 2});
  const at::Tensor targets = at::tensor({1.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F}).reshape({3, 2});
  Page page;
  add_prediction_parts({prediction, targets}, Task::kMultiLabel, {"x", "y"}, "test graphs", page);
  EXPECT_TRUE(page.confusions.empty()) << "labels do not exclude each other";
  EXPECT_DOUBLE_EQ(*page.tables[0].rows[0].cells.at("precision").value, 50);
  EXPECT_DOUBLE_EQ(*page.tables[0].rows[0].cells.at("recall").value, 50);
  EXPECT_DOUBLE_EQ(*page.tables[0].rows[1].cells.at("precision").value, 100);
}

TEST(PredictionParts, AddNothingWhereNothingWasTestedOrThereAreNoClasses) {
  Page page;
  add_prediction_parts({}, Task::kNodeClass, {"a"}, "test nodes", page);
  add_prediction_parts({at::zeros({3, 1}), at::zeros({3, 1})}, Task::kRegression, {"0"}, "test graphs", page);
  EXPECT_TRUE(page.tables.empty() && page.confusions.empty() && page.reliabilities.empty());
  EXPECT_EQ(join_rows({}).count(), 0);
  EXPECT_EQ(join_rows({five_rows(), {}, five_rows()}).count(), 10);
}

TEST(PredictionParts, ManyClassesHaveATableButNoConfusion) {
  const at::Tensor prediction = at::zeros({2, 61});
  Page page;
  std::vector<std::string> names(61, "c");
  add_prediction_parts({prediction, at::zeros({2}, at::kLong)}, Task::kNodeClass, names, "test nodes", page);
  EXPECT_TRUE(page.confusions.empty());
  EXPECT_NE(page.tables[0].caption.find("61 classes"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
