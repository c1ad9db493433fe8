// A few kills at random moments; random_kills_slow_test.cpp is the campaign.
#include "cli/random_kills.h"

namespace factorgcn::cli {
namespace {

TEST(RandomKills, OnPartsTheEndIsTheSame) {
  const Workplace place;
  if (const std::string missing = no_ranks(place); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  survive_kills(place, parted_run(place), 2, 1);
}

}  // namespace
}  // namespace factorgcn::cli
