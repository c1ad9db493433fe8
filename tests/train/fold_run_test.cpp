// Cross-validation: averages by hand, a real one on a tiny set, and going on after a stop.
#include "factorgcn/train/fold_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "base/error_text.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_directory.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

using testing::write_tu_folder;

TEST(SummariseCurves, TakesTheBestEpochOfTheAverage) {
  const FoldSummary summary = summarise_curves({{0.5, 0.9, 0.7}, {0.6, 0.5, 0.9}});
  EXPECT_DOUBLE_EQ(summary.mean, 0.8);  // epoch 3: 0.7 and 0.9
  EXPECT_NEAR(summary.deviation, 0.1, 1e-12);
  EXPECT_EQ(summary.accuracy, (std::vector<double>{0.7, 0.9}));
  EXPECT_EQ(summary.best_epochs, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(summarise_curves({{0.5, 0.5}}).best_epochs.front(), 1) << "the first among equals";
}

TEST(SummariseCurves, RefusesUnequalOnes) {
  EXPECT_NE(error_text([] { summarise_curves({{0.5}, {0.5, 0.6}}); }).find("equally long"), std::string::npos);
  EXPECT_NE(error_text([] { summarise_curves({}); }).find("no test curves"), std::string::npos);
}

TEST(SummariseScores, IsMeanAndPopulationDeviation) {
  const FoldSummary summary = summarise_scores({0.5, 1.0, 0.75, 0.75});
  EXPECT_DOUBLE_EQ(summary.mean, 0.75);
  EXPECT_NEAR(summary.deviation, std::sqrt(0.125 / 4), 1e-12);
}

class Counter : public FoldObserver {
 public:
  void on_fold_end(const Fold& fold, const RunMetrics& metrics, bool was_done_before) override {
    (was_done_before ? done_before : run) += 1;
    EXPECT_EQ(metrics.protocol, fold.protocol);
  }
  int run = 0, done_before = 0;
};

RunConfig small_config(const DataFolder& folder, std::int64_t epochs = 3) {
  const nlohmann::json layer{{"dataset", "RINGS"},
                             {"data", {{"folds", 3}}},
                             {"epochs", epochs},
                             {"batch_size", 16},
                             {"model_settings", {{"hidden", 8}, {"factors", {2, 1}}}},
                             {"out", folder.path("out").string()}};
  return resolve_config(std::array{layer});
}

TEST(RunFolds, RunsEveryFoldUnderBothProtocols) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 24);
  const RunConfig config = small_config(folder);
  EXPECT_EQ(config.preset, "default");
  Counter counter;
  const FoldResult result = run_folds(config, {"published", "corrected"}, counter);
  EXPECT_EQ(result.status, RunStatus::kFinished);
  EXPECT_EQ(counter.run, 6);
  ASSERT_TRUE(result.metrics.has_value());
  ASSERT_EQ(result.metrics->protocols.size(), 2U);
  EXPECT_EQ(result.metrics->protocols[0].protocol, "corrected") << "the configuration's own comes first";
  EXPECT_TRUE(is_fold_run(folder.path("out")));

  // The published number follows from the histories of its runs.
  std::vector<std::vector<double>> curves;
  for (const char* fold : {"fold-01", "fold-02", "fold-03"}) {
    const auto run = folder.path("out") / "published" / fold;
    const auto history = read_history((run / "history.jsonl").string());
    curves.emplace_back();
    for (const EpochRecord& record : history) {
      EXPECT_EQ(record.monitored, "test");
      curves.back().push_back(record.validation_metric);
    }
    EXPECT_FALSE(std::get<bool>(read_run_config(run).data.at("inner_validation")));
    EXPECT_EQ(read_run_config(run).seed, curves.size() - 1) << "seed 0, three folds: 0, 1, 2";
  }
  const FoldSummary expected = summarise_curves(curves);
  EXPECT_DOUBLE_EQ(result.metrics->protocols[1].mean, expected.mean);

  const FoldMetrics read = read_fold_metrics(folder.path("out"));
  EXPECT_DOUBLE_EQ(read.shared.test.at("accuracy"), result.metrics->protocols[0].mean);
  EXPECT_EQ(read.protocols.size(), 2U);
}

TEST(RunFolds, GoesOnWithoutRepeatingWhatIsOver) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 24);
  Counter first;
  const FoldResult whole = run_folds(small_config(folder), {"corrected"}, first);
  // As if the process had been killed in the third fold: it has no metrics yet, and the whole has none.
  std::filesystem::remove(folder.path("out") / "metrics.json");
  std::filesystem::remove(folder.path("out") / "corrected" / "fold-03" / "metrics.json");
  EXPECT_NE(usage_error_text([&] { read_fold_metrics(folder.path("out")); }).find("not over yet"), std::string::npos);
  Counter second;
  const FoldResult again = resume_folds(folder.path("out"), second);
  EXPECT_EQ(second.done_before, 2);
  EXPECT_EQ(second.run, 1);
  EXPECT_EQ(again.metrics->protocols[0].accuracy, whole.metrics->protocols[0].accuracy);
}

TEST(ListFolds, NamesWhatIsTrainedInItsOrder) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 24);
  RunConfig config = small_config(folder);
  config.seed = 5;
  const std::vector<FoldTraining> folds = list_folds(config, {"published", "corrected"});
  ASSERT_EQ(folds.size(), 6U);
  EXPECT_EQ(folds[0].protocol, "corrected") << "the configuration's own comes first";
  EXPECT_EQ(folds[4].protocol, "published");
  EXPECT_EQ(folds[4].fold, 2);
  EXPECT_EQ(folds[4].config.seed, 5U * 3U + 1U);
  EXPECT_EQ(folds[4].config.protocol, "published");
  EXPECT_EQ(std::get<std::int64_t>(folds[4].config.data.at("fold")), 2);
  EXPECT_EQ(folds[4].config.out, (folder.path("out") / "published" / "fold-02").string());
}

TEST(PrepareFolds, LeavesFoldsToOthersAndResumePutsThemTogether) {
  const DataFolder folder;
  write_tu_folder(folder.root(), "RINGS", 24);
  RunConfig config = small_config(folder);
  Counter whole;
  const FoldResult expected = run_folds(config, {"corrected"}, whole);
  config.out = folder.path("apart").string();
  prepare_folds(config, {"corrected"});
  EXPECT_TRUE(is_fold_run(config.out));
  std::vector<FoldTraining> folds = list_folds(config, {"corrected"});
  std::reverse(folds.begin(), folds.end());
  for (const FoldTraining& fold : folds) {
    Observer silent;
    run_training(fold.config, silent);
  }
  Counter closing;
  const FoldResult result = resume_folds(config.out, closing);
  EXPECT_EQ(closing.run, 0);
  EXPECT_EQ(closing.done_before, 3);
  EXPECT_EQ(result.metrics->protocols.at(0).accuracy, expected.metrics->protocols.at(0).accuracy);
  EXPECT_NE(usage_error_text([&] { prepare_folds(config, {"corrected"}); }).find("not empty"), std::string::npos);
}

TEST(RunFolds, SaysWhereThereAreNone) {
  const DataFolder folder;
  RunConfig config = resolve_config(std::array{nlohmann::json{{"out", folder.path("out").string()}}});
  Counter counter;
  EXPECT_NE(usage_error_text([&] { run_folds(config, {"published"}, counter); }).find("has no folds"),
            std::string::npos);
}

}  // namespace
}  // namespace factorgcn
