// Clocks that are set forward and back by years: durations that are shown may be wrong, nothing else.
#include <gtest/gtest.h>

#include <regex>

#include "base/holds.h"
#include "cli/faults/preloaded.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

const std::vector<std::string> kJumps{"LD_PRELOAD=" FACTORGCN_PRELOAD_PATH, "FACTORGCN_CLOCK_JUMPS=1"};

/// No duration below zero, and nothing that is no number.
void expect_sound_times(const std::string& text) {
  EXPECT_FALSE(std::regex_search(text, std::regex("-[0-9.,]+ (s|min|h|d|graphs/s)\\b"))) << text;
  EXPECT_FALSE(holds(text, "nan") || holds(text, "inf ")) << text;
}

TEST(Clock, MayJumpDuringTraining) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const Workplace place;
  const std::string train = "train --threads 1 --checkpoint-seconds 3600" + kSmall + "--epochs 60 --out ";
  ASSERT_EQ(place.run(train + "true").code, 0);
  Child child = place.start(train + "jumps", kJumps);
  // Leaps forward let an hour pass again and again: a checkpoint comes long before the end.
  EXPECT_TRUE(child.wait_until([&] { return place.has("jumps/checkpoint.safetensors"); }));
  const Outcome outcome = child.wait();
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_sound_times(outcome.out + outcome.err);
  EXPECT_TRUE(tensor_bytes(place.read("jumps/model.safetensors")) ==
              tensor_bytes(place.read("true/model.safetensors")));
  EXPECT_EQ(without_time(place.read_json("jumps/metrics.json")), without_time(place.read_json("true/metrics.json")));
  EXPECT_GE(place.read_json("jumps/metrics.json").at("seconds").get<double>(), 0);
  const auto jumped = place.read_lines("jumps/history.jsonl"), steady = place.read_lines("true/history.jsonl");
  ASSERT_EQ(jumped.size(), steady.size());
  for (std::size_t line = 0; line < steady.size(); ++line) {
    EXPECT_EQ(without_time(jumped[line]), without_time(steady[line]));
    EXPECT_GE(jumped[line].at("seconds").get<double>(), 0);
  }
  EXPECT_EQ(place.run("train --quiet --resume jumps --epochs 61", kJumps).code, 0);
}

TEST(Clock, MayJumpDuringOtherWork) {
  if (!can_preload()) {
    GTEST_SKIP() << "a program under a sanitizer cannot be preloaded";
  }
  const Workplace place;
  std::string edges = "from,to\n";
  for (int node = 0; node < 24; ++node) {
    for (int step = 1; step <= 3; ++step) {
      edges += std::to_string(node) + "," + std::to_string(node / 8 * 8 + (node + step) % 8) + "\n";
    }
  }
  place.write("edges.csv", edges);
  const std::string arguments = "disentangle edges.csv --relations 2 --groups 3 --threads 1 --out ";
  ASSERT_EQ(place.run(arguments + "true").code, 0);
  const Outcome outcome = place.run(arguments + "jumps", kJumps);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  expect_sound_times(outcome.out + outcome.err);
  EXPECT_EQ(place.read("jumps/edges.csv"), place.read("true/edges.csv"));
  const Outcome seeds = place.run("train --seeds 2 --no-page --threads 1 --out seeds" + kSmall, kJumps);
  ASSERT_EQ(seeds.code, 0) << seeds.err;
  expect_sound_times(seeds.out + seeds.err);
}

}  // namespace
}  // namespace factorgcn::cli
