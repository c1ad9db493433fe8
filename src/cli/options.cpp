// Options as a configuration layer. Values are read back from CLI11 as text when the layer is asked for.
#include "cli/options.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn::cli {
namespace {

template <class Value>
bool parse_all(const std::string& text, Value& value) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stopped == end;
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

void add_data_options(LayerOptions& options, const std::string& group) {
  using Kind = LayerOptions::Kind;
  options.add("--factors", "N", "data.factors", Kind::kWhole, group,
              "synthetic: how many predefined graphs there are, 2 to 6 (default: 4)");
  options.add("--train-size", "N", "data.train", Kind::kWhole, group,
              "generated data: graphs to train on (default: 14000; pattern: 10000)");
  options.add("--validation-size", "N", "data.validation", Kind::kWhole, group,
              "generated data: graphs to choose the best model on (default: 2000)");
  options.add("--test-size", "N", "data.test", Kind::kWhole, group,
              "generated data: graphs to report on (default: 4000; pattern: 2000)");
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
