// A campaign of kills at random moments: fifty in each way to train together, or FACTORGCN_KILLS=N.
#include <iostream>

#include "base/from_environment.h"
#include "cli/random_kills.h"

namespace factorgcn::cli {
namespace {

TEST(RandomKillsSlow, TheEndIsTheSame) {
  const Workplace place;
  if (const std::string missing = no_ranks(place); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const int kills = testing::from_environment("FACTORGCN_KILLS", 50);
  const auto seed = static_cast<std::uint64_t>(testing::from_environment("FACTORGCN_KILL_SEED", 2));
  const std::string parts = parted_run(place);
  for (const auto& [name, data] :
       {std::pair<std::string, std::string>{"one graph in 4 parts", parts}, {"batches in 4 shards", kShardedRun}}) {
    const KillCount count = survive_kills(place, data, kills, seed);
    std::cout << name << ": " << count.in_time << " kills (" << count.ranks_zero << " of rank 0; " << count.late
              << " more came too late) in " << count.runs << " runs, " << count.runs_equal << " with the same bits"
              << std::endl;
  }
}

}  // namespace
}  // namespace factorgcn::cli
