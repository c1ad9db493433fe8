// Cross-validations as jobs of their own: one per fold, one that closes, nothing twice, and the folder of `train
// --folds`.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/error_text.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "reproduce/fake_program.h"
#include "shelf/tu_folder.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string kName = "rings/gcn/seed-3";
const std::string kFinish = "echo '{}' > \"$out/metrics.json\"";

/// Every job that ended, in order.
class Listener : public ExecuteObserver {
 public:
  void on_job_end(JobKind kind, const RunOutcome& outcome, const ExecuteProgress& progress) override {
    (outcome.was_done_before ? before : ended).push_back(outcome.name);
    (kind == JobKind::kFold ? folds : wholes) += 1;
    last = progress;
    seconds_left.push_back(progress.seconds_left);
  }
  std::vector<std::string> before, ended;
  std::vector<double> seconds_left;
  int folds = 0, wholes = 0;
  ExecuteProgress last;
};

class FoldJobs : public FakeProgram {
 protected:
  FoldJobs() { testing::write_tu_folder(data_.root(), "RINGS", 24); }

  static PlannedRun rings(const std::string& name = kName) {
    return {name, {{"dataset", "RINGS"}, {"model", "gcn"}, {"seed", 3}, {"epochs", 2}, {"data", {{"folds", 2}}}}, true};
  }
  static Plan plan_of(std::vector<PlannedRun> runs) {
    Plan plan;
    plan.runs = std::move(runs);
    return plan;
  }

  fs::path whole() const { return run_folder(options_.out, kName); }
  RunConfig config() const {
    RunConfig config = resolve_config(std::array{rings().layer});
    config.out = whole().string();
    return config;
  }
  /// The folder as `train --folds` has it before its first fold.
  void begin() const { prepare_folds(config(), {"corrected", "published"}); }
  /// A fold that has begun and, with `over`, ended.
  void fold(const std::string& protocol, int number, bool over) const {
    for (const FoldTraining& each : list_folds(config(), {"corrected", "published"})) {
      if (each.protocol == protocol && each.fold == number) {
        fs::create_directories(each.config.out);
        write_file_atomically(fs::path(each.config.out) / "config.json", to_json(each.config).dump());
        if (over) {
          write_file_atomically(fs::path(each.config.out) / "metrics.json", std::string_view("{}"));
        }
      }
    }
  }
  /// The folders that the program was called for, as "new corrected/fold-01", "resume ." and so on.
  std::vector<std::string> called() const {
    std::vector<std::string> list;
    for (const std::string& line : calls()) {
      const bool resumed = line.rfind("train --resume ", 0) == 0;
      const std::string mark = resumed ? "--resume " : "--out ";
      const std::size_t begin = line.find(mark) + mark.size();
      const fs::path folder = line.substr(begin, line.find(' ', begin) - begin);
      list.push_back((resumed ? "resume " : "new ") + folder.lexically_relative(whole()).string());
    }
    return list;
  }

  DataFolder data_;
};

TEST_F(FoldJobs, EachFoldIsAJobAndOneClosesTheRun) {
  program(kFinish);
  Listener listener;
  const auto outcomes = execute_plan(plan_of({rings()}), options_, listener);
  ASSERT_EQ(outcomes.size(), 1U);
  EXPECT_EQ(outcomes[0].name, kName);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kDone) << outcomes[0].message;
  EXPECT_EQ(called(), (std::vector<std::string>{"new corrected/fold-01", "new corrected/fold-02",
                                                "new published/fold-01", "new published/fold-02", "resume ."}));
  EXPECT_EQ(listener.ended,
            (std::vector<std::string>{kName + ", corrected fold 1", kName + ", corrected fold 2",
                                      kName + ", published fold 1", kName + ", published fold 2", kName}));
  EXPECT_EQ(listener.last.done, 5);
  EXPECT_EQ(listener.last.total, 5);
  EXPECT_GT(listener.seconds_left.at(0), 0) << "one fold tells how long the others take";
  EXPECT_EQ(listener.seconds_left.at(4), 0);
  EXPECT_TRUE(is_fold_run(whole()));
  EXPECT_EQ(read_run_config(whole()).seed, 3U);
  const json last = json::parse(read_file(options_.out / "logs" / kName / "published/fold-02.json"));
  EXPECT_EQ(last.at("seed"), 3 * 2 + 1);
  EXPECT_EQ(last.at("protocol"), "published");
  EXPECT_EQ(last.at("data").at("fold"), 2);
  EXPECT_EQ(last.at("data").at("inner_validation"), false);

  Listener again;
  EXPECT_TRUE(execute_plan(plan_of({rings()}), options_, again)[0].was_done_before);
  EXPECT_EQ(calls().size(), 5U) << "something was repeated";
  EXPECT_EQ(again.before, std::vector<std::string>{kName}) << "its folds are of no interest any more";
  EXPECT_EQ(again.last.done, again.last.total);
}

TEST_F(FoldJobs, GoesOnWithAFolderThatTrainFoldsHasBegun) {
  begin();
  fold("corrected", 1, true);
  fold("corrected", 2, false);
  program(kFinish);
  Listener listener;
  EXPECT_EQ(execute_plan(plan_of({rings()}), options_, listener)[0].state, RunOutcome::State::kDone);
  EXPECT_EQ(called(), (std::vector<std::string>{"resume corrected/fold-02", "new published/fold-01",
                                                "new published/fold-02", "resume ."}));
  EXPECT_EQ(listener.before, std::vector<std::string>{kName + ", corrected fold 1"});
  EXPECT_EQ(listener.last.done, 5);
}

TEST_F(FoldJobs, ClosesWhereAllFoldsAreOver) {
  begin();
  for (const int number : {1, 2}) {
    fold("corrected", number, true);
    fold("published", number, true);
  }
  program(kFinish);
  EXPECT_EQ(execute_plan(plan_of({rings()}), options_, observer_)[0].state, RunOutcome::State::kDone);
  EXPECT_EQ(called(), std::vector<std::string>{"resume ."});
}

TEST_F(FoldJobs, AFolderWithoutItsPlanGetsOne) {
  begin();
  fold("corrected", 1, true);
  fs::remove(whole() / "folds.json");
  program(kFinish);
  execute_plan(plan_of({rings()}), options_, observer_);
  EXPECT_TRUE(is_fold_run(whole())) << "it would be continued as an ordinary run";
  EXPECT_EQ(called().front(), "new corrected/fold-02") << "a finished fold was repeated";
}

TEST_F(FoldJobs, AFailingFoldFailsItsRunAloneAndIsTriedAgainAlone) {
  program("case \"$out\" in *seed-3/published/fold-01) echo no luck >&2; exit 1;; esac\n" + kFinish);
  Listener listener;
  const Plan plan = plan_of({rings(), rings("rings/gcn/seed-4")});
  const auto outcomes = execute_plan(plan, options_, listener);
  ASSERT_EQ(outcomes.size(), 2U);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_EQ(outcomes[0].message, "published fold 1: exit code 1: no luck");
  EXPECT_EQ(outcomes[0].log, options_.out / "logs" / kName / "published/fold-01.log");
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kDone);
  EXPECT_TRUE(fs::exists(whole() / "published/fold-02/metrics.json")) << "the other folds are to be trained";
  EXPECT_FALSE(fs::exists(whole() / "metrics.json")) << "a run without one of its folds was closed";
  EXPECT_EQ(listener.last.done, 10);
  EXPECT_EQ(listener.last.total, 10);
  EXPECT_EQ(listener.ended.size(), 9U);
  EXPECT_NE(std::find(listener.ended.begin(), listener.ended.end(), kName + ", published fold 1"),
            listener.ended.end());

  const std::size_t before = calls().size();
  program(kFinish);
  EXPECT_EQ(execute_plan(plan, options_, observer_)[0].state, RunOutcome::State::kDone);
  const std::vector<std::string> all = called();
  EXPECT_EQ(std::vector(all.begin() + static_cast<std::ptrdiff_t>(before), all.end()),
            (std::vector<std::string>{"new published/fold-01", "resume ."}));
}

TEST_F(FoldJobs, SeveralFailingFoldsAreCounted) {
  program("echo worse; exit 1");
  const auto outcomes = execute_plan(plan_of({rings()}), options_, observer_);
  EXPECT_EQ(outcomes[0].message, "corrected fold 1: exit code 1: worse (and 3 more of its folds)");
}

TEST_F(FoldJobs, AClosingJobThatFailsFailsTheRun) {
  program("case \"$out\" in *seed-3) echo cannot average; exit 1;; esac\n" + kFinish);
  const auto outcomes = execute_plan(plan_of({rings()}), options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_EQ(outcomes[0].message, "exit code 1: cannot average");
}

TEST_F(FoldJobs, MissingDataAreToldOnce) {
  program(kFinish);
  PlannedRun missing = rings("mutag/gcn/seed-0");
  missing.layer = {{"dataset", "mutag"}, {"model", "gcn"}};
  Listener listener;
  const auto outcomes = execute_plan(plan_of({missing, rings()}), options_, listener);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_NE(outcomes[0].message.find("factorgcn data fetch mutag"), std::string::npos) << outcomes[0].message;
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kDone);
  EXPECT_EQ(listener.ended.front(), "mutag/gcn/seed-0");
  EXPECT_EQ(listener.ended.size(), 1U + 5U) << "once for all its folds";
  EXPECT_EQ(listener.last.done, 21 + 5);
  EXPECT_EQ(calls().size(), 5U);
}

TEST_F(FoldJobs, AFoldWithOtherSettingsIsRefused) {
  begin();
  fold("published", 2, true);
  const fs::path file = whole() / "published/fold-02/config.json";
  json changed = json::parse(read_file(file));
  changed["seed"] = 99;
  write_file_atomically(file, changed.dump());
  program(kFinish);
  const std::string text = usage_error_text([&] { execute_plan(plan_of({rings()}), options_, observer_); });
  EXPECT_NE(text.find("'seed' 99, but " + kName + ", published fold 2 needs 7"), std::string::npos) << text;
  EXPECT_TRUE(calls().empty());
}

TEST_F(FoldJobs, FoldsRunAtTheSameTimeAndTheClosingJobAfterAll) {
  // Each fold waits until all four have begun: one after the other they would never end.
  program("[ \"$out\" = " + whole().string() + " ] && { ls " + whole().string() +
          "/*/*/metrics.json | wc -l > \"$out/seen\"; " + kFinish + "; exit 0; }\n" +
          "touch \"$out/here\"\ni=0\nwhile [ $(ls " + whole().string() +
          "/*/*/here | wc -l) -lt 4 ] && [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done\n[ $i -lt 300 ] && " +
          kFinish);
  options_.jobs = 4;
  const auto outcomes = execute_plan(plan_of({rings()}), options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kDone) << outcomes[0].message;
  EXPECT_EQ(std::stoi(read_file(whole() / "seen")), 4);
}

TEST_F(FoldJobs, ASignalLeavesTheRunInterrupted) {
  program(
      "case \"$out\" in *corrected/fold-01) " + kFinish +
      "; exit 0;; esac\ntrap 'echo saved; exit 143' TERM\ni=0\nwhile [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done");
  struct Interrupter : ExecuteObserver {
    void on_wait(const ExecuteProgress& progress) override {
      if (progress.done == 1 && progress.running.size() == 1) {
        request_interrupt(SIGTERM);
      }
    }
  } observer;
  const auto outcomes = execute_plan(plan_of({rings(), rings("rings/gcn/seed-4")}), options_, observer);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kInterrupted);
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kNotStarted);
  EXPECT_EQ(called(), (std::vector<std::string>{"new corrected/fold-01", "new corrected/fold-02"}));
}

TEST_F(FoldJobs, OnlySpeaksOfRuns) {
  program(kFinish);
  options_.only = {"seed-4"};
  Listener listener;
  const auto outcomes = execute_plan(plan_of({rings(), rings("rings/gcn/seed-4")}), options_, listener);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kNotStarted);
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kDone);
  EXPECT_EQ(listener.last.total, 5);
  EXPECT_FALSE(fs::exists(whole()));
}

// ---- with the real program ----

/// All files of a cross-validation's folder, sorted.
std::vector<std::string> files_below(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_directory()) {
      names.push_back(name);
      continue;
    }
    for (const std::string& each : files_below(entry.path())) {
      names.push_back(name + "/" + each);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// A file of a run without what may differ between two equal runs.
json without_place_and_time(const fs::path& file) {
  json object = json::parse(read_file(file));
  object.erase("seconds");
  object.erase("out");
  return object;
}

class RealFolds : public ::testing::Test {
 protected:
  /// Trains a cross-validation as jobs and by `train --folds` and compares the folders.
  void expect_same_folder(const json& layer) const {
    Plan plan;
    plan.runs.push_back({"set/model/seed-0", layer, true});
    ExecuteOptions options;
    options.out = data_.path("reproduction");
    options.program = {FACTORGCN_CLI_PATH};
    options.jobs = 2;
    options.threads = 1;
    options.device = "cpu";
    ExecuteObserver observer;
    const auto outcomes = execute_plan(plan, options, observer);
    ASSERT_EQ(outcomes[0].state, RunOutcome::State::kDone) << outcomes[0].message;
    const fs::path jobs = run_folder(options.out, "set/model/seed-0"), folds = data_.path("folds");
    write_file_atomically(data_.path("layer.json"), layer.dump());
    const std::string command = std::string(FACTORGCN_CLI_PATH) + " train --folds --threads 1 --device cpu --quiet" +
                                " --config " + data_.path("layer.json").string() + " --out " + folds.string() + " > " +
                                data_.path("log").string() + " 2>&1";
    ASSERT_EQ(std::system(command.c_str()), 0) << command << "\n" << read_file(data_.path("log"));
    const std::vector<std::string> files = files_below(folds);
    EXPECT_EQ(files_below(jobs), files);
    int compared = 0;
    for (const std::string& file : files) {
      if (file.ends_with(".json")) {
        EXPECT_EQ(without_place_and_time(jobs / file), without_place_and_time(folds / file)) << file;
        ++compared;
      }
    }
    EXPECT_GE(compared, 3 + 2 * 2 * 2) << "config, folds and metrics; config and metrics of each fold";
    EXPECT_EQ(read_fold_metrics(jobs).protocols.size(), 2U);
  }

  DataFolder data_;
};

TEST_F(RealFolds, OfATinySetAreThoseOfTrainFolds) {
  testing::write_tu_folder(data_.root(), "RINGS", 24);
  expect_same_folder({{"dataset", "RINGS"},
                      {"seed", 1},
                      {"data", {{"folds", 2}}},
                      {"epochs", 2},
                      {"batch_size", 16},
                      {"model_settings", {{"hidden", 8}, {"factors", {2, 1}}}}});
}

TEST_F(RealFolds, OfMutagAreThoseOfTrainFolds) {
  const char* const folder = std::getenv("FACTORGCN_TEST_DATA");
  if (folder == nullptr || *folder == '\0') {
    GTEST_SKIP() << "FACTORGCN_TEST_DATA is not set";
  }
  for (const char* part :
       {"_A.txt", "_graph_indicator.txt", "_graph_labels.txt", "_node_labels.txt", "_edge_labels.txt"}) {
    const std::string name = std::string("MUTAG") + part;
    write_bytes(data_.root("MUTAG") / name, read_bytes(fs::path(folder) / "MUTAG" / name));
  }
  expect_same_folder({{"dataset", "mutag"}, {"epochs", 1}});
}

}  // namespace
}  // namespace factorgcn
