// `factorgcn models`: what can be trained, and the presets for it.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/output.h"
#include "factorgcn/report/table.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/presets.h"

namespace factorgcn::cli {
namespace {

std::string tasks_of(const ModelListing& model) {
  std::string names;
  for (const Task task : model.tasks) {
    names += (names.empty() ? "" : ", ") + std::string(task_name(task));
  }
  return names;
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
    list.push_back(entry);
  }
  return list;
}

int list_models(bool json) {
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
  print("\nPresets (--preset NAME):\n\n");
  Table table({{"preset"}, {"data set"}, {"model"}, {"what it is"}});
  for (const auto& preset : presets()) {
    table.add_row({preset.preset, preset.dataset, preset.model, preset.summary});
  }
  print(table.to_text(utf8));
  return kSuccess;
}

}  // namespace

void add_models(CLI::App& parent, Program& program) {
  CLI::App& app = *parent.add_subcommand("models", "list the models that can be trained, and the presets for them");
  auto json = std::make_shared<bool>(false);
  app.add_flag("--json", *json, "print JSON instead of text");
  app.set_help_flag("-h,--help", "show this help");
  app.footer("Example:\n  factorgcn models");
  app.callback([json, &program] { program.action = [json] { return list_models(*json); }; });
}

}  // namespace factorgcn::cli
