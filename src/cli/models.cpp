// `factorgcn models`: what can be trained, how large it is on each data set, and the presets for it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/data/zinc.h"
#include "factorgcn/nn/models_in_parts.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/model_settings.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/presets.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn::cli {
namespace {

std::string tasks_of(const ModelListing& model) {
  std::string names;
  for (const Task task : model.tasks) {
    names += (names.empty() ? "" : ", ") + std::string(task_name(task));
  }
  return names;
}

/// What the paper's data sets ask of a model, so that sizes can be shown without reading them.
struct KnownInput {
  const char* dataset;
  std::int64_t relation_types;
  ModelInput input;
};

const std::array<KnownInput, 6>& known_inputs() {
  static const std::array<KnownInput, 6> table{
      {{"synthetic", 4, {Task::kMultiLabel, 15, 0, 4, 0, /*edge_weights=*/true}},
       {"zinc", 3, {Task::kRegression, 0, kZincAtomTypes, 1, 3}},
       {"pattern", 0, {Task::kNodeClass, 0, 3, 2, 0}},
       {"mutag", 4, {Task::kGraphClass, 0, 7, 2, 0}},
       {"imdb-b", 0, {Task::kGraphClass, 0, 150, 2, 0}},
       {"collab", 0, {Task::kGraphClass, 0, 500, 3, 0}}}};
  return table;
}

KnownInput describe(const std::string& dataset) {
  for (const KnownInput& known : known_inputs()) {
    if (dataset == known.dataset) {
      return known;
    }
  }
  const Dataset opened = open_dataset(dataset, {});
  return {dataset.c_str(), opened.truth.num_types(), model_input(opened)};
}

/// Learnt values of the model with its usual preset on that data; nothing where there is nothing to learn.
std::optional<std::int64_t> size_on(const ModelEntry& model, const KnownInput& data) {
  if (!model.trained || !misfit(model, data.input).empty()) {
    return std::nullopt;
  }
  const nlohmann::json layer = preset_layer({data.dataset, data.relation_types, data.input.task}, model.name,
                                            usual_preset(data.dataset, model.name));
  return count_parameters(*make_model(model.name, data.input, config_from_json(layer).model_settings, 0));
}

/// The network of that name; null for models that are fitted otherwise.
const ModelEntry* network_named(const std::string& name) {
  const auto found =
      std::find_if(models().begin(), models().end(), [&](const ModelEntry& entry) { return entry.name == name; });
  return found == models().end() ? nullptr : &*found;
}

/// Why a model that is no network cannot serve a task; empty where it can.
std::string task_misfit(const ModelListing& model, Task task) {
  const bool fits = std::find(model.tasks.begin(), model.tasks.end(), task) != model.tasks.end();
  return fits ? "" : "it serves tasks of kind " + tasks_of(model);
}

nlohmann::ordered_json as_json() {
  auto list = nlohmann::ordered_json::array();
  for (const auto& model : all_models()) {
    nlohmann::ordered_json entry{{"name", model.name}, {"summary", model.summary}, {"paper", model.paper}};
    entry["tasks"] = nlohmann::json::array();
    for (const Task task : model.tasks) {
      entry["tasks"].push_back(task_name(task));
    }
    entry["presets"] = nlohmann::json::array();
    for (const auto& preset : presets()) {
      if (preset.model == model.name) {
        entry["presets"].push_back(
            {{"dataset", preset.dataset}, {"preset", preset.preset}, {"summary", preset.summary}});
      }
    }
    entry["parameters"] = nlohmann::json::object();
    const ModelEntry* const network = network_named(model.name);
    for (const KnownInput& known : known_inputs()) {
      if (const auto size = network == nullptr ? std::nullopt : size_on(*network, known)) {
        entry["parameters"][known.dataset] = *size;
      }
    }
    list.push_back(entry);
  }
  return list;
}

/// What fits one data set, and how large it is there.
int list_models_for(const std::string& dataset) {
  const KnownInput data = describe(dataset);
  Table table({{"model"}, {"parameters", Align::kRight}, {"preset"}, {"what it does"}});
  for (const auto& model : all_models()) {
    const ModelEntry* const network = network_named(model.name);
    const std::string reason = network != nullptr ? misfit(*network, data.input) : task_misfit(model, data.input.task);
    const auto size = network != nullptr ? size_on(*network, data) : std::nullopt;
    const bool trained = network == nullptr || network->trained;
    table.add_row({model.name, size ? std::to_string(*size) : "-",
                   trained && reason.empty() ? usual_preset(data.dataset, model.name) : "-",
                   reason.empty() ? model.summary : "does not fit: " + reason});
  }
  print(fmt::format("Models for {} (task: {}):\n\n", dataset, task_name(data.input.task)));
  print(table.to_text(describe_terminal(STDOUT_FILENO).utf8));
  return kSuccess;
}

/// Everything one model knows.
int describe_model(const std::string& name, bool json) {
  const std::vector<SettingFact> facts = model_settings(name);
  if (json) {
    auto list = nlohmann::ordered_json::array();
    for (const SettingFact& fact : facts) {
      list.push_back({{"name", fact.name}, {"usual", fact.usual}, {"range", fact.range}, {"what", fact.what}});
    }
    print(list.dump(2) + "\n");
    return kSuccess;
  }
  for (const ModelListing& model : all_models()) {
    if (model.name == name) {
      print(fmt::format("{}: {}\nfrom: {}\ntasks: {}\n\n", model.name, model.summary, model.paper, tasks_of(model)));
    }
  }
  Table table({{"--set"}, {"usual", Align::kRight}, {"range"}, {"what it does"}});
  for (const SettingFact& fact : facts) {
    table.add_row({fact.name, fact.usual, fact.range.empty() ? "-" : fact.range, fact.what.empty() ? "-" : fact.what});
  }
  print(table.to_text(describe_terminal(STDOUT_FILENO).utf8));
  print(
      "\nPresets set some of these otherwise; a run's config.json has what it used. How a model is trained (epochs,\n"
      "--learning-rate, --weight-decay, --patience, --class-weights ...) is told by `factorgcn train --help`.\n");
  return kSuccess;
}

int list_models(bool json, const std::string& dataset) {
  if (!dataset.empty()) {
    return list_models_for(dataset);
  }
  if (json) {
    print(as_json().dump(2) + "\n");
    return kSuccess;
  }
  const bool utf8 = describe_terminal(STDOUT_FILENO).utf8;
  print("Models (--model NAME):\n\n");
  for (const auto& model : all_models()) {
    print("  " + model.name + "\n      " + model.summary + "\n      from: " + model.paper +
          "\n      tasks: " + tasks_of(model) + "\n");
  }
  print("\n" + wrap_text("On one graph in parts (docs/machines.md): " + names_of_models_in_parts(), 80) + "\n");
  print("\nLearnt values with the preset of each data set:\n\n");
  std::vector<Table::Column> columns{{"model"}};
  for (const KnownInput& known : known_inputs()) {
    columns.push_back({known.dataset, Align::kRight});
  }
  Table sizes(columns);
  for (const auto& model : models()) {
    std::vector<std::string> cells{model.name};
    for (const KnownInput& known : known_inputs()) {
      const auto size = size_on(model, known);
      cells.push_back(size ? std::to_string(*size) : "-");
    }
    sizes.add_row(cells);
  }
  print(sizes.to_text(utf8));
  print("\nPresets (--preset NAME):\n\n");
  Table table({{"preset"}, {"data set"}, {"models"}, {"what it is"}});
  std::map<std::pair<std::string, std::string>, std::string> users;  // of one data set's preset of one kind
  for (const auto& preset : presets()) {
    std::string& names = users[{preset.dataset, preset.summary}];
    names += (names.empty() ? "" : " ") + preset.model;
  }
  for (const auto& preset : presets()) {
    const auto user = users.find({preset.dataset, preset.summary});
    if (user != users.end()) {
      const bool others = user->second.find(' ') != std::string::npos;
      table.add_row({preset.preset, preset.dataset, others ? "the others" : user->second, preset.summary});
      users.erase(user);
    }
  }
  print(table.to_text(utf8));
  print("\n`factorgcn models --dataset NAME` tells which of them fit one data set, and why others do not.\n");
  return kSuccess;
}

}  // namespace

void add_models(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("models", "list the models that can be trained, and the presets for them");
  auto json = std::make_shared<bool>(false);
  auto dataset = std::make_shared<std::string>();
  auto name = std::make_shared<std::string>();
  app.add_option("MODEL", *name, "one model: all of its settings, what they are otherwise, and their ranges");
  app.add_flag("--json", *json, "print JSON instead of text");
  app.add_option("--dataset", *dataset, "the models for one data set: a name of `factorgcn data list` or a file")
      ->type_name("NAME|FILE");
  app.set_help_flag("-h,--help", "show this help");
  app.footer("Examples:\n  factorgcn models\n  factorgcn models gcn\n  factorgcn models --dataset zinc");
  app.callback([=, &program] {
    program.action = [=] {
      require_usage(name->empty() || dataset->empty(), "a model's name and --dataset exclude each other");
      return name->empty() ? list_models(*json, *dataset) : describe_model(*name, *json);
    };
  });
}

}  // namespace factorgcn::cli
