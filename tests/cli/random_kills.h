// Ranks killed at random moments, and runs that go on with another number of processes: the end is always the same.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <thread>

#include "cli/own_network.h"
#include "cli/together.h"
#include "factorgcn/base/random.h"

namespace factorgcn::cli {

/// Each round trains anew: a rank of up to 4 is killed at a random moment, and once more in the run that goes on; then
/// it goes on undisturbed. `data`: flags that choose what is trained on.
inline void survive_kills(const Workplace& place, const std::string& data, int rounds, std::uint64_t seed) {
  const std::string run = data + " --threads 1 --checkpoint-seconds 0 --quiet --no-page ";
  const auto before = std::chrono::steady_clock::now();
  ASSERT_EQ(place.run("train --out alone " + run).code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  const std::string expected = tensor_bytes(place.read("alone/model.safetensors"));
  RandomStream random(seed, "test/kills");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  int cut_short = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string out = "run" + std::to_string(round);
    const auto command = [&](int size) {
      return (place.has(out + "/config.json") ? "train --resume " + out + " --quiet --no-page"
                                              : "train --force --out " + out + " " + run) +
             (size > 1 ? " --rank-timeout 20" : "");
    };
    std::string story = "round " + std::to_string(round);
    for (int kill = 0; kill < 2; ++kill) {
      const int size = 2 + static_cast<int>(below(3)), victim = static_cast<int>(below(size));
      const auto moment = std::chrono::milliseconds(below(whole.count() * 2));
      story += ": rank " + std::to_string(victim) + " of " + std::to_string(size) + " killed after " +
               std::to_string(moment.count()) + " ms";
      std::vector<Child> ranks = start_together(place, size, command(size));
      std::this_thread::sleep_for(moment);
      ranks[static_cast<std::size_t>(victim)].send(SIGKILL);
      for (const Outcome& outcome : wait_for_all(ranks)) {
        cut_short += outcome.signal == SIGKILL;
        // Whoever survived ended in good order: over, or told of the lost rank.
        EXPECT_TRUE(outcome.signal == SIGKILL || outcome.code == 0 || outcome.code == 1) << story << outcome.err;
      }
    }
    const int size = 1 + static_cast<int>(below(4));
    const std::vector<Outcome> last =
        size == 1 ? std::vector<Outcome>{place.run(command(1))} : run_together(place, size, command(size));
    for (const Outcome& outcome : last) {
      EXPECT_EQ(outcome.code, 0) << story << outcome.err;
    }
    EXPECT_TRUE(tensor_bytes(place.read(out + "/model.safetensors")) == expected) << story;
  }
  EXPECT_GT(cut_short, 0) << "no kill came in time";
}

/// A network in 4 parts, and flags to train on it for about a second.
inline std::string parted_run(const Workplace& place) {
  write_network(place, 240, 4, 1);
  EXPECT_EQ(place.run("data import edges.csv --nodes nodes.csv --label team --out net.safetensors").code, 0);
  EXPECT_EQ(place.run("data partition net.safetensors --parts 4 --out net-4").code, 0);
  return "--dataset net-4 --epochs 40 --set hidden=16";
}

/// Synthetic graphs in 4 shards.
inline const std::string kShardedRun =
    "--train-size 400 --validation-size 40 --test-size 40 --batch-size 40 --epochs 6 --shards 4";

/// Why there can be no ranks here; empty: there can.
inline std::string no_ranks(const Workplace& place) {
  const Outcome tried = run_together(place, 2, "train --shards 1" + kSmall).front();
  return tried.err.find("built without Gloo") == std::string::npos ? "" : tried.err;
}

}  // namespace factorgcn::cli
