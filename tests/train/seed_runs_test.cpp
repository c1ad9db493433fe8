// A folder of several seeds: what is asked for, and what its runs say together.
#include "factorgcn/train/seed_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error_text.h"
#include "base/temporary_folder.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using Seeds = std::vector<std::uint64_t>;

TEST(SeedRuns, SeedsAreCountedOrListed) {
  EXPECT_EQ(parse_seeds("3", 0), (Seeds{0, 1, 2}));
  EXPECT_EQ(parse_seeds("2", 7), (Seeds{7, 8}));
  EXPECT_EQ(parse_seeds("9,4,21", 7), (Seeds{9, 4, 21}));
  for (const char* wrong :
       {"", "0", "-1", "a", "3,", ",3", "1.5", "3 4", "1001", "99999999999999999999", "1,9223372036854775808"}) {
    EXPECT_THROW(parse_seeds(wrong, 0), UsageError) << wrong;
  }
  EXPECT_EQ(error_text([] { parse_seeds("4,5,4", 0); }), "--seeds 4,5,4: seed 4 stands there twice");
}

class SeedFolder : public ::testing::Test {
 protected:
  void run(std::uint64_t seed, const std::string& status, double accuracy) const {
    const fs::path folder = seed_run_folder(folder_, seed);
    fs::create_directories(folder);
    nlohmann::json metrics{{"dataset", "d"},
                           {"model", "gcn"},
                           {"seed", seed},
                           {"status", status},
                           {"seconds", 2},
                           {"metric", "accuracy"},
                           {"validation", {{"accuracy", accuracy + 0.1}}},
                           {"test", {{"accuracy", accuracy}, {"roc_auc", nullptr}, {"ged_e_std", 3}}},
                           {"chance", {{"accuracy", 0.25}}}};
    write_file_atomically(folder / "metrics.json", metrics.dump());
  }

  TemporaryFolder temporary_;
  fs::path folder_ = temporary_.path() / "out";
};

TEST_F(SeedFolder, PlanIsReadAsItWasWritten) {
  EXPECT_FALSE(is_seed_folder(folder_));
  EXPECT_THROW(read_seed_plan(folder_), UsageError);
  write_seed_plan(folder_, {{{"model", "gcn"}}, {4, 2}, true, false});
  EXPECT_TRUE(is_seed_folder(folder_));
  const SeedPlan plan = read_seed_plan(folder_);
  EXPECT_EQ(plan.layer.at("model"), "gcn");
  EXPECT_EQ(plan.seeds, (Seeds{4, 2}));
  EXPECT_TRUE(plan.folds);
  EXPECT_FALSE(plan.pages);
  write_file_atomically(folder_ / "seeds.json", "{\"layer\": {}, \"seeds\": []}");
  EXPECT_NE(error_text([&] { read_seed_plan(folder_); }).find("asks for no runs"), std::string::npos);
  write_file_atomically(folder_ / "seeds.json", "{\"layer\": ");
  EXPECT_NE(error_text([&] { read_seed_plan(folder_); }).find("not valid JSON"), std::string::npos);
}

TEST_F(SeedFolder, RunsThatDivergedAreNoPartOfTheMean) {
  write_seed_plan(folder_, {nlohmann::json::object(), {0, 1, 2, 3}, false, true});
  run(0, "finished", 0.5);
  run(1, "diverged", 0.9);
  run(2, "finished", 0.7);
  const SeedMetrics all = gather_seed_runs(folder_);
  const auto spreads = all.spreads(&RunMetrics::test);
  EXPECT_NEAR(spreads.at("accuracy").mean, 0.6, 1e-12);
  EXPECT_EQ(spreads.at("accuracy").runs, 2);
  EXPECT_EQ(spreads.at("roc_auc").runs, 0) << "not known in any run";
  EXPECT_FALSE(spreads.contains("ged_e_std"));
  EXPECT_EQ(all.diverged(), (Seeds{1}));
  EXPECT_EQ(all.without_metrics(), (Seeds{3}));
  EXPECT_NEAR(*all.chance("accuracy"), 0.25, 1e-12);
  EXPECT_FALSE(all.chance("roc_auc"));
  EXPECT_EQ(all.seconds(), 6);

  const auto json = to_json(all);
  EXPECT_EQ(json.at("status"), "incomplete");
  EXPECT_EQ(json.at("runs"), 2);
  EXPECT_EQ(json.at("diverged"), nlohmann::json({1}));
  EXPECT_EQ(json.at("test").at("accuracy").at("values").size(), 2U);
  EXPECT_TRUE(json.at("test").at("roc_auc").at("mean").is_null());
  EXPECT_NEAR(json.at("validation").at("accuracy").at("mean").get<double>(), 0.7, 1e-12);
}

TEST_F(SeedFolder, NothingIsMadeUpWhereAllDiverged) {
  write_seed_plan(folder_, {nlohmann::json::object(), {1}, false, true});
  run(1, "diverged", 0.9);
  const SeedMetrics all = gather_seed_runs(folder_);
  EXPECT_TRUE(all.spreads(&RunMetrics::test).empty());
  EXPECT_FALSE(all.chance("accuracy"));
  EXPECT_EQ(to_json(all).at("status"), "diverged");
  ASSERT_NE(all.example(), nullptr);
}

}  // namespace
}  // namespace factorgcn
