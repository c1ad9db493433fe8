// From its configuration to its page a run makes or reads its data once and builds its network once.
#include <gtest/gtest.h>

#include <numeric>

#include <array>
#include <nlohmann/json.hpp>

#include "factorgcn/data/registry.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/data/tu.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

int made = 0, read = 0, built = 0;

/// A generated and a stored data set and a network that count how often they come to be.
class OneOpening : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    DatasetEntry generated;
    generated.name = "counted";
    generated.summary = "made for this test";
    generated.settings = {{"train", 30, 1, 100, "graphs to train on"}, {"seed", 0, 0, 100, "of the random numbers"}};
    generated.make = [](const Settings& settings) {
      ++made;
      const std::int64_t train = std::get<std::int64_t>(settings.at("train"));
      return make_synthetic({.factors = 4, .train = train, .validation = 10, .test = 10});
    };
    add_dataset(generated);
    DatasetEntry stored;
    stored.name = "counted-rings";
    stored.summary = "read for this test";
    stored.file_stem = "COUNTED";
    stored.read = [](const FileSource& files, const DatasetEntry& self) {
      ++read;
      TuDatasetOptions options;
      options.dataset_name = self.name;
      return make_tu_dataset(read_tu(files, self.file_stem), options);
    };
    add_dataset(stored);
    add_model({"counting",
               "factorgcn that counts",
               "this test",
               {Task::kMultiLabel, Task::kGraphClass},
               [](const ModelInput& input, const Settings& settings, std::uint64_t seed) {
                 ++built;
                 return make_model("factorgcn", input, settings, seed);
               }});
  }

  OneOpening() {
    made = read = built = 0;
    testing::write_tu_folder(folder_.root(), "COUNTED", 24);
    write_bytes(folder_.root("parsed"), "no folder: every opening reads the files themselves");
  }

  nlohmann::json layer(const std::string& dataset) const {
    return {{"dataset", dataset},
            {"model", "counting"},
            {"model_settings", {{"hidden", 8}, {"factors", {2, 1}}}},
            {"epochs", 2},
            {"batch_size", 10},
            {"device", "cpu"},
            {"out", folder_.path("run").string()}};
  }

  std::filesystem::path run() const { return folder_.path("run"); }

  DataFolder folder_;
  Observer silent_;
};

TEST_F(OneOpening, TrainingAndItsPageShareDataAndNetwork) {
  OpenedData data;
  const RunConfig config = resolve_config(std::array{layer("counted")}, data);
  EXPECT_EQ(made, 0) << "a configuration needs no graphs";
  const RunResult result = run_training(config, silent_, false, data);
  departures_from_preset(config, data);
  const Page page = run_page(run(), {}, data, result.loaded);
  EXPECT_EQ(page.factor_graphs.size(), 1U);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(built, 1);

  // The model that training leaves is the one on disk.
  Page again = run_page(run(), {}, data);
  again.created = page.created;
  EXPECT_EQ(to_json(again), to_json(page));
  EXPECT_EQ(made, 1);
  EXPECT_EQ(built, 2);
}

TEST_F(OneOpening, ResumingIsOneSessionMore) {
  run_training(resolve_config(std::array{layer("counted")}), silent_);
  made = built = 0;
  OpenedData data;
  ResumeOptions more;
  more.epochs = 3;
  const RunResult result = resume_training(run(), silent_, more, data);
  run_page(run(), {}, data, result.loaded);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(built, 1);
}

TEST_F(OneOpening, EvaluationAndReport) {
  run_training(resolve_config(std::array{layer("counted-rings")}), silent_);
  read = built = 0;
  OpenedData data;
  const RunMetrics metrics = evaluate_run(run(), {}, "cpu", data);
  departures_from_preset(resolve_config(std::array{layer("counted-rings")}, data), data);
  EXPECT_EQ(metrics.dataset, "counted-rings");
  EXPECT_EQ(read, 1);
  EXPECT_EQ(built, 1);
}

TEST_F(OneOpening, FoldsShareTheData) {
  nlohmann::json given = layer("counted-rings");
  given["data"] = {{"folds", 3}};
  OpenedData data;
  const RunConfig config = resolve_config(std::array{given}, data);
  FoldObserver watcher;
  const FoldResult result = run_folds(config, {"published", "corrected"}, watcher, false, data);
  EXPECT_EQ(result.status, RunStatus::kFinished);
  const Page page = run_page(run(), {}, data);
  ASSERT_EQ(page.factor_graphs.size(), 3U);
  EXPECT_EQ(page.factor_graphs[2].variant, "fold 3");
  ASSERT_EQ(page.confusions.size(), 1U);
  EXPECT_EQ(std::accumulate(page.confusions[0].counts.begin(), page.confusions[0].counts.end(), std::int64_t{0}), 24)
      << "every graph is tested once";
  EXPECT_EQ(read, 1);
  EXPECT_EQ(built, 6 + 3) << "one network a fold and protocol, and the page reads those of its protocol again";
}

TEST_F(OneOpening, OtherSettingsAreOtherData) {
  OpenedData data;
  const auto small = data.open("counted", {{"train", std::int64_t{5}}});
  EXPECT_EQ(data.open("counted", {{"train", std::int64_t{5}}}), small);
  EXPECT_EQ(made, 1);
  EXPECT_EQ(data.open("counted", {{"train", std::int64_t{6}}})->split.train.size(), 6U);
  EXPECT_EQ(small->split.train.size(), 5U) << "what was handed out stays as it is";
  EXPECT_EQ(made, 2);

  const auto first = data.open("counted-rings", {{"fold", std::int64_t{1}}, {"folds", std::int64_t{3}}});
  const auto second = data.open("counted-rings", {{"fold", std::int64_t{2}}, {"folds", std::int64_t{3}}});
  EXPECT_NE(first->split.test, second->split.test);
  EXPECT_TRUE(first->graphs.in_sources.is_same(second->graphs.in_sources));
  EXPECT_EQ(read, 1);
}

TEST_F(OneOpening, WhatWasSaidWhileDescribingIsHeardWhenOpening) {
  OpenedData data;
  data.describe("counted-rings", {});
  std::vector<std::string> heard;
  const auto listen = [&](const std::string& line) { heard.push_back(line); };
  data.open("counted-rings", {}, listen);
  data.open("counted-rings", {}, listen);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_NE(heard[0].find("not cached"), std::string::npos) << heard[0];
  EXPECT_EQ(read, 1);
}

}  // namespace
}  // namespace factorgcn
