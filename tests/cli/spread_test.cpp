// Whole runs dealt out to several processes: seeds, folds, trials, the cells of a table.
#include <gtest/gtest.h>
#include <signal.h>

#include "base/holds.h"
#include "cli/random_kills.h"
#include "cli/together.h"
#include "shelf/tu_folder.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

const std::string kTinyRun =
    " --train-size 60 --validation-size 30 --test-size 40 --batch-size 20 --epochs 2 --threads 1 --no-page "
    "--set hidden=8 --set factors=2,2 ";

class Spread : public ::testing::Test {
 protected:
  void SetUp() override {
    static const std::string missing = no_ranks(place);
    if (!missing.empty()) {
      GTEST_SKIP() << missing;
    }
  }

  void expect_same_run(const std::string& one, const std::string& other) const {
    EXPECT_TRUE(tensor_bytes(place.read(one + "/model.safetensors")) ==
                tensor_bytes(place.read(other + "/model.safetensors")))
        << one << " and " << other;
    EXPECT_EQ(without_time(place.read_json(one + "/metrics.json")),
              without_time(place.read_json(other + "/metrics.json")));
  }

  static void expect_rank_zero_alone_speaks(const std::vector<Outcome>& outcomes) {
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    for (std::size_t rank = 1; rank < outcomes.size(); ++rank) {
      EXPECT_EQ(outcomes[rank].out + outcomes[rank].err, "");
    }
  }

  Workplace place;
};

TEST_F(Spread, SeedsAreTheRunsOfOneProcess) {
  ASSERT_EQ(place.run("train --seeds 3 --out alone" + kTinyRun).code, 0);
  const std::vector<Outcome> outcomes = run_together(place, 2, "train --seeds 3 --out spread" + kTinyRun);
  expect_rank_zero_alone_speaks(outcomes);
  EXPECT_TRUE(holds(outcomes[0].out, "2 at a time")) << outcomes[0].out;
  EXPECT_TRUE(holds(outcomes[0].err, "[3/3]")) << outcomes[0].err;
  for (const char* seed : {"0", "1", "2"}) {
    expect_same_run(std::string("alone/runs/seed-") + seed, std::string("spread/runs/seed-") + seed);
  }
  EXPECT_EQ(place.read_json("alone/metrics.json").at("test"), place.read_json("spread/metrics.json").at("test"));

  // What is done is not repeated, by however many processes.
  const std::vector<Outcome> more = run_together(place, 3, "train --seeds 4 --out spread" + kTinyRun);
  expect_rank_zero_alone_speaks(more);
  EXPECT_TRUE(holds(more[0].err, "3 runs were done before")) << more[0].err;
  EXPECT_EQ(place.read_json("spread/metrics.json").at("runs"), 4);
}

TEST_F(Spread, FoldsAreThoseOfOneProcess) {
  factorgcn::testing::write_tu_folder(place.path("data"), "RINGS", 24);
  const std::vector<std::string> environment{"FACTORGCN_DATA=" + place.path("data").string()};
  const std::string folds =
      "train --folds --fold-count 3 --dataset RINGS --epochs 2 --batch-size 16 --threads 1 --no-page "
      "--set hidden=8 --set factors=2,1 --out ";
  ASSERT_EQ(place.run(folds + "alone", environment).code, 0);
  const std::vector<Outcome> outcomes = run_together(place, 2, folds + "spread", environment);
  expect_rank_zero_alone_speaks(outcomes);
  EXPECT_TRUE(holds(outcomes[0].out, "published")) << outcomes[0].out;
  for (const char* fold : {"corrected/fold-01", "corrected/fold-03", "published/fold-02"}) {
    expect_same_run(std::string("alone/") + fold, std::string("spread/") + fold);
  }
  EXPECT_EQ(place.read_json("alone/metrics.json").at("folds"), place.read_json("spread/metrics.json").at("folds"));

  std::filesystem::remove_all(place.path("spread/published/fold-01"));
  std::filesystem::remove(place.path("spread/metrics.json"));
  expect_rank_zero_alone_speaks(run_together(place, 2, "train --no-page --resume spread", environment));
  expect_same_run("alone/published/fold-01", "spread/published/fold-01");
  EXPECT_EQ(place.read_json("alone/metrics.json").at("folds"), place.read_json("spread/metrics.json").at("folds"));
}

TEST_F(Spread, ASearchChoosesTheSame) {
  const std::string search = "search --over hidden=4,8 --over lambda=0,0.2" + kTinyRun + "--out ";
  ASSERT_EQ(place.run(search + "alone").code, 0);
  expect_rank_zero_alone_speaks(run_together(place, 2, search + "spread"));
  const auto alone = place.read_json("alone/metrics.json"), spread = place.read_json("spread/metrics.json");
  EXPECT_EQ(alone.at("chosen"), spread.at("chosen"));
  EXPECT_EQ(alone.at("test"), spread.at("test"));
}

TEST_F(Spread, ALostRankIsNamedItsRunsEndAndTheRestGoesOn) {
  const std::string seeds = "train --seeds 3 --epochs 20 --out ";
  const std::string small =
      " --train-size 200 --validation-size 20 --test-size 20 --batch-size 20 --threads 1 --no-page "
      "--checkpoint-seconds ";
  ASSERT_EQ(place.run(seeds + "alone" + small + "60").code, 0);
  std::vector<Child> ranks = start_together(place, 2, seeds + "spread" + small + "0");
  ASSERT_TRUE(ranks[0].wait_until([&] {
    return place.has("spread/runs/seed-0/checkpoint.safetensors") &&
           place.has("spread/runs/seed-1/checkpoint.safetensors");
  }));
  ranks[1].send(SIGKILL);
  const Outcome left = ranks[0].wait();
  EXPECT_EQ(left.code, 1);
  EXPECT_TRUE(holds(left.err, "rank 1 of 2 does not answer")) << left.err;
  EXPECT_TRUE(holds(left.err, "the same command goes on")) << left.err;
  // The lost rank's run ended with it: nobody holds its folder.
  const std::vector<Outcome> outcomes = run_together(place, 3, seeds + "spread" + small + "0");
  expect_rank_zero_alone_speaks(outcomes);
  for (const char* seed : {"0", "1", "2"}) {
    expect_same_run(std::string("alone/runs/seed-") + seed, std::string("spread/runs/seed-") + seed);
  }
}

TEST_F(Spread, ASignalToOneStopsAllWithTheirRunsSaved) {
  const std::string seeds =
      "train --seeds 3 --epochs 200 --checkpoint-seconds 0 --train-size 200 --validation-size 20 --test-size 20 "
      "--batch-size 20 --threads 1 --no-page --out spread";
  std::vector<Child> ranks = start_together(place, 2, seeds);
  ASSERT_TRUE(ranks[0].wait_until([&] { return place.has("spread/runs/seed-0/checkpoint.safetensors"); }));
  ranks[1].send(SIGINT);
  const std::vector<Outcome> outcomes = wait_for_all(ranks);
  EXPECT_EQ(outcomes[0].code, 128 + SIGINT) << outcomes[0].err;
  EXPECT_EQ(outcomes[1].code, 128 + SIGINT) << outcomes[1].err;
  EXPECT_TRUE(holds(outcomes[0].err, "train --resume spread")) << outcomes[0].err;
  EXPECT_FALSE(place.has("spread/metrics.json"));
}

TEST_F(Spread, RanksThatAreAboutToDoDifferentThingsAreRefused) {
  const std::string port = std::to_string(testing::free_port());
  std::vector<Child> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string jobs = std::to_string(rank + 1);
    ranks.push_back(
        place.start("train --seeds 2 --out spread --jobs " + jobs + kTinyRun,
                    {"RANK=" + std::to_string(rank), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
  }
  for (const Outcome& outcome : wait_for_all(ranks)) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_TRUE(holds(outcome.err, "'jobs' is 1 and 2")) << outcome.err;
  }
}

}  // namespace
}  // namespace factorgcn::cli
