// One graph in parts, by real processes: the same bits for any number of them, also after one is lost.
#include <gtest/gtest.h>
#include <signal.h>

#include "cli/own_network.h"
#include "cli/together.h"

namespace factorgcn::cli {
namespace {

const std::string kPartRun = " --threads 1 --checkpoint-seconds 0 --set hidden=16 --set batch_norm=true --quiet ";

class Partition : public ::testing::Test {
 protected:
  void SetUp() override {
    write_network(place, 240, 4, 1);
    ASSERT_EQ(place.run("data import edges.csv --nodes nodes.csv --label team --out net.safetensors").code, 0);
  }

  void cut(int parts, const std::string& out, const std::string& more = "") {
    const Outcome outcome =
        place.run("data partition net.safetensors --parts " + std::to_string(parts) + " --out " + out + more);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    for (const char* text : {"cut: edges between parts", "halo: copies of other parts' nodes", "a step sends"}) {
      EXPECT_NE(outcome.out.find(text), std::string::npos) << outcome.out;
    }
  }

  std::string weights_of(const std::string& run) { return tensor_bytes(place.read(run + "/model.safetensors")); }

  bool has_ranks() {
    static const Outcome tried = run_together(place, 2, "train --shards 1" + kSmall).front();
    return tried.err.find("built without Gloo") == std::string::npos;
  }

  Workplace place;
};

TEST_F(Partition, TrainsAsTheWholeGraphDoes) {
  cut(3, "net-3");
  const std::string run = "--epochs 20 --no-page --set dropout=0" + kPartRun;
  ASSERT_EQ(place.run("train --dataset net.safetensors --out whole " + run).code, 0);
  const Outcome outcome = place.run("train --dataset net-3 --out parts " + run);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("balanced accuracy"), std::string::npos) << outcome.out;
  const auto whole = place.read_json("whole/metrics.json"), parts = place.read_json("parts/metrics.json");
  EXPECT_NEAR(whole["validation"]["loss"].get<double>(), parts["validation"]["loss"].get<double>(), 1e-2);
  for (const char* metric : {"mean_recall", "accuracy", "macro_f1"}) {
    EXPECT_NEAR(whole["test"][metric].get<double>(), parts["test"][metric].get<double>(), 0.05) << metric;
  }
  EXPECT_EQ(whole["samples"], parts["samples"]);
  // The model is one like any other: it answers on whole graphs.
  const Outcome predicted = place.run("predict parts --dataset net.safetensors --out answers.csv");
  EXPECT_EQ(predicted.code, 0) << predicted.err;
}

TEST_F(Partition, AnyNumberOfProcessesEndsInTheSameBits) {
  if (!has_ranks()) {
    GTEST_SKIP() << "built without Gloo";
  }
  cut(4, "net-4", " --method hash");
  const std::string run = " --dataset net-4 --epochs 8" + kPartRun;
  ASSERT_EQ(place.run("train --out alone" + run).code, 0);
  for (const int size : {2, 3}) {
    const std::string out = "with" + std::to_string(size);
    const std::vector<Outcome> outcomes = run_together(place, size, "train --out " + out + run);
    for (const Outcome& outcome : outcomes) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    EXPECT_EQ(outcomes[1].out + outcomes[1].err, "") << "rank 0 alone speaks";
    EXPECT_TRUE(weights_of(out) == weights_of("alone"));
    EXPECT_EQ(without_time(place.read_json(out + "/metrics.json")),
              without_time(place.read_json("alone/metrics.json")));
    const auto alone = place.read_lines("alone/history.jsonl"), lines = place.read_lines(out + "/history.jsonl");
    ASSERT_EQ(lines.size(), alone.size());
    for (std::size_t line = 0; line < lines.size(); ++line) {
      EXPECT_EQ(without_time(lines[line]), without_time(alone[line]));
    }
  }
}

TEST_F(Partition, OtherModelsTrainToo) {
  if (!has_ranks()) {
    GTEST_SKIP() << "built without Gloo";
  }
  cut(3, "net-3", " --method hash");
  for (const std::string model : {"gin", "gat"}) {
    const std::string run = " --dataset net-3 --epochs 8 --set dropout=0.3 --model " + model + kPartRun;
    ASSERT_EQ(place.run("train --out alone-" + model + run).code, 0);
    for (const Outcome& outcome : run_together(place, 2, "train --out two-" + model + run)) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
    }
    EXPECT_TRUE(weights_of("two-" + model) == weights_of("alone-" + model)) << model;
    // Scored again from the files, also by another number of processes.
    const Outcome scored = place.run("evaluate alone-" + model + " --json");
    EXPECT_EQ(scored.code, 0) << scored.err;
    EXPECT_EQ(nlohmann::json::parse(scored.out), place.read_json("alone-" + model + "/metrics.json"));
    for (const Outcome& outcome : run_together(place, 3, "evaluate alone-" + model + " --json")) {
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      EXPECT_TRUE(outcome.out.empty() || outcome.out == scored.out);
    }
    EXPECT_EQ(place.run("predict two-" + model + " --dataset net.safetensors --out answers-" + model + ".csv").code, 0);
  }
}

TEST_F(Partition, ALostRankIsNamedAndTheRunGoesOnWithAnotherNumber) {
  if (!has_ranks()) {
    GTEST_SKIP() << "built without Gloo";
  }
  cut(3, "net-3");
  const std::string run = " --dataset net-3 --epochs 60" + kPartRun;
  ASSERT_EQ(place.run("train --out alone" + run).code, 0);
  std::vector<Child> ranks = start_together(place, 3, "train --out run" + run);
  ASSERT_TRUE(ranks[0].wait_until([&] { return place.has("run/checkpoint.safetensors"); }));
  ranks[1].send(SIGKILL);
  const std::vector<Outcome> outcomes = wait_for_all(ranks);
  for (const std::size_t rank : {0, 2}) {
    EXPECT_EQ(outcomes[rank].code, 1);
    EXPECT_NE(outcomes[rank].err.find("rank 1 of 3 does not answer"), std::string::npos) << outcomes[rank].err;
  }
  for (const Outcome& outcome : run_together(place, 2, "train --resume run --quiet")) {
    EXPECT_EQ(outcome.code, 0) << outcome.err;
  }
  EXPECT_TRUE(weights_of("run") == weights_of("alone"));
}

TEST_F(Partition, CutsTablesThatNeedNotFitIntoMemory) {
  // Numbers rise in nodes.csv already.
  const std::string cut_tables =
      "data partition edges.csv --nodes nodes.csv --label team --parts 3 --memory 1M --out x-3";
  const Outcome outcome = place.run(cut_tables);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("3 parts by hash"), std::string::npos) << outcome.out;
  ASSERT_EQ(place.run("train --dataset x-3 --epochs 3 --out run" + kPartRun).code, 0);
  // The same graph as the one imported into memory: nodes, edges, columns, classes.
  const Outcome imported = place.run("data partition net.safetensors --parts 3 --method hash --out y-3");
  ASSERT_EQ(imported.code, 0) << imported.err;
  const auto tables = place.read_json("x-3/parts.json"), data = place.read_json("y-3/parts.json");
  for (const char* key :
       {"nodes", "edges", "outputs", "feature_columns", "feature_names", "output_names", "added_self_loops"}) {
    EXPECT_EQ(tables[key], data[key]) << key;
  }
  expect_refused(place.run(cut_tables), {"not empty", "--force"});
  expect_refused(place.run("data partition edges.csv --nodes nodes.csv --parts 3 --memory lots --out z"),
                 {"--memory", "lots"});
  expect_refused(place.run("data partition net.safetensors --parts 3 --memory 1M --out z"), {"--memory", "--nodes"});
}

TEST_F(Partition, RefusesRanksWithOtherParts) {
  if (!has_ranks()) {
    GTEST_SKIP() << "built without Gloo";
  }
  cut(2, "net-2");
  cut(3, "net-3");
  const std::string port = std::to_string(testing::free_port());
  std::vector<Child> ranks;
  for (const int rank : {0, 1}) {
    ranks.push_back(
        place.start("train --out run --dataset net-" + std::to_string(2 + rank) + kPartRun,
                    {"RANK=" + std::to_string(rank), "WORLD_SIZE=2", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port}));
  }
  for (const Outcome& outcome : wait_for_all(ranks)) {
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find("ranks 0 and 1 are not about to do the same"), std::string::npos) << outcome.err;
  }
}

TEST_F(Partition, RefusesWhatPartsDoNotHave) {
  cut(2, "net-2");
  const std::string train = "train --dataset net-2 --out run ";
  expect_refused(place.run(train + "--model gat_dis"), {"gat_dis", "cannot train on one graph in parts", "these can"});
  expect_refused(place.run(train + "--model patchy_san"), {"patchy_san", "these can: factorgcn"});
  expect_refused(place.run(train + "--shards 2"), {"'shards' is 2", "leave --shards out"});
  expect_refused(place.run(train + "--device cuda"), {"cuda"});
  expect_refused(place.run("data info net-2"), {"net-2", "one graph in parts"});
  expect_refused(place.run("data partition net.safetensors --parts 2 --out net-2"), {"not empty", "--force"});
  expect_refused(place.run("data partition net.safetensors --parts 0 --out x"), {"--parts 0"});
  expect_refused(place.run("data partition mutag --parts 2 --out x"), {"mutag"});
  EXPECT_FALSE(place.has("run"));
}

}  // namespace
}  // namespace factorgcn::cli
