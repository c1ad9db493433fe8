// Fifty runs, two kills each, half of them on one graph in parts, half on shards of batches.
#include "cli/random_kills.h"

namespace factorgcn::cli {
namespace {

TEST(RandomKillsSlow, OnPartsTheEndIsTheSame) {
  const Workplace place;
  if (const std::string missing = no_ranks(place); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  survive_kills(place, parted_run(place), 25, 2);
}

TEST(RandomKillsSlow, OnShardsTheEndIsTheSame) {
  const Workplace place;
  if (const std::string missing = no_ranks(place); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  survive_kills(place, kShardedRun, 25, 3);
}

}  // namespace
}  // namespace factorgcn::cli
