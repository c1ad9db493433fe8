// Small trainings from end to end: files, table, configuration, evaluation, data files, threads.
#include <gtest/gtest.h>

#include <cmath>

#include "base/holds.h"
#include "cli/workplace.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

TEST(Train, WritesARunDirectoryAndATable) {
  const Workplace place;
  const Outcome outcome = place.run(
      "train --dataset synthetic --factors 4 --model factorgcn --preset published --seed 7 --out runs/x" + kSmall);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"micro-F1", "GED_E", "C-Score", "0.995 ± 0.004", "10.59 ± 4.37", "0.532 ± 0.044", "Protocol: corrected",
        "How to read this", "Not the paper's setting", "epochs 3 (published: 80)", "Next,", "--seed 8", "runs/x"}) {
    EXPECT_TRUE(holds(outcome.out, part)) << part << " is missing in:\n" << outcome.out;
  }
  EXPECT_TRUE(holds(outcome.err, "epoch 3/3")) << outcome.err;
  EXPECT_FALSE(holds(outcome.err, "\r")) << "no terminal, no redrawing";

  for (const char* name :
       {"config.json", "history.jsonl", "metrics.json", "model.safetensors", "checkpoint.safetensors"}) {
    EXPECT_TRUE(place.has(std::string("runs/x/") + name)) << name;
  }
  const auto metrics = place.read_json("runs/x/metrics.json");
  EXPECT_EQ(metrics.at("dataset"), "synthetic");
  EXPECT_EQ(metrics.at("model"), "factorgcn");
  EXPECT_EQ(metrics.at("preset"), "published");
  EXPECT_EQ(metrics.at("protocol"), "corrected");
  EXPECT_EQ(metrics.at("seed"), 7);
  EXPECT_EQ(metrics.at("device"), "cpu");
  EXPECT_GT(metrics.at("parameters"), 1000);
  EXPECT_EQ(metrics.at("epochs_run"), 3);
  EXPECT_GE(metrics.at("best_epoch"), 1);
  EXPECT_LE(metrics.at("best_epoch"), 3);
  EXPECT_GT(metrics.at("seconds"), 0);
  EXPECT_TRUE(metrics.at("validation").contains("micro_f1"));
  for (const char* key : {"micro_f1", "ged_e", "ged_e_std", "c_score"}) {
    ASSERT_TRUE(metrics.at("test").at(key).is_number()) << key;
    EXPECT_TRUE(std::isfinite(metrics.at("test").at(key).get<double>())) << key;
  }

  const auto config = place.read_json("runs/x/config.json");
  EXPECT_EQ(config.at("epochs"), 3);
  EXPECT_EQ(config.at("batch_size"), 40);
  EXPECT_EQ(config.at("learning_rate"), 0.005);
  EXPECT_EQ(config.at("data").at("train"), 120);
  EXPECT_EQ(config.at("data").at("seed"), 7);
  EXPECT_EQ(place.read_lines("runs/x/history.jsonl").size(), 3U);
}

TEST(Train, IsTheSameAgainAndForAnyNumberOfThreads) {
  const Workplace one, two, other;
  ASSERT_EQ(one.run("train --quiet --out x --threads 1" + kSmall).code, 0);
  ASSERT_EQ(two.run("train --quiet --out x --threads 2" + kSmall).code, 0);
  ASSERT_EQ(other.run("train --quiet --out x --threads 2 --seed 1" + kSmall).code, 0);
  const std::string weights = tensor_bytes(one.read("x/model.safetensors"));
  EXPECT_GT(weights.size(), 4000U);
  EXPECT_EQ(weights, tensor_bytes(two.read("x/model.safetensors")));
  EXPECT_NE(weights, tensor_bytes(other.read("x/model.safetensors"))) << "another seed is another run";
  EXPECT_EQ(without_time(one.read_json("x/metrics.json")), without_time(two.read_json("x/metrics.json")));
}

TEST(Train, QuietShowsTheTableAlone) {
  const Workplace place;
  const Outcome outcome = place.run("train --quiet --out x" + kSmall);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_FALSE(holds(outcome.err, "epoch")) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "micro-F1"));
}

TEST(Train, ChoosesTheNextFreeName) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --epochs 1" + kSmall + "--epochs 1").code, 0);
  ASSERT_EQ(place.run("train --quiet --epochs 1" + kSmall + "--epochs 1").code, 0);
  EXPECT_TRUE(place.has("runs/synthetic-factorgcn-seed0/metrics.json"));
  EXPECT_TRUE(place.has("runs/synthetic-factorgcn-seed0-2/metrics.json"));
  EXPECT_EQ(place.read_json("runs/synthetic-factorgcn-seed0/metrics.json").at("epochs_run"), 1)
      << "the last flag counts";
}

TEST(Train, RefusesAnExistingRunUnlessForced) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --out x" + kSmall).code, 0);
  const std::string before = place.read("x/metrics.json");
  expect_refused(place.run("train --quiet --out x --seed 1" + kSmall), {"x", "--resume", "--force"});
  EXPECT_EQ(place.read("x/metrics.json"), before);
  ASSERT_EQ(place.run("train --quiet --out x --seed 1 --force" + kSmall).code, 0);
  EXPECT_EQ(place.read_json("x/metrics.json").at("seed"), 1);
}

TEST(Train, TakesAConfigFileAndFlagsOverIt) {
  const Workplace place;
  place.write("my.json", R"({
    // a comment
    "data": {"train": 100, "validation": 40, "test": 40, "factors": 3}, "batch_size": 50, "epochs": 2, "seed": 5,
    "model_settings": {"hidden": 16}, "learning_rate": 0.01, "out": "from-config"})");
  const Outcome outcome =
      place.run("train --quiet --config my.json --epochs 1 --set gate_scale=1 --set schedule.kind=step");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto config = place.read_json("from-config/config.json");
  EXPECT_EQ(config.at("epochs"), 1);
  EXPECT_EQ(config.at("seed"), 5);
  EXPECT_EQ(config.at("data").at("train"), 100);
  EXPECT_EQ(config.at("data").at("factors"), 3);
  EXPECT_EQ(config.at("data").at("seed"), 5);
  EXPECT_EQ(config.at("model_settings").at("hidden"), 16);
  EXPECT_EQ(config.at("model_settings").at("gate_scale"), 1);
  EXPECT_EQ(config.at("schedule").at("kind"), "step");
  EXPECT_EQ(config.at("learning_rate"), 0.01);
  EXPECT_EQ(config.at("lambda"), 0.5) << "from the preset";
  EXPECT_TRUE(holds(outcome.out, "1.000 ± 0.000")) << "the paper's value for three factors:\n" << outcome.out;
}

TEST(Train, RepeatsARunFromItsConfig) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --seed 3 --out first" + kSmall).code, 0);
  ASSERT_EQ(place.run("train --quiet --config first/config.json --out again").code, 0);
  EXPECT_EQ(without_time(place.read_json("first/metrics.json")), without_time(place.read_json("again/metrics.json")));
  // Another seed means other data too.
  ASSERT_EQ(place.run("train --quiet --config first/config.json --seed 4 --out other").code, 0);
  ASSERT_EQ(place.run("train --quiet --seed 4 --out direct" + kSmall).code, 0);
  EXPECT_EQ(without_time(place.read_json("other/metrics.json")), without_time(place.read_json("direct/metrics.json")));
}

TEST(Train, KeepsTheBestModelWhenTheLossBlowsUp) {
  const Workplace place;
  const Outcome outcome = place.run("train --out x --learning-rate 1e38" + kSmall);
  EXPECT_EQ(outcome.code, 3) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "the loss of batch")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "factorgcn: training diverged")) << outcome.err;
  EXPECT_TRUE(holds(outcome.err, "--learning-rate")) << outcome.err;
  EXPECT_EQ(place.read_json("x/metrics.json").at("status"), "diverged");
  EXPECT_TRUE(place.has("x/model.safetensors"));
  EXPECT_TRUE(holds(outcome.out, "micro-F1")) << outcome.out;
}

TEST(Train, SaysWhichProtocolItUsed) {
  const Workplace place;
  const Outcome outcome = place.run("train --quiet --protocol published --out x" + kSmall);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "Protocol: published")) << outcome.out;
  const auto metrics = place.read_json("x/metrics.json");
  EXPECT_EQ(metrics.at("protocol"), "published");
  EXPECT_EQ(metrics.at("test").at("micro_f1"), metrics.at("validation").at("micro_f1"));

  const Outcome corrected = place.run("evaluate x --protocol corrected --json");
  ASSERT_EQ(corrected.code, 0) << corrected.err;
  EXPECT_EQ(nlohmann::json::parse(corrected.out).at("protocol"), "corrected");
}

TEST(Evaluate, ReproducesTheRunsNumbers) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --out x" + kSmall).code, 0);
  const auto metrics = place.read_json("x/metrics.json");
  const Outcome json = place.run("evaluate x --json --threads 1");
  ASSERT_EQ(json.code, 0) << json.err;
  EXPECT_EQ(without_time(nlohmann::json::parse(json.out)), without_time(metrics));

  const Outcome text = place.run("evaluate x");
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(holds(text.out, "0.995 ± 0.004")) << text.out;

  const Outcome test = place.run("evaluate x --split test --json");
  ASSERT_EQ(test.code, 0) << test.err;
  const auto scores = nlohmann::json::parse(test.out).at("scores");
  for (const char* key : {"micro_f1", "ged_e", "ged_e_std", "c_score"}) {
    EXPECT_EQ(scores.at(key), metrics.at("test").at(key)) << key;
  }
  const Outcome validation = place.run("evaluate x --split validation --json");
  ASSERT_EQ(validation.code, 0) << validation.err;
  EXPECT_EQ(nlohmann::json::parse(validation.out).at("scores").at("micro_f1"), metrics.at("validation").at("micro_f1"));
  const Outcome train = place.run("evaluate x --split train");
  ASSERT_EQ(train.code, 0) << train.err;
  EXPECT_TRUE(holds(train.out, "on train")) << train.out;
}

TEST(Evaluate, RefusesADamagedModelAndChangesNothing) {
  const Workplace place;
  ASSERT_EQ(place.run("train --quiet --out x" + kSmall).code, 0);
  const std::string model = place.read("x/model.safetensors");
  place.write("x/model.safetensors", model.substr(0, model.size() / 2));
  const Outcome outcome = place.run("evaluate x");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(holds(outcome.err, "model.safetensors")) << outcome.err;
  EXPECT_EQ(outcome.err.find('\n'), outcome.err.size() - 1) << outcome.err;
}

TEST(Data, FromAFileTrainsAsFromTheGenerator) {
  const Workplace place;
  const Outcome made = place.run(
      "data make synthetic --factors 4 --seed 2 --train-size 120 --validation-size 40 --test-size 40 --out "
      "four.safetensors");
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(holds(made.out, "200 graphs in four.safetensors")) << made.out;
  EXPECT_TRUE(holds(made.out, "train --dataset four.safetensors")) << made.out;

  ASSERT_EQ(place.run("train --quiet --seed 2 --out generated" + kSmall).code, 0);
  const Outcome outcome =
      place.run("train --quiet --seed 2 --dataset four.safetensors --out read --batch-size 40 --epochs 3");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(tensor_bytes(place.read("read/model.safetensors")),
            tensor_bytes(place.read("generated/model.safetensors")));
  EXPECT_EQ(without_time(place.read_json("read/metrics.json")),
            without_time(place.read_json("generated/metrics.json")));
  EXPECT_TRUE(holds(outcome.out, "0.995 ± 0.004")) << outcome.out;

  const std::string bytes = place.read("four.safetensors");
  expect_refused(place.run("data make synthetic --seed 3 --out four.safetensors"), {"four.safetensors", "--force"});
  EXPECT_EQ(place.read("four.safetensors"), bytes);
  ASSERT_EQ(place
                .run("data make synthetic --factors 4 --seed 2 --train-size 120 --validation-size 40 --test-size 40 "
                     "--out four.safetensors --force")
                .code,
            0);
  EXPECT_EQ(place.read("four.safetensors"), bytes) << "the same seed, the same file";
}

TEST(Data, InfoTellsWhatIsInside) {
  const Workplace place;
  const std::string sizes = " --train-size 60 --validation-size 20 --test-size 30 ";
  const Outcome json = place.run("data info synthetic --factors 3 --json" + sizes);
  ASSERT_EQ(json.code, 0) << json.err;
  const auto info = nlohmann::json::parse(json.out);
  EXPECT_EQ(info.at("graphs"), 110);
  EXPECT_EQ(info.at("split").at("validation"), 20);
  EXPECT_EQ(info.at("nodes"), 110 * 15);
  EXPECT_EQ(info.at("self_loops"), 110 * 15);
  EXPECT_EQ(info.at("feature_columns"), 15);
  EXPECT_EQ(info.at("outputs"), 3);
  ASSERT_EQ(info.at("relations").size(), 3U);
  // Turan(5,2) has 6 edges, house-X 8, the tree of 13 nodes 12: twice that in directed entries.
  EXPECT_EQ(info.at("relations")[0].at("mean_entries"), 12);
  EXPECT_EQ(info.at("relations")[1].at("mean_entries"), 16);
  EXPECT_EQ(info.at("relations")[2].at("mean_entries"), 24);

  const Outcome text = place.run("data info synthetic --factors 3" + sizes);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(holds(text.out, "60 train, 20 validation, 30 test")) << text.out;
}

}  // namespace
}  // namespace factorgcn::cli
