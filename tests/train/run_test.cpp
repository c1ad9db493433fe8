// Whole runs on a small synthetic data set: files, resuming from every batch, divergence, evaluation.
#include "factorgcn/train/run.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/safetensors.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/run_directory.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::message_of;

/// Asks for an end after a number of batches.
struct Stopper : Observer {
  explicit Stopper(int given = -1) : batches_left(given) {}
  void on_start(const RunStart& start) override { epochs_done = start.epochs_done; }
  void on_batch(const BatchProgress& /*progress*/) override {
    ++batches;
    if (--batches_left == 0) {
      request_interrupt(SIGTERM);
    }
  }
  void on_message(const std::string& line) override { messages.push_back(line); }
  int batches_left;
  int batches = 0;
  std::int64_t epochs_done = -1;
  std::vector<std::string> messages;
};

class RunTest : public ::testing::Test {
 protected:
  void SetUp() override { clear_interrupt(); }
  void TearDown() override { clear_interrupt(); }

  fs::path folder(const std::string& name) const { return temporary_.path() / name; }

  RunConfig config(const std::string& name) const {
    const std::vector<json> layers{{{"data", {{"train", 40}, {"validation", 10}, {"test", 12}}},
                                    {"epochs", 3},
                                    {"batch_size", 16},
                                    {"seed", 5},
                                    {"out", folder(name).string()}}};
    return resolve_config(layers);
  }

  /// metrics.json without its seconds.
  static json metrics(const fs::path& folder) {
    json object = json::parse(read_file(folder / "metrics.json"));
    EXPECT_TRUE(object.contains("seconds"));
    object.erase("seconds");
    return object;
  }

  /// history.jsonl without its seconds.
  static std::string history(const fs::path& folder) {
    std::vector<EpochRecord> records = read_history((folder / "history.jsonl").string());
    for (EpochRecord& record : records) {
      record.seconds = 0;
    }
    return history_text(records);
  }

  /// The model's tensors, byte for byte; its metadata name the folder.
  static std::string weights(const fs::path& folder) {
    TensorFile file = read_safetensors(folder / "model.safetensors");
    file.metadata.clear();
    write_safetensors(folder / "bare.safetensors", file);
    const std::string bytes = read_file(folder / "bare.safetensors");
    fs::remove(folder / "bare.safetensors");
    return bytes;
  }

  TemporaryFolder temporary_;
};

TEST_F(RunTest, WritesEverythingAndScores) {
  Stopper watcher;
  const RunResult result = run_training(config("x"), watcher);
  EXPECT_EQ(result.status, RunStatus::kFinished);
  EXPECT_EQ(watcher.batches, 9);
  EXPECT_EQ(watcher.epochs_done, 0);
  for (const char* name :
       {"config.json", "history.jsonl", "metrics.json", "model.safetensors", "checkpoint.safetensors"}) {
    EXPECT_TRUE(fs::exists(folder("x") / name)) << name;
  }
  ASSERT_TRUE(result.metrics);
  const RunMetrics written = read_metrics((folder("x") / "metrics.json").string());
  EXPECT_EQ(to_json(written).dump(), to_json(*result.metrics).dump());
  EXPECT_EQ(written.epochs_run, 3);
  EXPECT_GE(written.best_epoch, 1);
  EXPECT_EQ(written.seed, 5U);
  EXPECT_EQ(written.factors, 4);
  EXPECT_GT(written.parameters, 1000);
  EXPECT_GT(written.test.at("ged_e"), 0);
  EXPECT_GT(written.test.at("c_score"), 0);
  EXPECT_EQ(written.test.size(), 9U) << "four metrics of labels, five values of factors";
  const RunConfig saved = read_run_config(folder("x"));
  EXPECT_EQ(to_json(saved).dump(), to_json(config("x")).dump());
  EXPECT_EQ(read_history((folder("x") / "history.jsonl").string()).size(), 3U);
  // Validation scores of the best epoch and of the evaluated model are the same thing.
  const auto records = read_history((folder("x") / "history.jsonl").string());
  EXPECT_EQ(records[static_cast<std::size_t>(written.best_epoch - 1)].validation_metric,
            written.validation.at("micro_f1"));
}

TEST_F(RunTest, InterruptedAnywhereAndResumedIsTheSameRun) {
  Stopper watcher;
  run_training(config("whole"), watcher);
  const json expected_metrics = metrics(folder("whole"));
  const std::string expected_weights = weights(folder("whole"));
  const std::string expected_history = history(folder("whole"));
  for (int stop = 1; stop < 9; ++stop) {
    SCOPED_TRACE(stop);
    const std::string name = "stopped " + std::to_string(stop);
    Stopper first(stop);
    const RunResult interrupted = run_training(config(name), first);
    EXPECT_EQ(interrupted.status, RunStatus::kInterrupted);
    EXPECT_EQ(interrupted.signal, SIGTERM);
    EXPECT_FALSE(interrupted.metrics);
    EXPECT_FALSE(fs::exists(folder(name) / "metrics.json"));
    EXPECT_NE(interrupted.message.find("interrupted in epoch " + std::to_string(stop / 3 + 1) + " of 3"),
              std::string::npos)
        << interrupted.message;
    clear_interrupt();
    Stopper second;
    const RunResult result = resume_training(folder(name), second);
    EXPECT_EQ(result.status, RunStatus::kFinished);
    EXPECT_EQ(second.batches, 9 - stop) << "nothing is done twice";
    EXPECT_EQ(metrics(folder(name)), expected_metrics);
    EXPECT_EQ(weights(folder(name)), expected_weights);
    EXPECT_EQ(history(folder(name)), expected_history);
  }
}

TEST_F(RunTest, AKillBetweenTwoFilesIsPutRight) {
  Stopper watcher;
  run_training(config("whole"), watcher);
  Stopper first(7);
  run_training(config("x"), first);
  clear_interrupt();
  // As if the process had died right after its checkpoint, with older files beside it and half a new one.
  write_file_atomically(folder("x") / "history.jsonl", "");
  fs::remove(folder("x") / "model.safetensors");
  std::ofstream(folder("x") / ".factorgcn-1-1.tmp") << "half";
  resume_training(folder("x"), watcher);
  EXPECT_EQ(metrics(folder("x")), metrics(folder("whole")));
  EXPECT_EQ(weights(folder("x")), weights(folder("whole")));
  EXPECT_EQ(history(folder("x")), history(folder("whole")));
  EXPECT_FALSE(fs::exists(folder("x") / ".factorgcn-1-1.tmp"));
}

TEST_F(RunTest, WithoutACheckpointItBeginsAgain) {
  Stopper watcher;
  run_training(config("whole"), watcher);
  RunDirectory::create(folder("x"), false).write_config(config("x"));
  Stopper second;
  EXPECT_EQ(resume_training(folder("x"), second).status, RunStatus::kFinished);
  ASSERT_EQ(second.messages.size(), 1U);
  EXPECT_NE(second.messages[0].find("no checkpoint yet"), std::string::npos);
  EXPECT_EQ(weights(folder("x")), weights(folder("whole")));
}

TEST_F(RunTest, AFinishedRunCanBeExtendedOrRepeated) {
  Stopper watcher;
  RunConfig longer = config("long");
  longer.epochs = 5;
  run_training(longer, watcher);
  run_training(config("x"), watcher);
  const json before = metrics(folder("x"));
  Stopper again;
  resume_training(folder("x"), again);
  EXPECT_EQ(again.batches, 0);
  EXPECT_EQ(metrics(folder("x")), before);

  ResumeOptions options;
  options.epochs = 5;
  options.threads = 1;
  Stopper more;
  resume_training(folder("x"), more, options);
  EXPECT_EQ(more.batches, 6);
  EXPECT_EQ(metrics(folder("x")), metrics(folder("long")));
  EXPECT_EQ(weights(folder("x")), weights(folder("long")));
  EXPECT_EQ(read_run_config(folder("x")).epochs, 5);

  options.epochs = 2;
  EXPECT_NE(message_of<UsageError>([&] { resume_training(folder("x"), more, options); }).find("5 are done already"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(folder("x") / "metrics.json")) << "a refused request changes nothing";
}

TEST_F(RunTest, ACheckpointAfterEveryBatchGivesTheSameRun) {
  Stopper watcher;
  run_training(config("whole"), watcher);
  RunConfig often = config("often");
  often.checkpoint_seconds = 0;
  run_training(often, watcher);
  EXPECT_EQ(weights(folder("often")), weights(folder("whole")));
  EXPECT_EQ(history(folder("often")), history(folder("whole")));
}

TEST_F(RunTest, AnExistingRunIsNotOverwritten) {
  Stopper watcher;
  run_training(config("x"), watcher);
  EXPECT_NE(message_of<UsageError>([&] { run_training(config("x"), watcher); }).find("is not empty"),
            std::string::npos);
  // A forced start with wrong settings must not cost the old run its files either.
  RunConfig wrong = config("x");
  wrong.model_settings["hiden"] = std::int64_t{3};
  EXPECT_NE(message_of<UsageError>([&] { run_training(wrong, watcher, true); }).find("hiden"), std::string::npos);
  EXPECT_TRUE(fs::exists(folder("x") / "metrics.json"));
  EXPECT_EQ(run_training(config("x"), watcher, true).status, RunStatus::kFinished);
}

TEST_F(RunTest, ChangedConfigurationsAndDamagedCheckpointsAreRefused) {
  Stopper first(4);
  run_training(config("x"), first);
  clear_interrupt();
  const fs::path config_file = folder("x") / "config.json";
  const std::string good_config = read_file(config_file);
  const std::string checkpoint = read_file(folder("x") / "checkpoint.safetensors");
  json changed = json::parse(good_config);
  changed["learning_rate"] = 0.5;
  write_file_atomically(config_file, changed.dump());
  Stopper second;
  const std::string message = message_of<UsageError>([&] { resume_training(folder("x"), second); });
  EXPECT_NE(message.find("'learning_rate' is 0.5, but the checkpoint was made with 0.005"), std::string::npos)
      << message;
  write_file_atomically(config_file, good_config);
  write_file_atomically(folder("x") / "checkpoint.safetensors", checkpoint.substr(0, checkpoint.size() / 2));
  EXPECT_NE(message_of<Error>([&] { resume_training(folder("x"), second); }).find("checkpoint.safetensors"),
            std::string::npos);
  EXPECT_EQ(second.batches, 0);
  EXPECT_EQ(read_file(config_file), good_config);
  write_file_atomically(folder("x") / "checkpoint.safetensors", checkpoint);
  EXPECT_EQ(resume_training(folder("x"), second).status, RunStatus::kFinished);
}

TEST_F(RunTest, ADivergingRunIsStillScored) {
  Stopper watcher;
  RunConfig wild = config("wild");
  wild.learning_rate = 1e30;
  const RunResult result = run_training(wild, watcher);
  EXPECT_EQ(result.status, RunStatus::kDiverged);
  EXPECT_NE(result.message.find("a smaller --learning-rate often helps"), std::string::npos);
  ASSERT_EQ(watcher.messages.size(), 1U);
  EXPECT_EQ(watcher.messages[0], result.message);
  ASSERT_TRUE(result.metrics);
  EXPECT_EQ(metrics(folder("wild"))["status"], "diverged");
  EXPECT_EQ(metrics(folder("wild"))["best_epoch"], 0);
  EXPECT_TRUE(result.metrics->test.contains("micro_f1"));
  // Resuming it tells the same story.
  const json before = metrics(folder("wild"));
  EXPECT_EQ(resume_training(folder("wild"), watcher).message, result.message);
  EXPECT_EQ(metrics(folder("wild")), before);
}

TEST_F(RunTest, EvaluateGivesTheRunsOwnScores) {
  Stopper watcher;
  const RunResult result = run_training(config("x"), watcher);
  const RunMetrics again = evaluate_run(folder("x"));
  EXPECT_EQ(to_json(again).dump(), to_json(*result.metrics).dump());
  const RunMetrics published = evaluate_run(folder("x"), "published");
  EXPECT_EQ(published.splits.at("micro_f1"), "validation");
  EXPECT_EQ(published.test.at("micro_f1"), again.validation.at("micro_f1"));
  EXPECT_THROW(evaluate_run(folder("x"), "fair"), UsageError);
  EXPECT_THROW(evaluate_run(folder("none")), UsageError);

  fs::remove(folder("x") / "metrics.json");
  const RunMetrics unfinished = evaluate_run(folder("x"));
  EXPECT_EQ(unfinished.status, RunStatus::kInterrupted);
  EXPECT_EQ(unfinished.epochs_run, 3);
  EXPECT_EQ(to_json(unfinished).at("test").dump(), to_json(again).at("test").dump());

  write_file_atomically(folder("x") / "model.safetensors", "nonsense");
  EXPECT_NE(message_of<Error>([&] { evaluate_run(folder("x")); }).find("model.safetensors"), std::string::npos);
  fs::remove(folder("x") / "model.safetensors");
  EXPECT_NE(message_of<UsageError>([&] { evaluate_run(folder("x")); }).find("no model.safetensors yet"),
            std::string::npos);
}

TEST_F(RunTest, ADataSetFileGivesTheSameRunAsItsName) {
  Stopper watcher;
  run_training(config("named"), watcher);
  const fs::path file = folder("data.safetensors");
  const RunConfig named = config("named");
  save_dataset(file, open_dataset("synthetic", named.data));
  const std::vector<json> layers{
      {{"dataset", file.string()}, {"epochs", 3}, {"batch_size", 16}, {"seed", 5}, {"out", folder("filed").string()}}};
  const RunConfig filed = resolve_config(layers);
  EXPECT_TRUE(filed.data.empty());
  EXPECT_EQ(filed.model_settings, named.model_settings) << "the preset goes by what the file holds";
  run_training(filed, watcher);
  EXPECT_EQ(metrics(folder("filed")), metrics(folder("named")));
  EXPECT_EQ(weights(folder("filed")), weights(folder("named")));

  const std::vector<json> wrong{{{"dataset", file.string()}, {"data", {{"factors", 3}}}}};
  EXPECT_NE(message_of<UsageError>([&] { resolve_config(wrong); }).find("--set factors=4,2"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
