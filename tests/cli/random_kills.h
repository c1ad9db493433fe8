// Ranks killed at random moments, and runs that go on with another number of processes: the end is always the same.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/own_network.h"
#include "cli/together.h"
#include "factorgcn/base/random.h"

namespace factorgcn::cli {

/// Kills that came while their run was at work, and what became of it.
struct KillCount {
  int in_time = 0, late = 0, ranks_zero = 0;  ///< ranks_zero: of those in time, how many met the rank that writes
  int runs = 0, runs_equal = 0;               ///< each killed once or twice; those whose end had the expected bits
};

/// Trains again and again until `kills` kills have come in time: a rank of up to 4 is killed at a random moment, once
/// more where the run goes on with another number of processes, and then it goes on undisturbed with another one still.
/// `data`: flags that choose what is trained on.
inline KillCount survive_kills(const Workplace& place, const std::string& data, int kills, std::uint64_t seed) {
  KillCount count;
  const std::string run = data + " --threads 1 --checkpoint-seconds 0 --quiet --no-page ";
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(place.run("train --force --out alone " + run).code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - before);
  const std::string expected = tensor_bytes(place.read("alone/model.safetensors"));
  RandomStream random(seed, "test/kills");
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  int size = 0;
  // Of `least` to 4 processes, but not as many as the last time.
  const auto another_size = [&](int least) {
    int next = size;
    while (next == size) {
      next = least + static_cast<int>(below(5 - least));
    }
    size = next;
  };
  while (count.in_time < kills && count.late < 10 * kills) {
    const std::string out = "run" + std::to_string(count.runs);
    const auto command = [&] {
      return (place.has(out + "/config.json") ? "train --resume " + out + " --quiet --no-page"
                                              : "train --force --out " + out + " " + run) +
             (size > 1 ? " --rank-timeout 20" : "");
    };
    std::string story = "run " + std::to_string(count.runs);
    for (int kill = 0; kill < 2 && count.in_time < kills; ++kill) {
      another_size(2);
      const auto victim = static_cast<std::size_t>(below(size));
      const auto moment = std::chrono::milliseconds(below(whole.count() * 2));
      story += ": rank " + std::to_string(victim) + " of " + std::to_string(size) + " killed after " +
               std::to_string(moment.count()) + " ms";
      std::vector<Child> ranks = start_together(place, size, command());
      std::this_thread::sleep_for(moment);
      ranks[victim].send(SIGKILL);
      const std::vector<Outcome> outcomes = wait_for_all(ranks);
      const bool hit = outcomes[victim].signal == SIGKILL;
      ++(hit ? count.in_time : count.late);
      count.ranks_zero += hit && victim == 0;
      for (std::size_t rank = 0; rank < outcomes.size(); ++rank) {
        // Whoever survived ended in good order: over, or told of the lost rank.
        EXPECT_TRUE((hit && rank == victim) || outcomes[rank].code == 0 || outcomes[rank].code == 1)
            << story << outcomes[rank].err;
      }
    }
    another_size(1);
    const std::vector<Outcome> last =
        size == 1 ? std::vector<Outcome>{place.run(command())} : run_together(place, size, command());
    for (const Outcome& outcome : last) {
      EXPECT_EQ(outcome.code, 0) << story << outcome.err;
    }
    const bool equal = tensor_bytes(place.read(out + "/model.safetensors")) == expected;
    EXPECT_TRUE(equal) << story;
    ++count.runs;
    count.runs_equal += equal;
    std::filesystem::remove_all(place.path(out));
  }
  EXPECT_EQ(count.in_time, kills) << "too few kills came in time";
  return count;
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
