// Two programs that want one folder: the second is refused with one line, the first is not harmed.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/surroundings/one_line.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

TEST(TwoPrograms, OnOneRun) {
  const Workplace place;
  const std::string train =
      "train --quiet --no-page --threads 1 --checkpoint-seconds 0" + kSmall + "--epochs 40 --out ";
  ASSERT_EQ(place.run(train + "alone").code, 0);
  Child first = place.start(train + "run");
  ASSERT_TRUE(first.wait_until([&] { return place.has("run/checkpoint.safetensors"); }));
  first.send(SIGSTOP);  // a second program must not come too late
  expect_one_line(place.run(train + "run --force"), "run directory run is in use by another process");
  expect_one_line(place.run("train --quiet --resume run"), "run directory run is in use by another process");
  first.send(SIGCONT);
  const Outcome outcome = first.wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(tensor_bytes(place.read("run/model.safetensors")) == tensor_bytes(place.read("alone/model.safetensors")));
  EXPECT_EQ(place.read_lines("run/history.jsonl").size(), 40U);
}

TEST(TwoPrograms, OnSeveralRuns) {
  const Workplace place;
  const std::string train = "train --quiet --no-page --threads 1" + kSmall + "--seeds 2 --out runs --epochs 40";
  Child first = place.start(train);
  ASSERT_TRUE(first.wait_until([&] { return place.has("runs/runs/seed-0/config.json"); }));
  first.send(SIGSTOP);
  expect_one_line(place.run(train), "in use by another process");
  expect_one_line(place.run(train + " --force"), "in use by another process");
  expect_one_line(place.run("train --quiet --resume runs"), "in use by another process");
  first.send(SIGCONT);
  EXPECT_EQ(first.wait().code, 0);
  EXPECT_TRUE(place.has("runs/metrics.json"));
}

}  // namespace
}  // namespace factorgcn::cli
