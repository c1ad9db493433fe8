// Runs of kernel machines and of PATCHY-SAN from end to end, on a tiny set of rings and stars.
#include "factorgcn/train/classic_run.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error_text.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/classic/canonical.h"
#include "factorgcn/classic/registry.h"
#include "factorgcn/classic/svm.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

using nlohmann::json;

class ClassicRun : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_train_svm() || !can_label_canonically()) {
      GTEST_SKIP() << "this build has no libsvm or no nauty";
    }
    testing::write_tu_folder(folder.root(), "RINGS", 24);
  }

  RunConfig config(const std::string& model, const json& settings, const std::string& out = "out") const {
    const json layer{{"dataset", "RINGS"},
                     {"data", {{"folds", 3}}},
                     {"model", model},
                     {"epochs", 4},
                     {"model_settings", settings},
                     {"batch_size", 8},
                     {"out", folder.path(out).string()}};
    return resolve_config(std::array{layer});
  }

  static json machine_settings() { return {{"cost_powers", {0, 1}}, {"inner_folds", 3}}; }

  DataFolder folder;
  Observer silent;
};

TEST_F(ClassicRun, FitsSavesAndScoresAgain) {
  json settings = machine_settings();
  settings["rounds"] = {0, 1, 2};
  const RunConfig own = config("wl_subtree", settings);
  const RunResult result = run_training(own, silent);
  ASSERT_TRUE(result.metrics.has_value());
  EXPECT_EQ(result.metrics->test.at("accuracy"), 1.0) << "rings and stars differ after one round";
  EXPECT_EQ(result.metrics->epochs_run, 0);
  const RunPaths paths(own.out);
  for (const auto& path : {paths.config, paths.metrics, paths.model}) {
    EXPECT_TRUE(std::filesystem::exists(path)) << path;
  }
  EXPECT_FALSE(std::filesystem::exists(paths.checkpoint));
  const json choice = json::parse(read_file(paths.folder / "choice.json"));
  EXPECT_EQ(choice.at("chosen_by"), "the validation graphs");
  EXPECT_EQ(choice.at("tried").size(), 6U);
  EXPECT_EQ(choice.at("chosen").at("accuracy"), 1.0);

  const RunMetrics again = evaluate_run(own.out);
  EXPECT_EQ(to_json(again).at("test").dump(),
            to_json(*result.metrics).at("test").dump());  // what is not known is no number
  EXPECT_EQ(again.validation, result.metrics->validation);
  EXPECT_EQ(again.parameters, result.metrics->parameters);
  EXPECT_EQ(score_kernel_machine(own.out, "train").test.at("accuracy"), 1.0);
  EXPECT_NE(usage_error_text([&] { run_training(own, silent); }).find("--force"), std::string::npos);
}

TEST_F(ClassicRun, IsTheSameForAnyNumberOfThreads) {
  json settings = machine_settings();
  settings["lengths"] = {2, 3};
  const int before = num_threads();
  set_num_threads(1);
  run_training(config("awl", settings, "one"), silent);
  set_num_threads(3);
  run_training(config("awl", settings, "three"), silent);
  set_num_threads(before);
  EXPECT_EQ(read_file(folder.path("one") / "model.safetensors"), read_file(folder.path("three") / "model.safetensors"));
}

TEST_F(ClassicRun, CrossValidatesBothProtocols) {
  struct Counter : FoldObserver {
    void on_fold_end(const Fold&, const RunMetrics&, bool was_done_before) override { done += was_done_before ? 1 : 0; }
    int done = 0;
  };
  json settings = machine_settings();
  settings["rounds"] = {1};
  Counter counter;
  const FoldResult result = run_folds(config("wl_subtree", settings), {"published", "corrected"}, counter);
  ASSERT_TRUE(result.metrics.has_value());
  ASSERT_EQ(result.metrics->protocols.size(), 2U);
  for (const FoldSummary& summary : result.metrics->protocols) {
    EXPECT_EQ(summary.mean, 1.0) << summary.protocol;
    EXPECT_EQ(summary.accuracy.size(), 3U);
    EXPECT_TRUE(summary.best_epochs.empty()) << "there are no epochs";
  }
  const json choice = json::parse(read_file(folder.path("out") / "published" / "fold-02" / "choice.json"));
  EXPECT_EQ(choice.at("chosen_by"), "cross-validation in 3 parts of the training graphs");
  resume_folds(folder.path("out"), counter);
  EXPECT_EQ(counter.done, 6) << "folds that are over are not repeated";
}

TEST_F(ClassicRun, BeginsAgainAfterAnInterrupt) {
  const RunConfig own = config("wl_subtree", machine_settings());
  request_interrupt(2);
  const RunResult stopped = run_training(own, silent);
  clear_interrupt();
  EXPECT_EQ(stopped.status, RunStatus::kInterrupted);
  EXPECT_EQ(stopped.signal, 2);
  EXPECT_NE(usage_error_text([&] { evaluate_run(own.out); }).find("--resume"), std::string::npos);
  const RunResult resumed = resume_training(own.out, silent);
  ASSERT_TRUE(resumed.metrics.has_value());
  EXPECT_EQ(resumed.metrics->test.at("accuracy"), 1.0);
}

TEST_F(ClassicRun, TrainsPatchySanLikeAnyNetwork) {
  const json settings{{"field_size", 3}, {"window", 2}, {"hidden", 8}, {"ranking", "degree"}};
  RunConfig own = config("patchy_san", settings);
  own.epochs = 60;
  own.learning_rate = 0.01;
  const RunResult result = run_training(own, silent);
  ASSERT_TRUE(result.metrics.has_value());
  EXPECT_EQ(result.metrics->epochs_run, 60);
  EXPECT_GE(result.metrics->test.at("accuracy"), 0.9);
  EXPECT_EQ(evaluate_run(own.out).test, result.metrics->test);
  // With other sizes the same file is refused.
  json changed = json::parse(read_file(RunPaths(own.out).config));
  changed["model_settings"]["hidden"] = 9;
  std::ofstream(RunPaths(own.out).config) << changed.dump();
  const std::string said = error_text([&] { evaluate_run(own.out); });
  EXPECT_NE(said.find("config.json"), std::string::npos) << said;
}

TEST_F(ClassicRun, RefusesDamagedMachines) {
  const RunConfig own = config("wl_subtree", machine_settings());
  run_training(own, silent);
  const auto path = RunPaths(own.out).model;
  std::string bytes = read_file(path);
  std::ofstream(path, std::ios::binary) << bytes.substr(0, bytes.size() - 3);
  EXPECT_NE(error_text([&] { evaluate_run(own.out); }).find("model.safetensors"), std::string::npos);
}

TEST_F(ClassicRun, RefusesWrongSettings) {
  const auto refusal = [&](const std::string& model, const json& settings) {
    return usage_error_text([&] { run_training(config(model, settings, "wrong"), silent); });
  };
  EXPECT_NE(refusal("wl_subtree", {{"round", {1}}}).find("rounds"), std::string::npos) << "the nearest name";
  EXPECT_NE(refusal("wl_subtree", {{"rounds", {-1}}}).find("from 0 to"), std::string::npos);
  EXPECT_NE(refusal("awl", {{"kernels", "cubic"}}).find("'cubic'"), std::string::npos);
  EXPECT_NE(refusal("awl", {{"lengths", {20}}}).find("from 1 to"), std::string::npos);
  EXPECT_NE(refusal("patchy_san", {{"ranking", "age"}}).find("'age'"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path("wrong"))) << "nothing is made before all is checked";
  EXPECT_NE(usage_error_text([&] { config("wl_subtre", json::object()); }).find("wl_subtree"), std::string::npos);
}

TEST(ClassicRegistry, SaysWhichTaskItServes) {
  Dataset dataset;
  dataset.name = "zinc";
  dataset.task = Task::kRegression;
  for (const ClassicEntry& entry : classic_models()) {
    const std::string text = usage_error_text([&] { check_classic_task(entry, dataset); });
    EXPECT_EQ(text, entry.name + " classifies graphs; data set zinc has a task of kind " + task_name(dataset.task));
    EXPECT_NE((entry.machine == nullptr), (entry.network == nullptr)) << entry.name;
    EXPECT_EQ(entry.view == nullptr, entry.network == nullptr) << entry.name;
    EXPECT_EQ(find_classic(entry.name), &entry);
    EXPECT_EQ(is_kernel_machine(entry.name), entry.machine != nullptr);
  }
  EXPECT_EQ(find_classic("factorgcn"), nullptr);
  EXPECT_EQ(all_models().front().name, "factorgcn");
}

}  // namespace
}  // namespace factorgcn
