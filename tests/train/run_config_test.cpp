// Configuration layers: who wins, what is filled in, and what the errors say.
#include "factorgcn/train/run_config.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "factorgcn/base/error.h"
#include "factorgcn/classic/registry.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/presets.h"
#include "train/tiny_model.h"

namespace factorgcn {
namespace {

using nlohmann::json;
using testing::message_of;

RunConfig resolve(std::vector<json> layers) { return resolve_config(layers); }

std::string usage(std::vector<json> layers) {
  return message_of<UsageError>([&] { resolve_config(layers); });
}

std::int64_t integer(const Settings& settings, const std::string& name) {
  return std::get<std::int64_t>(settings.at(name));
}

TEST(RunConfig, ThePresetAloneIsThePublishedConfiguration) {
  const RunConfig config = resolve({});
  EXPECT_EQ(config.dataset, "synthetic");
  EXPECT_EQ(config.model, "factorgcn");
  EXPECT_EQ(config.preset, "published");
  EXPECT_EQ(config.protocol, "corrected");
  EXPECT_EQ(config.epochs, 80);
  EXPECT_EQ(config.batch_size, 1000);
  EXPECT_EQ(config.learning_rate, 0.005);
  EXPECT_EQ(config.weight_decay, 5e-5);
  EXPECT_EQ(config.lambda, 0.5);
  EXPECT_EQ(config.schedule.kind, "none");
  EXPECT_EQ(config.metric_layer, 1);
  EXPECT_EQ(integer(config.data, "factors"), 4);
  EXPECT_EQ(integer(config.data, "train"), 14000);
  EXPECT_EQ(integer(config.data, "validation"), 2000);
  EXPECT_EQ(integer(config.data, "test"), 4000);
  EXPECT_EQ(std::get<double>(config.model_settings.at("gate_scale")), 6.0);
  EXPECT_EQ(std::get<std::string>(config.model_settings.at("norm")), "source");
}

TEST(RunConfig, SizesFollowTheNumberOfFactorGraphs) {
  const std::vector<std::vector<std::int64_t>> factors{{2, 1}, {4, 2}, {4, 2}, {8, 4}, {8, 4}};
  const std::vector<std::int64_t> hidden{32, 32, 32, 64, 64};
  for (std::int64_t graphs = 2; graphs <= 6; ++graphs) {
    const RunConfig config = resolve({json{{"data", {{"factors", graphs}}}}});
    const auto row = static_cast<std::size_t>(graphs - 2);
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(config.model_settings.at("factors")), factors[row]) << graphs;
    EXPECT_EQ(integer(config.model_settings, "hidden"), hidden[row]) << graphs;
  }
}

TEST(RunConfig, LaterLayersWinKeyByKey) {
  const json file{{"epochs", 10},
                  {"lambda", 0.1},
                  {"data", {{"factors", 3}, {"train", 50}}},
                  {"model_settings", {{"hidden", 16}}},
                  {"schedule", {{"kind", "step"}, {"every", 7}}}};
  const json flags{{"epochs", 12}, {"data", {{"train", 60}}}, {"schedule", {{"factor", 0.1}}}};
  const RunConfig config = resolve({file, flags});
  EXPECT_EQ(config.epochs, 12);        // flag over file
  EXPECT_EQ(config.lambda, 0.1);       // file over preset
  EXPECT_EQ(config.batch_size, 1000);  // preset
  EXPECT_EQ(integer(config.data, "train"), 60);
  EXPECT_EQ(integer(config.data, "factors"), 3);
  EXPECT_EQ(integer(config.model_settings, "hidden"), 16);
  EXPECT_EQ(std::get<double>(config.model_settings.at("slope")), 0.2);
  EXPECT_EQ(config.schedule.kind, "step");
  EXPECT_EQ(config.schedule.every, 7);
  EXPECT_EQ(config.schedule.factor, 0.1);
}

TEST(RunConfig, DataFollowTheSeedUnlessTheyHaveTheirOwn) {
  EXPECT_EQ(integer(resolve({json{{"seed", 3}}}).data, "seed"), 3);
  EXPECT_EQ(integer(resolve({json{{"seed", 3}, {"data", {{"seed", 5}}}}}).data, "seed"), 5);
}

TEST(RunConfig, PresetNoneGivesNoSettings) {
  const RunConfig config = resolve({json{{"preset", "none"}, {"epochs", 2}}});
  EXPECT_TRUE(config.model_settings.empty());
  EXPECT_EQ(config.weight_decay, 0.0);
}

TEST(RunConfig, JsonRoundTripKeepsEverything) {
  RunConfig config = resolve({json{{"seed", 9007199254740993}, {"learning_rate", 0.1}, {"out", "runs/\"x\""}}});
  config.threads = 3;
  config.checkpoint_seconds = 0.25;
  const nlohmann::ordered_json written = to_json(config);
  const RunConfig read = config_from_json(json::parse(written.dump()));
  EXPECT_EQ(to_json(read).dump(), written.dump());
  EXPECT_EQ(read.seed, 9007199254740993U);
  EXPECT_EQ(read.learning_rate, 0.1);
  EXPECT_EQ(read.model_settings, config.model_settings);
  EXPECT_EQ(read.data, config.data);
}

TEST(RunConfig, UnknownKeysNameTheNearest) {
  EXPECT_NE(usage({json{{"epoch", 3}}}).find("unknown key 'epoch'; did you mean 'epochs'?"), std::string::npos);
  EXPECT_NE(usage({json{{"schedule", {{"patiense", 3}}}}}).find("'schedule.patiense'; did you mean 'patience'?"),
            std::string::npos);
  EXPECT_NE(usage({json{{"data", {{"factor", 3}}}}}).find("unknown setting 'factor'; did you mean 'factors'?"),
            std::string::npos);
}

TEST(RunConfig, WrongTypesNameKeyAndValue) {
  EXPECT_EQ(usage({json{{"epochs", "ten"}}}), "configuration: 'epochs' is \"ten\"; it must be an integer");
  EXPECT_EQ(usage({json{{"epochs", 2.5}}}), "configuration: 'epochs' is 2.5; it must be an integer");
  EXPECT_EQ(usage({json{{"learning_rate", true}}}), "configuration: 'learning_rate' is true; it must be a number");
  EXPECT_EQ(usage({json{{"lambda", nullptr}}}), "configuration: 'lambda' is null; it must be a number");
  EXPECT_EQ(usage({json{{"model", 5}}}), "configuration: 'model' is 5; it must be a text of one line");
  EXPECT_EQ(usage({json{{"seed", -1}}}), "configuration: 'seed' is -1; it must be at least 0");
  EXPECT_EQ(usage({json{{"threads", 5000000000}}}),
            "configuration: 'threads' is 5000000000; it must be a smaller number");
  EXPECT_NE(usage({json{{"schedule", "step"}}}).find("must be an object"), std::string::npos);
  EXPECT_NE(usage({json::array()}).find("must be an object"), std::string::npos);
  EXPECT_NE(usage({json{{"model_settings", {{"factors", {1, "x"}}}}}}).find("'model_settings.factors' is [1,\"x\"]"),
            std::string::npos);
  EXPECT_NE(usage({json{{"data", {{"factors", 2.5}}}}}).find("setting 'factors' is 2.5"), std::string::npos);
  EXPECT_EQ(resolve({json{{"batch_size", 1e3}}}).batch_size, 1000);  // a whole number, however written
}

TEST(RunConfig, ValuesOutOfRange) {
  for (const auto& [key, value] : std::map<std::string, json>{{"epochs", 0},
                                                              {"batch_size", 0},
                                                              {"learning_rate", 0.0},
                                                              {"weight_decay", -1},
                                                              {"lambda", -0.1},
                                                              {"threads", -1},
                                                              {"metric_layer", -1},
                                                              {"checkpoint_seconds", -1}}) {
    EXPECT_NE(usage({json{{key, value}}}).find("'" + key + "' is "), std::string::npos) << key;
  }
  EXPECT_NE(usage({json{{"data", {{"factors", 7}}}}}).find("from 2 to 6"), std::string::npos);
  EXPECT_NE(usage({json{{"protocol", "fair"}}}).find("corrected or published"), std::string::npos);
  EXPECT_NE(usage({json{{"device", "tpu"}}}).find("choose auto, cpu, cuda or cuda:N"), std::string::npos);
  EXPECT_NE(usage({json{{"device", "cuda:99"}}}).find("GPU"), std::string::npos);
  EXPECT_NE(usage({json{{"data_on_device", "maybe"}}}).find("choose auto, always or never"), std::string::npos);
}

TEST(RunConfig, UnknownNames) {
  EXPECT_NE(usage({json{{"dataset", "syntetic"}}}).find("did you mean 'synthetic'"), std::string::npos);
  EXPECT_EQ(usage({json{{"dataset", "my/graphs.safetensors"}}}), "data set file my/graphs.safetensors does not exist");
  EXPECT_NE(usage({json{{"model", "factorgnc"}}}).find("factorgnc"), std::string::npos);
  const std::string preset = usage({json{{"preset", "publish"}}});
  EXPECT_NE(preset.find("no preset 'publish' for model factorgcn on data set synthetic"), std::string::npos) << preset;
  EXPECT_NE(preset.find("none, published"), std::string::npos) << preset;
}

TEST(RunConfig, Files) {
  const TemporaryFolder folder;
  const auto path = folder.path() / "run.json";
  std::ofstream(path) << "{\n  // a comment\n  \"epochs\": 5\n}\n";
  EXPECT_EQ(read_config_file(path), (json{{"epochs", 5}}));
  std::ofstream(path) << "{\"epochs\": 5,}";
  EXPECT_NE(message_of<UsageError>([&] { read_config_file(path); }).find("not valid JSON"), std::string::npos);
  std::ofstream(path) << "{\"epocs\": 5}";
  EXPECT_NE(message_of<UsageError>([&] { read_config_file(path); }).find(path.string() + ": unknown key 'epocs'"),
            std::string::npos);
  EXPECT_NE(message_of<Error>([&] { read_config_file(folder.path() / "none.json"); }).find("none.json"),
            std::string::npos);
}

TEST(RunConfig, ValuesFromText) {
  json layer;
  set_config_value(layer, "epochs", "5");
  set_config_value(layer, "learning_rate", "1e-3");
  set_config_value(layer, "model_settings.factors", "4,2");
  set_config_value(layer, "model_settings.batch_norm", "true");
  set_config_value(layer, "model_settings.norm", "source,");
  set_config_value(layer, "out", "");
  EXPECT_EQ(layer, (json{{"epochs", 5},
                         {"learning_rate", 1e-3},
                         {"model_settings", {{"factors", {4, 2}}, {"batch_norm", true}, {"norm", "source,"}}},
                         {"out", ""}}));
  EXPECT_THROW(set_config_value(layer, "epochs.x", "1"), UsageError);
  EXPECT_THROW(set_config_value(layer, "data.", "1"), UsageError);
  EXPECT_THROW(set_config_value(layer, "", "1"), UsageError);
}

TEST(Presets, EachRowMakesItsModel) {
  const std::map<std::string, ModelInput> inputs{
      {"synthetic", {Task::kMultiLabel, 15, 0, 4, 0, true}}, {"zinc", {Task::kRegression, 0, 28, 1, 3}},
      {"pattern", {Task::kNodeClass, 0, 3, 2, 0}},           {"mutag", {Task::kGraphClass, 0, 7, 2, 0}},
      {"imdb-b", {Task::kGraphClass, 0, 150, 2, 0}},         {"collab", {Task::kGraphClass, 0, 500, 3, 0}}};
  std::set<std::string> with_presets;
  for (const PresetEntry& entry : presets()) {
    const Settings settings = config_from_json(entry.layer({entry.dataset, 4})).model_settings;
    if (find_classic(entry.model) != nullptr) {
      continue;  // tests/classic makes those
    }
    EXPECT_NO_THROW(make_model(entry.model, inputs.at(entry.dataset), settings, 0))
        << entry.model << " on " << entry.dataset;
    with_presets.insert(entry.model);
  }
  for (const ModelEntry& model : models()) {
    EXPECT_EQ(with_presets.count(model.name) > 0, model.trained) << model.name;
  }
}

TEST(Presets, EachRowGivesAValidLayer) {
  for (const PresetEntry& entry : presets()) {
    EXPECT_NO_THROW(config_from_json(entry.layer({entry.dataset, 4}))) << entry.dataset << " " << entry.preset;
    EXPECT_FALSE(entry.summary.empty());
  }
}

}  // namespace
}  // namespace factorgcn
