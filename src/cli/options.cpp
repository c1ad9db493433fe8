// Options as a configuration layer. Values are read back from CLI11 as text when the layer is asked for.
#include "cli/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/output.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/registry.h"

namespace factorgcn::cli {
namespace {

template <class Value>
bool parse_all(const std::string& text, Value& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
}

/// One setting of generated data, whichever data sets have it.
struct SharedSetting {
  GeneratorSetting setting;    ///< of the first that has it
  std::string owners;          ///< "synthetic, pattern"
  std::string other_defaults;  ///< "; pattern: 10000"
  int count = 0;
  bool everywhere = false;
};

std::string usual_text(const GeneratorSetting& setting) {
  return setting.real ? fmt::format("{}", setting.real->usual) : fmt::format("{}", setting.usual);
}

/// In the order of the registry. The seed is left out: each command has its own word on it.
std::vector<SharedSetting> shared_settings() {
  std::vector<SharedSetting> list;
  int generated = 0;
  for (const DatasetEntry& entry : dataset_registry()) {
    generated += entry.is_generated() ? 1 : 0;
    for (const GeneratorSetting& setting : entry.settings) {
      if (setting.name == "seed") {
        continue;
      }
      auto known = std::find_if(list.begin(), list.end(),
                                [&](const SharedSetting& other) { return other.setting.name == setting.name; });
      if (known == list.end()) {
        known = list.insert(list.end(), {setting, "", "", 0, false});
      }
      known->owners += (known->owners.empty() ? "" : ", ") + entry.name;
      if (usual_text(setting) != usual_text(known->setting)) {
        known->other_defaults += fmt::format("; {}: {}", entry.name, usual_text(setting));
      }
      ++known->count;
    }
  }
  for (SharedSetting& shared : list) {
    shared.everywhere = shared.count == generated;
  }
  return list;
}

}  // namespace

std::int64_t parse_whole(const std::string& option, const std::string& text) {
  std::int64_t value = 0;
  require_usage(parse_all(text, value), option, " '", text, "': give a whole number, e.g. ", option, " 10");
  return value;
}

double parse_number(const std::string& option, const std::string& text) {
  double value = 0;
  require_usage(parse_all(text, value) && std::isfinite(value), option, " '", text, "': give a number, e.g. ", option,
                " 0.5");
  return value;
}

void LayerOptions::add(const std::string& option, const std::string& type, const std::string& key, Kind kind,
                       const std::string& group, const std::string& explanation) {
  // An empty callback: the text stays with CLI11 until layer() fetches it.
  CLI::Option* parsed = app_.add_option(
      option, [](const CLI::results_t&) { return true; }, explanation);
  parsed->type_name(type)->group(group)->expected(1)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  entries_.push_back({option, key, kind, parsed});
}

nlohmann::json LayerOptions::layer() const {
  nlohmann::json layer = nlohmann::json::object();
  for (const auto& entry : entries_) {
    if (entry.parsed->count() == 0) {
      continue;
    }
    const std::string& text = entry.parsed->results().back();
    nlohmann::json* place = &layer;
    std::string key = entry.key;
    for (std::size_t dot; (dot = key.find('.')) != std::string::npos; key = key.substr(dot + 1)) {
      place = &(*place)[key.substr(0, dot)];
    }
    switch (entry.kind) {
      case Kind::kText:
        (*place)[key] = text;
        break;
      case Kind::kWhole:
        (*place)[key] = parse_whole(entry.option, text);
        break;
      case Kind::kNumber:
        (*place)[key] = parse_number(entry.option, text);
        break;
    }
  }
  return layer;
}

std::string LayerOptions::given_beside(const std::vector<std::string>& allowed) const {
  for (const auto& entry : entries_) {
    const bool listed = std::find(allowed.begin(), allowed.end(), entry.option) != allowed.end();
    if (entry.parsed->count() > 0 && !listed) {
      return entry.option;
    }
  }
  return "";
}

std::string LayerOptions::typed_again(const std::vector<std::string>& without) const {
  std::string text;
  for (const CLI::Option* option : app_.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || !name.starts_with("-") ||
        std::find(without.begin(), without.end(), name) != without.end()) {
      continue;
    }
    if (option->get_items_expected_max() == 0) {  // a flag
      text += " " + name;
      continue;
    }
    for (const std::string& value : option->results()) {
      text += " " + name + " " + shell_word(value);
    }
  }
  return text;
}

std::string generator_flag(const GeneratorSetting& setting) {
  const bool part = setting.name == "train" || setting.name == "validation" || setting.name == "test";
  std::string flag = "--" + setting.name + (part ? "-size" : "");
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

void add_data_options(LayerOptions& options, const std::string& group) {
  for (const SharedSetting& shared : shared_settings()) {
    const GeneratorSetting& setting = shared.setting;
    options.add(generator_flag(setting), setting.real ? "X" : "N", "data." + setting.name,
                setting.real ? LayerOptions::Kind::kNumber : LayerOptions::Kind::kWhole, group,
                fmt::format("{}: {} (default: {}{})", shared.everywhere ? "generated data" : shared.owners,
                            setting.help, usual_text(setting), shared.other_defaults));
  }
}

void add_fold_options(LayerOptions& options, const std::string& group) {
  using Kind = LayerOptions::Kind;
  options.add("--fold", "N", "data.fold", Kind::kWhole, group,
              "classes of graphs: the fold to test on, from 1; the others train (default: 1)");
  options.add("--fold-kind", "NAME", "data.fold_kind", Kind::kText, group,
              "published: the ten folds of the literature; stratified: drawn with equal shares of each class (default: "
              "published where there are any)");
  options.add("--fold-count", "N", "data.folds", Kind::kWhole, group, "stratified: how many folds (default: 10)");
}

}  // namespace factorgcn::cli
