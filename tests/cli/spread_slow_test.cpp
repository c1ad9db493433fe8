// A table of the paper made by several processes: the runs of one, and nobody but rank 0 speaks.
#include "base/holds.h"
#include "cli/random_kills.h"

namespace factorgcn::cli {
namespace {

TEST(SpreadSlow, ReproduceIsThatOfOneProcess) {
  const Workplace place;
  if (const std::string missing = no_ranks(place); !missing.empty()) {
    GTEST_SKIP() << missing;
  }
  const std::string command = "reproduce table-1 --quick --only /mlp/ --only random --threads 1 --out ";
  ASSERT_EQ(place.run(command + "alone").code, 0);
  const std::vector<Outcome> outcomes = run_together(place, 2, command + "spread");
  EXPECT_EQ(outcomes[0].code, 0) << outcomes[0].err;
  EXPECT_EQ(outcomes[1].code, 0) << outcomes[1].err;
  EXPECT_EQ(outcomes[1].out + outcomes[1].err, "");
  EXPECT_TRUE(factorgcn::testing::holds(outcomes[0].err, "[2/2]")) << outcomes[0].err;
  EXPECT_EQ(place.read("alone/table-1.csv"), place.read("spread/table-1.csv"));
  for (const char* run : {"synthetic-4/mlp/seed-0", "synthetic-4/random/seed-0"}) {
    const std::string metrics = std::string("/runs/") + run + "/metrics.json";
    EXPECT_EQ(without_time(place.read_json("alone" + metrics)), without_time(place.read_json("spread" + metrics)));
  }
}

}  // namespace
}  // namespace factorgcn::cli
