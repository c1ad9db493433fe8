// Flags to layers. Adding an option that is a key of the configuration is one line here, and every command that trains
// has it.
#include "cli/run_settings.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/data_settings.h"
#include "factorgcn/base/error.h"
#include "factorgcn/train/presets.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn::cli {
namespace {

/// What the published preset says, for help texts: " (published: 80)".
std::string published(const char* key) {
  const auto layer = preset_layer({"synthetic", 4}, "factorgcn", "published");
  return layer.contains(key) ? fmt::format(" (published, synthetic: {})", layer.at(key).dump()) : "";
}

}  // namespace

std::vector<nlohmann::json> RunSettings::layers() const {
  std::vector<nlohmann::json> layers;
  if (!config.empty()) {
    require_usage(std::filesystem::exists(config), "--config ", config, ": there is no such file");
    layers.push_back(read_config_file(config));
    // A former run's config.json describes a run well, but not where the next one goes.
    if (std::filesystem::path(config).filename() == "config.json") {
      layers.back().erase("out");
    }
  }
  nlohmann::json given = options.layer();
  if (score_test) {
    given["score_test"] = true;
  }
  if (edge_weights) {
    given["model_settings"]["edge_weights"] = true;
  }
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    require_usage(equals != std::string::npos && equals > 0, "--set '", setting,
                  "': write NAME=VALUE, e.g. --set hidden=64");
    const std::string name = setting.substr(0, equals);
    const bool dotted = name.find('.') != std::string::npos;
    set_config_value(given, dotted ? name : "model_settings." + name, setting.substr(equals + 1));
  }
  if (given.contains("dataset")) {
    check_data_path(given.at("dataset").get<std::string>());
  }
  layers.push_back(given);
  return layers;
}

void add_run_settings(CLI::App& app, RunSettings& settings) {
  using Kind = LayerOptions::Kind;
  LayerOptions& options = settings.options;

  const char* data = "Data";
  options.add("--dataset", "NAME|FILE", "dataset", Kind::kText, data,
              "one of `factorgcn data list`, a file made by `factorgcn data make` or `data import`, or a folder or zip "
              "archive in the layout of the TU collection (default: synthetic)");
  add_data_options(options, data);
  add_fold_options(options, data);

  const char* model = "Model";
  options.add("--model", "NAME", "model", Kind::kText, model, "one of `factorgcn models` (default: factorgcn)");
  options.add("--preset", "NAME", "preset", Kind::kText, model,
              "published: the paper's sizes and rates for this data set and model; default: sensible ones for data of "
              "your own; none: nothing beyond the options' defaults (default: published where there is one)");
  app.add_option(
         "--set", settings.settings,
         "a model setting, e.g. hidden=64, factors=8,4 or gate_scale=1; may be repeated. A dotted name reaches any "
         "key of config.json, e.g. schedule.kind=step")
      ->type_name("NAME=VALUE")
      ->group(model)
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);

  options.add("--scale", "NAME", "model_settings.scale", Kind::kText, model,
              "of feature values: rows (each node's add up to 1), standard (each column has mean 0 and deviation 1 in "
              "the training part) or none (default: by the preset)");
  app.add_flag("--edge-weights", settings.edge_weights, "the layers use the weights of edges, where the data have them")
      ->group(model);

  const char* training = "Training";
  options.add("--seed", "N", "seed", Kind::kWhole, training,
              "of everything random: data, first weights, order of the graphs (default: 0)");
  options.add("--epochs", "N", "epochs", Kind::kWhole, training,
              "passes over the training graphs" + published("epochs"));
  options.add("--batch-size", "N", "batch_size", Kind::kWhole, training, "graphs per step" + published("batch_size"));
  options.add("--shards", "N", "shards", Kind::kWhole, training,
              "cut each batch into N pieces that processes started by torchrun share; the result depends on N, not on "
              "the number of processes (default: 1)");
  options.add("--learning-rate", "X", "learning_rate", Kind::kNumber, training,
              "step size of Adam" + published("learning_rate"));
  options.add("--weight-decay", "X", "weight_decay", Kind::kNumber, training,
              "pull of the weights towards 0" + published("weight_decay"));
  options.add("--lambda", "X", "lambda", Kind::kNumber, training,
              "weight of the discriminator, which keeps the factor graphs different" + published("lambda"));
  options.add("--clip-norm", "X", "clip_norm", Kind::kNumber, training,
              "scale gradients down to this norm where theirs is larger; 0: never (default: by the preset)");
  options.add("--starts", "N", "starts", Kind::kWhole, training,
              "begin from N initial weights and go on with the one that does best on the validation part (default: by "
              "the preset)");
  options.add("--start-epochs", "N", "start_epochs", Kind::kWhole, training,
              "epochs that each start is given before they are compared (default: by the preset)");
  options.add("--patience", "N", "patience", Kind::kWhole, training,
              "stop after N epochs without a better validation result; 0: run all epochs (default: by the preset)");
  options.add("--class-weights", "NAME", "class_weights", Kind::kText, training,
              "balanced: rare classes count as much as common ones; none: every sample alike; task: as the task "
              "usually has it (default: by the preset)");
  options.add(
      "--protocol", "NAME", "protocol", Kind::kText, training,
      "corrected: scores on test graphs; published: with the published evaluation's slips (default: corrected)");

  const char* run = "The run";
  options.add("--out", "FOLDER", "out", Kind::kText, run,
              "run directory (default: runs/DATASET-MODEL-seedN, or the next free name)");
  app.add_option("--config", settings.config, "settings from a JSON file, such as another run's config.json")
      ->type_name("FILE")
      ->group(run);
  options.add("--checkpoint-seconds", "X", "checkpoint_seconds", Kind::kNumber, run,
              "save at least this often; 0: after every batch (default: 5)");
  options.add("--threads", "N", "threads", Kind::kWhole, run,
              "0: all cores; the result does not depend on it (default: 0)");
  options.add("--device", "NAME", "device", Kind::kText, run,
              "auto: a GPU where there is one, else the CPU; cpu; cuda; cuda:N (default: auto)");
  options.add("--data-on-device", "NAME", "data_on_device", Kind::kText, run,
              "on a GPU, keep the data set in its memory: auto (where it takes no more than half of what is free), "
              "always, or never, which sends batch after batch; the result does not depend on it (default: auto)");
  app.add_flag("--score-test-each-epoch", settings.score_test,
               "score the test graphs too after each epoch, for history.jsonl; they choose nothing")
      ->group(run);
}

}  // namespace factorgcn::cli
