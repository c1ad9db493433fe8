// The closing report, from metrics made by hand.
#include "factorgcn/report/run_report.h"

#include <gtest/gtest.h>

#include <array>
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

bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

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
