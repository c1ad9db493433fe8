// The compared systems from the command line: what fits, what they weigh, and that each trains.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/holds.h"
#include "cli/workplace.h"
#include "factorgcn/nn/registry.h"

namespace factorgcn::cli {
namespace {

using factorgcn::testing::holds;

TEST(ModelsForADataSet, SayWhatDoesNotFitAndWhy) {
  const Workplace place;
  const Outcome outcome = place.run("models --dataset synthetic");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(holds(outcome.out, "needs edge types, and these data have none; zinc has them")) << outcome.out;
  EXPECT_TRUE(holds(outcome.out, "disengcn")) << outcome.out;
  const Outcome zinc = place.run("models --dataset zinc");
  EXPECT_FALSE(holds(zinc.out, "needs edge types")) << zinc.out;
  EXPECT_TRUE(holds(zinc.out, "does not fit: it serves tasks of kind graph-class")) << zinc.out;
}

TEST(ModelsForADataSet, SizesAreThePublishedOnes) {
  const Workplace place;
  const Outcome outcome = place.run("models --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const auto& model : nlohmann::json::parse(outcome.out)) {
    if (model.at("name") == "factorgcn") {
      EXPECT_EQ(model.at("parameters").at("zinc"), 40747);
      EXPECT_EQ(model.at("parameters").at("pattern"), 54116);
    } else if (model.at("name") == "gatedgcn_e") {
      EXPECT_EQ(model.at("parameters").size(), 1U) << model.dump();
    } else if (model.at("name") == "aligned") {
      EXPECT_EQ(model.at("parameters").size(), 1U) << model.dump();
      EXPECT_GT(model.at("parameters").at("synthetic"), 100000) << model.dump();
    } else if (model.at("tasks").size() == 1) {
      EXPECT_TRUE(model.at("parameters").empty()) << model.dump();
    } else if (model.at("name") != "random" && model.at("name") != "mlp") {
      EXPECT_GT(model.at("parameters").at("zinc"), 60000) << model.dump();
      EXPECT_LT(model.at("parameters").at("zinc"), 130000) << model.dump();
    }
  }
}

TEST(ModelSettings, AreListedForEveryModel) {
  const Workplace place;
  for (const ModelEntry& model : models()) {
    const Outcome outcome = place.run("models " + model.name + " --json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto settings = nlohmann::json::parse(outcome.out);
    EXPECT_FALSE(settings.empty()) << model.name;
    for (const auto& setting : settings) {
      EXPECT_NE(setting.at("what"), "") << model.name << ": " << setting.dump();
    }
  }
  const Outcome text = place.run("models factorgcn");
  for (const char* part :
       {"gate_scale", "1e-06 to 1e+06", "input_dropout", "embedding", "factors", "4, 2", "edge_weights"}) {
    EXPECT_TRUE(holds(text.out, part)) << part << " is missing in\n" << text.out;
  }
  EXPECT_TRUE(holds(place.run("models patchy_san").out, "field_size"));
}

TEST(TrainModels, EachTrainsOnSyntheticData) {
  const Workplace place;
  for (const ModelEntry& model : models()) {
    const Outcome outcome = place.run(
        "train --quiet --epochs 1 --train-size 40 --validation-size 20 --test-size 20 "
        "--batch-size 20 --model " +
        model.name + " --out " + model.name);
    if (model.needs_edge_types) {
      EXPECT_EQ(outcome.code, 2);
      EXPECT_TRUE(holds(outcome.err, "model gatedgcn_e needs edge types")) << outcome.err;
    } else {
      EXPECT_EQ(outcome.code, 0) << model.name << ": " << outcome.err;
      EXPECT_TRUE(holds(outcome.out, model.trained ? "micro-F1" : "all node pairs")) << outcome.out;
    }
  }
}

}  // namespace
}  // namespace factorgcn::cli
