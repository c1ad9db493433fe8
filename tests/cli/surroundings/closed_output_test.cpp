// Standard streams that are closed, full, or read by nobody any more: the work is done all the same, and the exit code
// tells what became of the output.
#include <gtest/gtest.h>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

constexpr int kByBrokenPipe = 128 + 13;  // as a shell says it

/// Descriptor 3 is a pipe whose reader has gone.
const std::string kBrokenPipe = "exec 3> >(true); wait $!; ";

const std::string kTrainLine = "\"$FACTORGCN\" train" + kSmall + "--threads 1 --out run";

std::string trained_alone() {
  static const std::string weights = [] {
    const Workplace place;
    const Outcome outcome = place.shell(kTrainLine);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return tensor_bytes(place.read("run/model.safetensors"));
  }();
  return weights;
}

/// Whatever happened to the output, the run is there, and nothing that was printed went into a file of its own.
void expect_whole_run(const Workplace& place) {
  ASSERT_TRUE(place.has("run/metrics.json"));
  EXPECT_TRUE(tensor_bytes(place.read("run/model.safetensors")) == trained_alone());
  EXPECT_EQ(place.read("run/.lock"), "");
  EXPECT_EQ(place.read_lines("run/history.jsonl").size(), 3U);
  EXPECT_TRUE(holds(place.read("run/page.html"), "</html>"));
}

TEST(ClosedOutput, AReaderThatLeavesEndsAListQuietly) {
  const Workplace place;
  for (const char* command : {"models", "data list", "data list --json", "--help", "train --help", "--version"}) {
    const Outcome outcome = place.shell(kBrokenPipe + "\"$FACTORGCN\" " + command + " >&3",
                                        {"FACTORGCN_DATA=" + place.path("data").string()});
    EXPECT_EQ(outcome.code, kByBrokenPipe) << command << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << command;
  }
  const Outcome first = place.shell("\"$FACTORGCN\" models | head -1");
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_NE(first.out, "");
}

TEST(ClosedOutput, AReaderThatLeavesEndsNoTraining) {
  const Workplace table, progress, all;
  EXPECT_EQ(table.shell(kBrokenPipe + kTrainLine + " >&3").code, kByBrokenPipe);
  expect_whole_run(table);
  EXPECT_EQ(progress.shell(kBrokenPipe + kTrainLine + " 2>&3").code, 0);
  expect_whole_run(progress);
  EXPECT_EQ(all.shell(kBrokenPipe + kTrainLine + " >&3 2>&3").code, kByBrokenPipe);
  expect_whole_run(all);
}

TEST(ClosedOutput, AFullDeviceIsToldAfterTheWork) {
  const Workplace place, progress;
  const Outcome outcome = place.shell(kTrainLine + " --quiet >/dev/full");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, "factorgcn: cannot write to standard output: No space left on device")) << outcome.err;
  expect_whole_run(place);
  EXPECT_EQ(progress.shell(kTrainLine + " 2>/dev/full").code, 0);
  expect_whole_run(progress);
}

TEST(ClosedOutput, ClosedStreamsKeepTheirNumbers) {
  struct Case {
    const char* closed;
    int code;
  };
  for (const auto& [closed, code] : {Case{" <&-", 0}, {" 2>&-", 0}, {" >&-", 1}, {" <&- >&- 2>&-", 1}}) {
    const Workplace place;
    const Outcome outcome = place.shell(kTrainLine + closed);
    EXPECT_EQ(outcome.code, code) << closed << ": " << outcome.err;
    if (std::string(closed) == " >&-") {
      EXPECT_TRUE(holds(outcome.err, "factorgcn: cannot write to standard output: Bad file descriptor")) << outcome.err;
    }
    expect_whole_run(place);
  }
}

}  // namespace
}  // namespace factorgcn::cli
