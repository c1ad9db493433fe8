// The run directory's rules, and signals.
#include "factorgcn/train/run_directory.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/interrupt.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using testing::message_of;

class RunDirectoryTest : public ::testing::Test {
 protected:
  fs::path run() const { return folder_.path() / "runs" / "x"; }
  TemporaryFolder folder_;
};

TEST_F(RunDirectoryTest, MakesMissingFolders) {
  const RunDirectory directory = RunDirectory::create(run(), false);
  EXPECT_TRUE(fs::is_directory(run()));
  RunConfig config;
  config.epochs = 7;
  directory.write_config(config);
  EXPECT_EQ(read_run_config(run()).epochs, 7);
}

TEST_F(RunDirectoryTest, AFolderWithContentIsRefusedUnlessForced) {
  { RunDirectory::create(run(), false).write_config({}); }
  std::ofstream(run() / "metrics.json") << "{}";
  std::ofstream(run() / "checkpoint.safetensors") << "x";
  std::ofstream(run() / "notes.txt") << "mine";
  const std::string message = message_of<UsageError>([&] { RunDirectory::create(run(), false); });
  EXPECT_NE(message.find("is not empty"), std::string::npos) << message;
  EXPECT_NE(message.find("--resume"), std::string::npos);
  EXPECT_NE(message.find("--force"), std::string::npos);
  EXPECT_TRUE(fs::exists(run() / "config.json"));
  EXPECT_THROW(RunDirectory::check_free(run(), false), UsageError);
  EXPECT_NO_THROW(RunDirectory::check_free(run(), true));
  EXPECT_TRUE(fs::exists(run() / "metrics.json"));

  RunDirectory::create(run(), true);
  EXPECT_FALSE(fs::exists(run() / "config.json"));
  EXPECT_FALSE(fs::exists(run() / "metrics.json"));
  EXPECT_FALSE(fs::exists(run() / "checkpoint.safetensors"));
  EXPECT_TRUE(fs::exists(run() / "notes.txt")) << "only a run's own files may go";
}

TEST_F(RunDirectoryTest, AForeignFolderIsLeftAsItIs) {
  fs::create_directories(run());
  std::ofstream(run() / "thesis.tex") << "x";
  EXPECT_THROW(RunDirectory::create(run(), false), UsageError);
  EXPECT_FALSE(fs::exists(run() / ".lock"));
  EXPECT_THROW(RunDirectory::open(run()), UsageError);
  EXPECT_FALSE(fs::exists(run() / ".lock"));
}

TEST_F(RunDirectoryTest, AFileIsNoRunDirectory) {
  const fs::path file = folder_.path() / "file";
  std::ofstream(file) << "x";
  EXPECT_NE(message_of<UsageError>([&] { RunDirectory::create(file, true); }).find("is a file"), std::string::npos);
  EXPECT_NE(message_of<UsageError>([&] { RunDirectory::create("", true); }).find("--out"), std::string::npos);
}

TEST_F(RunDirectoryTest, WhatAKillLeavesBehindIsNoContent) {
  { RunDirectory::create(run(), false); }
  std::ofstream(run() / ".factorgcn-123-0.tmp") << "half";
  EXPECT_TRUE(fs::exists(run() / ".lock"));
  const RunDirectory directory = RunDirectory::create(run(), false);
  EXPECT_FALSE(fs::exists(run() / ".factorgcn-123-0.tmp"));
}

TEST_F(RunDirectoryTest, OneProcessAtATime) {
  {
    const RunDirectory first = RunDirectory::create(run(), false);
    first.write_config({});
    const std::string message = message_of<Error>([&] { RunDirectory::open(run()); });
    EXPECT_NE(message.find("in use by another process"), std::string::npos) << message;
    EXPECT_THROW(RunDirectory::create(run(), true), Error);
    EXPECT_TRUE(fs::exists(run() / "config.json"));
  }
  EXPECT_NO_THROW(RunDirectory::open(run()));
}

TEST_F(RunDirectoryTest, OpenNeedsAConfiguration) {
  EXPECT_NE(message_of<UsageError>([&] { RunDirectory::open(run()); }).find("does not exist"), std::string::npos);
  fs::create_directories(run());
  EXPECT_NE(message_of<UsageError>([&] { RunDirectory::open(run()); }).find("no config.json"), std::string::npos);
  std::ofstream(run() / "config.json") << "{\"epochs\": ";
  EXPECT_NE(message_of<Error>([&] { RunDirectory::open(run()); }).find("config.json: not valid JSON"),
            std::string::npos);
}

TEST_F(RunDirectoryTest, HistoryIsOneLinePerEpoch) {
  const RunDirectory directory = RunDirectory::create(run(), false);
  EpochRecord record;
  record.epoch = 1;
  record.loss = 0.1;
  record.metric_name = "micro_f1";
  record.validation_metric = 0.5;
  record.best = true;
  std::vector<EpochRecord> history{record, record};
  history[1].epoch = 2;
  history[1].validation_loss = std::nan("");
  directory.write_history(history);
  EXPECT_EQ(read_file(directory.paths().history),
            "{\"epoch\":1,\"loss\":0.1,\"task_loss\":0.0,\"regulariser\":0.0,\"validation\":{\"loss\":0.0,"
            "\"micro_f1\":0.5},\"learning_rate\":0.0,\"best\":true,\"seconds\":0.0}\n"
            "{\"epoch\":2,\"loss\":0.1,\"task_loss\":0.0,\"regulariser\":0.0,\"validation\":{\"loss\":null,"
            "\"micro_f1\":0.5},\"learning_rate\":0.0,\"best\":true,\"seconds\":0.0}\n");
  const auto read = read_history(directory.paths().history.string());
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].validation_metric, 0.5);
  EXPECT_EQ(read[0].metric_name, "micro_f1");
  EXPECT_TRUE(std::isnan(read[1].validation_loss));
  EXPECT_EQ(history_text(read), history_text(history));
}

TEST(Interrupt, ASignalSetsTheFlag) {
  const InterruptGuard guard;
  EXPECT_EQ(interrupt_signal(), 0);
  ::raise(SIGTERM);
  EXPECT_EQ(interrupt_signal(), SIGTERM);
  clear_interrupt();
  ::raise(SIGINT);
  EXPECT_EQ(interrupt_signal(), SIGINT);
  clear_interrupt();
  EXPECT_THROW(InterruptGuard(), Error);
}

TEST(Interrupt, TheFormerHandlersComeBack) {
  struct sigaction before {
  }, after{};
  ::sigaction(SIGINT, nullptr, &before);
  { const InterruptGuard guard; }
  ::sigaction(SIGINT, nullptr, &after);
  EXPECT_EQ(before.sa_handler, after.sa_handler);
}

TEST(InterruptDeathTest, TheSecondSignalEndsTheProcess) {
  // In a process of its own: this one has threads, and a fork would copy only one of them.
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        const InterruptGuard guard;
        ::raise(SIGINT);
        ::raise(SIGINT);
      },
      ::testing::KilledBySignal(SIGINT), "");
}

}  // namespace
}  // namespace factorgcn
