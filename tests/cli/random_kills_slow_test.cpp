// A campaign of kills at random moments: fifty in each way to train together, or FACTORGCN_KILLS=N.
#include <iostream>

#include "base/from_environment.h"
#include "cli/random_kills.h"

namespace factorgcn::cli {
namespace {

class RandomKillsSlow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (const std::string missing = no_ranks(place); !missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }

  void survive(const std::string& name, const std::string& data) {
    const int kills = testing::from_environment("FACTORGCN_KILLS", 50);
    const auto seed = static_cast<std::uint64_t>(testing::from_environment("FACTORGCN_KILL_SEED", 2));
    const KillCount count = survive_kills(place, data, kills, seed);
    std::cout << name << ": " << count.in_time << " kills (" << count.ranks_zero << " of rank 0; " << count.late
              << " more came too late) in " << count.runs << " runs, " << count.runs_equal << " with the same bits"
              << std::endl;
  }

  Workplace place;
};

TEST_F(RandomKillsSlow, OnPartsTheEndIsTheSame) { survive("one graph in 4 parts", parted_run(place)); }

TEST_F(RandomKillsSlow, OnPartsOfAnotherModelTheEndIsTheSame) {
  survive("one graph in 4 parts, gin", parted_run(place) + " --model gin --set batch_norm=true --set dropout=0.3");
}

TEST_F(RandomKillsSlow, OnShardsTheEndIsTheSame) { survive("batches in 4 shards", kShardedRun); }

}  // namespace
}  // namespace factorgcn::cli
