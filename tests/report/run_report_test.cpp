// The closing report, from metrics made by hand.
#include "factorgcn/report/run_report.h"
#include "base/holds.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

namespace factorgcn {
namespace {

RunMetrics example() {
  RunMetrics metrics;
  metrics.dataset = "synthetic";
  metrics.model = "factorgcn";
  metrics.preset = "published";
  metrics.protocol = "corrected";
  metrics.seed = 3;
  metrics.epochs_run = 80;
  metrics.best_epoch = 71;
  metrics.seconds = 14.4;
  metrics.factors = 4;
  metrics.test = {{"micro_f1", 0.99342}, {"ged_e", 10.876}, {"ged_e_std", 4.251}, {"c_score", 0.5127}};
  metrics.splits = {{"micro_f1", "test"}, {"ged_e", "test"}};
  return metrics;
}

using factorgcn::testing::holds;

TEST(RunTable, ShowsTheRunBesideThePaper) {
  EXPECT_EQ(run_table(example()).to_text(),
            "  metric     this run       paper            on     better\n"
            "  ────────   ────────────   ──────────────   ────   ──────\n"
            "  micro-F1    0.9934         0.995 ± 0.004   test   higher\n"
            "  GED_E      10.88 ± 4.25   10.59 ± 4.37     test   lower\n"
            "  C-Score     0.5127         0.532 ± 0.044   test   higher\n");
}

TEST(RunTable, LeavesOutWhatThePaperDoesNotHave) {
  RunMetrics metrics = example();
  metrics.factors = 5;
  const std::string text = run_table(metrics).to_text();
  EXPECT_TRUE(holds(text, "0.893 ± 0.021")) << text;
  EXPECT_FALSE(holds(text, "10.59")) << text;
}

TEST(RunTable, ShowsAccuracyInPercent) {
  RunMetrics metrics = example();
  metrics.dataset = "pattern";
  metrics.factors.reset();
  metrics.test = {{"mean_recall", 0.8651}};
  metrics.splits = {{"mean_recall", "test"}};
  const std::string text = run_table(metrics).to_text();
  EXPECT_TRUE(holds(text, "86.51")) << text;
  EXPECT_TRUE(holds(text, "86.57 ± 0.02")) << text;
}

RunMetrics detailed() {
  RunMetrics metrics = example();
  metrics.metric = "micro_f1";
  metrics.test["macro_f1"] = 0.98;
  metrics.test["roc_auc"] = std::nan("");
  metrics.samples = {{"test", 2000}, {"validation", 12}};
  metrics.intervals = {{"micro_f1", {0.9915, 0.99481}}, {"macro_f1", {0.97, 0.985}}};
  metrics.chance = {{"micro_f1", 0.4}, {"macro_f1", 0.25}};
  return metrics;
}

TEST(DetailTable, ShowsIntervalsAndChanceOfTheTasksMetricAndTheOthers) {
  EXPECT_EQ(run_table(detailed()).to_text(), run_table(example()).to_text()) << "the first table is as it was";
  EXPECT_EQ(detail_table(detailed()).to_text(),
            "  metric     this run   95 % interval      chance   better\n"
            "  ────────   ────────   ────────────────   ──────   ──────\n"
            "  micro-F1   0.9934     0.9915 to 0.9948   0.4000   higher\n"
            "  macro-F1   0.9800     0.9700 to 0.9850   0.2500   higher\n");
  EXPECT_EQ(unknown_text(detailed()),
            "Not known here: ROC AUC (it needs samples of two classes, and a model that ranks them).");
  EXPECT_TRUE(detail_table(example()).empty()) << "an older file says nothing more";
}

TEST(RunTable, ShowsChanceOfFactorsAndNoEmptyColumn) {
  RunMetrics metrics = example();
  metrics.dataset = "my-own";
  metrics.test.erase("c_score");
  metrics.test["ged_e_share"] = 0.612;
  metrics.test["relation_auc"] = 0.91;
  metrics.chance = {{"micro_f1", 0.5}, {"ged_e", 17.77}, {"ged_e_share", 1}, {"relation_auc", 0.58}};
  EXPECT_EQ(run_table(metrics).to_text(),
            "  metric                 this run       chance     on     better\n"
            "  ────────────────────   ────────────   ────────   ────   ──────\n"
            "  micro-F1                0.9934          0.5000   test   higher\n"
            "  GED_E                  10.88 ± 4.25    17.77     test   lower\n"
            "  GED_E of chance in %   61.2           100.0      test   lower\n"
            "  relation AUC            0.9100          0.5800   test   higher\n");
}

TEST(RunReport, ADivergedRunDoesNotLookLikeOneThatHasLearnt) {
  RunMetrics metrics = detailed();
  EXPECT_TRUE(run_warnings(metrics).empty());
  metrics.status = RunStatus::kDiverged;
  metrics.best_epoch = 5;
  std::string text = run_report(metrics, {}, Terminal{false, false, true, 100});
  EXPECT_TRUE(holds(text, "epoch 5, before it diverged")) << text;
  EXPECT_TRUE(holds(text, "TRAINING DIVERGED")) << text;
  EXPECT_FALSE(holds(text, "this run")) << text;
  metrics.best_epoch = 0;
  text = run_report(metrics, {}, Terminal{false, false, true, 100});
  EXPECT_TRUE(holds(text, "untrained")) << text;
  EXPECT_TRUE(holds(text, "DIVERGED before an epoch was complete")) << text;
}

TEST(RunReport, SaysWhereAScoreIsNoBetterThanChance) {
  RunMetrics metrics = detailed();
  metrics.chance["micro_f1"] = 0.992;  // inside of the interval
  ASSERT_EQ(run_warnings(metrics).size(), 1U);
  EXPECT_TRUE(holds(run_warnings(metrics)[0], "No better than chance")) << run_warnings(metrics)[0];
  RunMetrics values = example();
  values.metric = "mae";
  values.test = {{"mae", 0.5}};
  values.splits = {{"mae", "test"}};
  values.intervals = {{"mae", {0.4, 0.6}}};
  values.chance = {{"mae", 0.7}};
  EXPECT_TRUE(run_warnings(values).empty());
  values.chance["mae"] = 0.55;
  EXPECT_EQ(run_warnings(values).size(), 1U);
}

TEST(RunReport, SaysThatThereWasNoTestPart) {
  RunMetrics metrics = detailed();
  metrics.splits["micro_f1"] = "validation";
  const std::string text = run_report(metrics, {}, Terminal{false, false, true, 100});
  EXPECT_TRUE(holds(text, "There is no test part")) << text;
  EXPECT_FALSE(holds(text, "training never saw")) << text;
}

TEST(DetailTable, KnowsWhichMetricIsTheTasks) {
  RunMetrics metrics;
  metrics.dataset = "pattern";
  metrics.model = "factorgcn";
  metrics.metric = "mean_recall";
  metrics.test = {{"accuracy", 0.9}, {"mean_recall", 0.8651}, {"macro_f1", 0.8}};
  EXPECT_EQ(shown_metrics(metrics), (std::vector<std::string>{"mean_recall"}));
  EXPECT_EQ(further_metrics(metrics), (std::vector<std::string>{"accuracy", "macro_f1"}));
  const std::string text = run_table(metrics).to_text();
  EXPECT_TRUE(holds(text, "balanced accuracy") && holds(text, "86.57 ± 0.02")) << text;
  EXPECT_EQ(paper_value_beside(metrics, "accuracy"), nullptr) << "what the paper calls accuracy is the balanced one";
}

TEST(RunReport, SaysHowManySamplesThereAreAndWhenTheyAreFew) {
  RunMetrics metrics = detailed();
  const Terminal terminal{false, false, true, 100};
  std::string text = run_report(metrics, {}, terminal);
  EXPECT_TRUE(holds(text, "On 2,000 test samples.")) << text;
  EXPECT_TRUE(holds(text, "0.9915 to 0.9948")) << text;
  EXPECT_FALSE(holds(text, "small")) << text;
  metrics.samples["test"] = 29;
  text = run_report(metrics, {}, terminal);
  EXPECT_TRUE(holds(text, "A small test part: with fewer than 30 samples")) << text;
  metrics.samples["test"] = 30;
  metrics.splits["micro_f1"] = "validation";  // the published protocol: the other part's number counts
  EXPECT_TRUE(holds(run_report(metrics, {}, terminal), "On 12 validation samples. A small validation part"));
}

TEST(RunReport, SaysProtocolTimeAndHowToRead) {
  const std::string text = run_report(example(), {}, Terminal{false, false, true, 80});
  for (const char* part : {"factorgcn on synthetic", "seed 3", "80 epochs in 14 s", "best at epoch 71",
                           "Protocol: corrected", "How to read this.", "GED_E:", "C-Score:"}) {
    EXPECT_TRUE(holds(text, part)) << part << " is missing in:\n" << text;
  }
  EXPECT_FALSE(holds(text, "Not the paper's setting"));
}

TEST(RunReport, WarnsOfOtherSettingsAndOfThePublishedProtocol) {
  RunMetrics metrics = example();
  metrics.protocol = "published";
  metrics.splits["micro_f1"] = "validation";
  const std::string text = run_report(metrics, {"epochs 3 (published: 80)"}, Terminal{});
  EXPECT_TRUE(holds(text, "Not the paper's setting: epochs 3 (published: 80).")) << text;
  EXPECT_TRUE(holds(text, "Protocol: published")) << text;
  EXPECT_TRUE(holds(text, "validation")) << text;
  EXPECT_TRUE(holds(text, "+/-")) << "a terminal without UTF-8 gets ASCII:\n" << text;
}

TEST(Departures, AreWhatDiffersFromThePreset) {
  const nlohmann::json plain = {{"dataset", "synthetic"}, {"seed", 4}, {"data", {{"factors", 6}}}};
  EXPECT_TRUE(departures_from_preset(resolve_config(std::array{plain})).empty());

  nlohmann::json changed = plain;
  changed["epochs"] = 3;
  changed["data"]["train"] = 50;
  changed["model_settings"] = {{"hidden", 16}};
  EXPECT_EQ(departures_from_preset(resolve_config(std::array{changed})),
            (std::vector<std::string>{"train 50 (published: 14000)", "hidden 16 (published: 64)",
                                      "epochs 3 (published: 80)"}));

  changed["preset"] = "none";
  EXPECT_TRUE(departures_from_preset(resolve_config(std::array{changed})).empty());
}

}  // namespace
}  // namespace factorgcn
