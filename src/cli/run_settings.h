// What decides a run, as flags: shared by the commands that train.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/options.h"

namespace factorgcn::cli {

struct RunSettings {
  explicit RunSettings(CLI::App& app) : options(app) {}

  LayerOptions options;
  std::string config;                 ///< --config
  std::vector<std::string> settings;  ///< --set
  bool score_test = false;            ///< --score-test-each-epoch
  bool edge_weights = false;          ///< --edge-weights

  /// Layers of configuration: the config file's, where there is one, then that of the flags.
  std::vector<nlohmann::json> layers() const;
};

/// Adds the options of data, model, training and of the run itself.
void add_run_settings(CLI::App& app, RunSettings& settings);

}  // namespace factorgcn::cli
