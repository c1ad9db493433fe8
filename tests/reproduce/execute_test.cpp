// The scheduler, with a shell script in the program's place: what is run, what is not run again, what a failure does.
#include "factorgcn/reproduce/execute.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/train/run_config.h"
#include "reproduce/fake_program.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;

class Execute : public FakeProgram {
 protected:
  static Plan plan_of(std::vector<std::string> names) {
    Plan plan;
    for (const std::string& name : names) {
      plan.runs.push_back({name, {{"dataset", "synthetic"}, {"seed", 0}}, false});
    }
    return plan;
  }
};

TEST_F(Execute, OnlyTrainsRunsOfThatName) {
  program("echo '{}' > \"$out/metrics.json\"");
  const Plan plan = plan_of({"a/m/seed-0", "a/n/seed-0", "b/m/seed-0"});
  options_.only = {"/n/", "b/"};
  struct Counting : ExecuteObserver {
    void on_job_end(JobKind, const RunOutcome& outcome, const ExecuteProgress& progress) override {
      names.insert(outcome.name);
      last = progress;
    }
    std::set<std::string> names;
    ExecuteProgress last;
  } observer;
  const auto outcomes = execute_plan(plan, options_, observer);
  ASSERT_EQ(outcomes.size(), 3U);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kNotStarted);
  EXPECT_EQ(observer.names, (std::set<std::string>{"a/n/seed-0", "b/m/seed-0"}));
  EXPECT_EQ(observer.last.done, 2);
  EXPECT_EQ(observer.last.total, 2);
  EXPECT_EQ(calls().size(), 2U);

  options_.only = {"a/m"};  // what is done stays done, and is not counted among what this call was asked for
  execute_plan(plan, options_, observer);
  EXPECT_EQ(calls().size(), 3U);
  EXPECT_EQ(observer.last.done, 1);

  options_.only = {"c/", "/x/"};
  EXPECT_EQ(error_text([&] { execute_plan(plan, options_, observer); }),
            "--only c/, /x/: none of the 3 runs has that in its name; --dry-run lists them");
}

TEST_F(Execute, TrainsEachRunOnce) {
  program("echo '{}' > \"$out/metrics.json\"");
  const Plan plan = plan_of({"a/m/seed-0", "a/m/seed-1", "b/m/seed-0"});
  const auto outcomes = execute_plan(plan, options_, observer_);
  ASSERT_EQ(outcomes.size(), 3U);
  for (const RunOutcome& outcome : outcomes) {
    EXPECT_EQ(outcome.state, RunOutcome::State::kDone);
    EXPECT_FALSE(outcome.was_done_before);
  }
  ASSERT_EQ(calls().size(), 3U);
  EXPECT_EQ(calls()[0].rfind("train --config ", 0), 0U) << calls()[0];
  EXPECT_NE(calls()[0].find("--out " + (options_.out / "runs/a/m/seed-0").string()), std::string::npos);
  const auto layer = nlohmann::json::parse(read_file(options_.out / "logs/a/m/seed-0.json"));
  EXPECT_EQ(layer.at("dataset"), "synthetic");

  const auto again = execute_plan(plan, options_, observer_);
  for (const RunOutcome& outcome : again) {
    EXPECT_TRUE(outcome.was_done_before);
  }
  EXPECT_EQ(calls().size(), 3U) << "a finished run was repeated";
}

TEST_F(Execute, AFailureLeavesTheOthersAloneAndIsTriedAgain) {
  program(
      "case \"$out\" in *seed-0) echo starting; echo no such data >&2; exit 1;; esac\n"
      "echo '{}' > \"$out/metrics.json\"");
  const Plan plan = plan_of({"a/m/seed-0", "a/m/seed-1"});
  const auto outcomes = execute_plan(plan, options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_EQ(outcomes[0].message, "exit code 1: no such data");
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kDone);
  program("echo '{}' > \"$out/metrics.json\"");
  const auto again = execute_plan(plan, options_, observer_);
  EXPECT_EQ(again[0].state, RunOutcome::State::kDone);
  EXPECT_FALSE(again[0].was_done_before);
  EXPECT_TRUE(again[1].was_done_before);
}

TEST_F(Execute, AKilledRunIsAFailure) {
  program("kill -9 $$");
  const auto outcomes = execute_plan(plan_of({"a/m/seed-0"}), options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_EQ(outcomes[0].message, "exit code 137: it printed nothing");
}

TEST_F(Execute, AnInterruptedRunIsResumed) {
  program("echo '{}' > \"$out/metrics.json\"");
  const Plan plan = plan_of({"a/m/seed-0"});
  const fs::path run = run_folder(options_.out, "a/m/seed-0");
  fs::create_directories(run);
  RunConfig config = resolve_config(std::array{plan.runs[0].layer});
  config.out = run.string();
  write_file_atomically(run / "config.json", to_json(config).dump());
  execute_plan(plan, options_, observer_);
  ASSERT_EQ(calls().size(), 1U);
  EXPECT_EQ(calls()[0].rfind("train --resume " + run.string(), 0), 0U) << calls()[0];
}

TEST_F(Execute, ARunWithOtherSettingsIsRefused) {
  program("echo '{}' > \"$out/metrics.json\"");
  const Plan plan = plan_of({"a/m/seed-0"});
  const fs::path run = run_folder(options_.out, "a/m/seed-0");
  fs::create_directories(run);
  RunConfig config = resolve_config(std::array{plan.runs[0].layer});
  config.epochs = 3;
  write_file_atomically(run / "config.json", to_json(config).dump());
  try {
    execute_plan(plan, options_, observer_);
    FAIL() << "accepted";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("'epochs' 3"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(calls().empty());
}

TEST_F(Execute, JobsRunAtTheSameTime) {
  // Each waits until both have begun: one after the other they would never end.
  program("touch \"$out/here\"\ni=0\nwhile [ $(ls " + (options_.out / "runs/a/m").string() +
          "/*/here | wc -l) -lt 2 ] && [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done\n"
          "[ $i -lt 300 ] && echo '{}' > \"$out/metrics.json\"");
  options_.jobs = 2;
  const auto outcomes = execute_plan(plan_of({"a/m/seed-0", "a/m/seed-1"}), options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kDone) << outcomes[0].message;
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kDone) << outcomes[1].message;
}

/// Asks for an end as soon as the first run has begun.
class Interrupter : public ExecuteObserver {
 public:
  void on_wait(const ExecuteProgress& /*progress*/) override { request_interrupt(SIGTERM); }
};

TEST_F(Execute, ASignalReachesTheRunsAndStopsTheRest) {
  program("trap 'echo saved; exit 143' TERM\ni=0\nwhile [ $i -lt 300 ]; do sleep 0.05; i=$((i+1)); done");
  Interrupter observer;
  const auto outcomes = execute_plan(plan_of({"a/m/seed-0", "a/m/seed-1"}), options_, observer);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kInterrupted);
  EXPECT_EQ(outcomes[1].state, RunOutcome::State::kNotStarted);
  EXPECT_EQ(read_file(options_.out / "logs/a/m/seed-0.log"), "saved\n");
}

TEST_F(Execute, AProgramThatIsNotThereFailsEachRun) {
  options_.program = {(folder_ / "nothing").string()};
  const auto outcomes = execute_plan(plan_of({"a/m/seed-0"}), options_, observer_);
  EXPECT_EQ(outcomes[0].state, RunOutcome::State::kFailed);
  EXPECT_NE(outcomes[0].message.find("nothing"), std::string::npos) << outcomes[0].message;
}

TEST_F(Execute, ShareDoneReadsTheRunsFiles) {
  const fs::path run = folder_ / "run";
  EXPECT_EQ(share_done(run), 0);
  fs::create_directories(run);
  RunConfig config = resolve_config(std::array{nlohmann::json{{"dataset", "synthetic"}, {"epochs", 8}}});
  write_file_atomically(run / "config.json", to_json(config).dump());
  write_file_atomically(run / "history.jsonl", std::string_view("{}\n{}\n"));
  EXPECT_EQ(share_done(run), 0.25);
  write_file_atomically(run / "metrics.json", std::string_view("{}"));
  EXPECT_EQ(share_done(run), 1);
}

}  // namespace
}  // namespace factorgcn
