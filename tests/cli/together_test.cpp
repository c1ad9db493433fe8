// Real processes that train one run together: the same bits as one alone, and what happens when one is lost.
#include <gtest/gtest.h>
#include <signal.h>

#include <vector>

#include "cli/together.h"

namespace factorgcn::cli {
namespace {

// Some ten steps a second and more than can be done before a signal comes.
const std::string kLong =
    " --train-size 400 --validation-size 40 --test-size 40 --batch-size 40 --epochs 6 --checkpoint-seconds 0 "
    "--shards 4 --threads 1 --no-page ";
const std::string kShort = kSmall + "--shards 4 --threads 1 --no-page ";

class Together : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Outcome tried = run_together(place, 2, "train --shards 1" + kSmall).front();
    if (tried.err.find("built without Gloo") != std::string::npos) {
      GTEST_SKIP() << tried.err;
    }
    ASSERT_EQ(tried.code, 2) << tried.err;
    ASSERT_NE(tried.err.find("there are 2 processes, but 'shards' is 1"), std::string::npos) << tried.err;
  }

  Workplace place;
};

TEST_F(Together, AnyNumberOfProcessesEndsInTheSameBits) {
  ASSERT_EQ(place.run("train --out alone" + kShort).code, 0);
  for (const int size : {2, 3}) {
    const std::string out = "with" + std::to_string(size);
    const std::vector<Outcome> outcomes = run_together(place, size, "train --out " + out + kShort);
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    EXPECT_NE(outcomes[0].out.find("micro-F1"), std::string::npos);
    EXPECT_EQ(outcomes[1].out + outcomes[1].err, "") << "rank 0 alone speaks";
    EXPECT_TRUE(tensor_bytes(place.read(out + "/model.safetensors")) ==
                tensor_bytes(place.read("alone/model.safetensors")));
    const auto alone = place.read_lines("alone/history.jsonl"), lines = place.read_lines(out + "/history.jsonl");
    ASSERT_EQ(lines.size(), alone.size());
    for (std::size_t line = 0; line < lines.size(); ++line) {
      EXPECT_EQ(without_time(lines[line]), without_time(alone[line]));
    }
    EXPECT_EQ(without_time(place.read_json(out + "/metrics.json")),
              without_time(place.read_json("alone/metrics.json")));
  }
}

TEST_F(Together, EvaluateSharesItsBatchesAndSaysTheSame) {
  ASSERT_EQ(place.run("train --out alone" + kShort).code, 0);
  const std::vector<std::string> environment{"FACTORGCN_DATA=" + place.path("none").string()};
  for (const char* way : {"", " --json", " --split validation", " --protocol published --json"}) {
    const std::string command = std::string("evaluate alone") + way;
    const Outcome alone = place.run(command, environment);
    ASSERT_EQ(alone.code, 0) << alone.err;
    const std::vector<Outcome> outcomes = run_together(place, 3, command, environment);
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    EXPECT_EQ(outcomes[0].out, alone.out) << command;
    for (const std::size_t rank : {1, 2}) {
      EXPECT_EQ(outcomes[rank].out + outcomes[rank].err, "") << "rank 0 alone speaks";
    }
  }
}

TEST_F(Together, RefusesToScoreDifferentRunsTogether) {
  ASSERT_EQ(place.run("train --out one" + kShort).code, 0);
  ASSERT_EQ(place.run("train --out two --seed 1" + kShort).code, 0);
  const std::string port = std::to_string(testing::free_port());
  std::vector<Child> ranks;
  for (const int rank : {0, 1}) {
    ranks.push_back(
        place.start(std::string("evaluate ") + (rank == 0 ? "one" : "two"),
                    {"RANK=" + std::to_string(rank), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
  }
  for (const Outcome& outcome : wait_for_all(ranks)) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("ranks 0 and 1 are not about to do the same"), std::string::npos) << outcome.err;
  }
}

TEST_F(Together, ALostRankIsNamedAndTheRunGoesOnWithAnotherNumber) {
  ASSERT_EQ(place.run("train --out alone" + kLong).code, 0);
  std::vector<Child> ranks = start_together(place, 3, "train --out run" + kLong);
  ASSERT_TRUE(ranks[0].wait_until([&] { return place.has("run/checkpoint.safetensors"); }));
  ranks[2].send(SIGKILL);
  const std::vector<Outcome> outcomes = wait_for_all(ranks);
  for (int rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(outcomes[static_cast<std::size_t>(rank)].code, 1);
    EXPECT_NE(outcomes[static_cast<std::size_t>(rank)].err.find("rank 2 of 3 does not answer"), std::string::npos)
        << outcomes[static_cast<std::size_t>(rank)].err;
  }
  for (const Outcome& outcome : run_together(place, 2, "train --no-page --resume run")) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_TRUE(tensor_bytes(place.read("run/model.safetensors")) == tensor_bytes(place.read("alone/model.safetensors")));
}

TEST_F(Together, AnInterruptOfOneStopsAllAtTheSameBatch) {
  ASSERT_EQ(place.run("train --out alone" + kLong).code, 0);
  std::vector<Child> ranks = start_together(place, 2, "train --out run" + kLong);
  ASSERT_TRUE(ranks[0].wait_until([&] { return place.has("run/checkpoint.safetensors"); }));
  ranks[1].send(SIGINT);
  for (const Outcome& outcome : wait_for_all(ranks)) {
    EXPECT_EQ(outcome.code, 128 + SIGINT) << outcome.err;
  }
  ASSERT_EQ(place.run("train --no-page --resume run").code, 0);
  EXPECT_TRUE(tensor_bytes(place.read("run/model.safetensors")) == tensor_bytes(place.read("alone/model.safetensors")));
}

TEST_F(Together, RefusesToTrainDifferentRunsTogether) {
  const std::string port = std::to_string(testing::free_port());
  std::vector<Child> ranks;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string number = std::to_string(rank);
    ranks.push_back(place.start("train --out run --seed " + number + kShort,
                                {"RANK=" + number, "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
  }
  for (const Outcome& outcome : wait_for_all(ranks)) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("ranks 0 and 1 are not about to do the same"), std::string::npos) << outcome.err;
    EXPECT_NE(outcome.err.find("seed"), std::string::npos) << outcome.err;
  }
}

TEST_F(Together, WhyRankZeroGaveUpIsToldByAll) {
  place.write("taken", "");
  const std::vector<Outcome> outcomes = run_together(place, 2, "train --out taken" + kShort);
  EXPECT_NE(outcomes[0].code, 0);
  EXPECT_EQ(outcomes[1].code, 1);
  EXPECT_NE(outcomes[1].err.find("rank 0 gave up: "), std::string::npos) << outcomes[1].err;
}

}  // namespace
}  // namespace factorgcn::cli
