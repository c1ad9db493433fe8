// A model is built once more, with a recorder listening: it is small, and what decides nothing follows from building
// it.
#include "factorgcn/train/idle_settings.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/train/model_table.h"

namespace factorgcn {
namespace {

using nlohmann::json;

bool has_regulariser(const RunConfig& config) {
  for (const ModelEntry& entry : models()) {
    if (entry.name == config.model) {
      const auto setting = config.model_settings.find("discriminator");
      const bool* const judged = setting == config.model_settings.end() ? nullptr : std::get_if<bool>(&setting->second);
      return entry.regularised && (judged == nullptr || *judged);
    }
  }
  return true;  // not a network of this table: nothing is known
}

void refuse_idle_key(const json& given, const char* key, bool idle, const std::string& because) {
  require_usage(!idle || !given.contains(key), "'", key, "' has no effect: ", because);
}

void refuse_idle_schedule(const json& given, const std::string& kind) {
  if (!given.contains("schedule")) {
    return;
  }
  const json& schedule = given.at("schedule");
  const std::string because = "schedule.kind is " + kind;
  const std::map<std::string, std::set<std::string>> used{{"none", {}},
                                                          {"plateau", {"factor", "patience", "floor"}},
                                                          {"step", {"factor", "every", "floor"}},
                                                          {"one_cycle", {"floor", "warmup"}}};
  for (const char* key : {"factor", "patience", "every", "floor", "warmup"}) {
    const bool idle = !used.at(kind).contains(key);
    require_usage(!idle || !schedule.contains(key), "'schedule.", key, "' has no effect: ", because);
  }
}

}  // namespace

void refuse_idle_settings(const json& given, const RunConfig& config, const OpenedData& data) {
  refuse_idle_schedule(given, config.schedule.kind);
  refuse_idle_key(given, "lambda", !has_regulariser(config),
                  concat("model ", config.model, " has no regulariser here that it would be the weight of"));
  refuse_idle_key(given, "start_epochs", config.starts == 1, "there is one start, which takes all epochs");
  const bool network = !is_kernel_machine(config.model);
  const std::string fitted = concat("model ", config.model, " is fitted, not trained");
  for (const char* key : {"epochs", "batch_size", "shards", "learning_rate", "weight_decay", "clip_norm", "patience",
                          "starts", "start_epochs", "class_weights"}) {
    refuse_idle_key(given, key, !network, fitted);
  }
  if (!network || !given.contains("model_settings") || given.at("model_settings").empty()) {
    return;
  }
  SettingsRecorder recorder;
  if (is_parts_folder(config.dataset)) {
    build_network(config, read_manifest(config.dataset));
  } else {
    build_network(config, *open_run_data(config, data));
  }
  for (const auto& [name, reason] : recorder.idle) {
    require_usage(!given.at("model_settings").contains(name), "model ", config.model, ": setting '", name,
                  "' has no effect: ", reason);
  }
}

}  // namespace factorgcn
