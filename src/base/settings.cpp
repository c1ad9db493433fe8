// Typed access to named settings, with errors that name the owner, the setting and what was found.
#include "factorgcn/base/settings.h"

#include <span>
#include <string_view>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"

namespace factorgcn {
namespace {

std::string printed(bool value) { return value ? "true" : "false"; }
std::string printed(std::int64_t value) { return std::to_string(value); }
std::string printed(double value) { return concat(value); }
std::string printed(const std::string& value) { return "'" + value + "'"; }
std::string printed(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (std::size_t index = 0; index < values.size(); ++index) {
    text += (index == 0 ? "" : ", ") + std::to_string(values[index]);
  }
  return text + "]";
}

[[noreturn]] void wrong(const std::string& owner, const std::string& name, const SettingValue& value,
                        const std::string& expected) {
  const std::string found = std::visit([](const auto& held) { return printed(held); }, value);
  throw UsageError(concat(owner, ": setting '", name, "' is ", found, "; it must be ", expected));
}

thread_local SettingsRecorder* active_recorder = nullptr;

std::vector<std::string_view> views(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

}  // namespace

SettingsReader::SettingsReader(const Settings& settings, std::string owner)
    : settings_(settings), owner_(std::move(owner)) {}

void SettingsReader::note(const std::string& name, const std::string& usual, const std::string& range,
                          const std::string& what) {
  facts_.push_back({name, usual, range, what});
}

const SettingValue* SettingsReader::find(const std::string& name) {
  known_.insert(name);
  const auto found = settings_.find(name);
  return found == settings_.end() ? nullptr : &found->second;
}

bool SettingsReader::boolean(const std::string& name, bool fallback, const std::string& what) {
  note(name, printed(fallback), "true or false", what);
  const SettingValue* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  if (const auto* held = std::get_if<bool>(value)) {
    return *held;
  }
  wrong(owner_, name, *value, "true or false");
}

std::int64_t SettingsReader::integer(const std::string& name, std::int64_t fallback, std::int64_t least,
                                     std::int64_t most, const std::string& what) {
  note(name, printed(fallback), concat(least, " to ", most), what);
  const SettingValue* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  const auto* held = std::get_if<std::int64_t>(value);
  if (held == nullptr || *held < least || *held > most) {
    wrong(owner_, name, *value, concat("an integer from ", least, " to ", most));
  }
  return *held;
}

double SettingsReader::number(const std::string& name, double fallback, double least, double most,
                              const std::string& what) {
  note(name, printed(fallback), concat(least, " to ", most), what);
  const SettingValue* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  // A whole number is a number too: {"dropout": 0}.
  double number = 0;
  if (const auto* held = std::get_if<double>(value)) {
    number = *held;
  } else if (const auto* whole = std::get_if<std::int64_t>(value)) {
    number = static_cast<double>(*whole);
  } else {
    wrong(owner_, name, *value, concat("a number from ", least, " to ", most));
  }
  if (!(number >= least && number <= most)) {  // NaN fails both
    wrong(owner_, name, *value, concat("a number from ", least, " to ", most));
  }
  return number;
}

std::string SettingsReader::text(const std::string& name, const std::string& fallback, const std::string& what) {
  note(name, fallback, "", what);
  const SettingValue* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  if (const auto* held = std::get_if<std::string>(value)) {
    return *held;
  }
  wrong(owner_, name, *value, "a text");
}

std::vector<std::int64_t> SettingsReader::integers(const std::string& name, const std::vector<std::int64_t>& fallback,
                                                   const std::string& what) {
  const std::string usual = printed(fallback);
  note(name, usual.substr(1, usual.size() - 2), "a list", what);
  const SettingValue* value = find(name);
  if (value == nullptr) {
    return fallback;
  }
  if (const auto* held = std::get_if<std::vector<std::int64_t>>(value)) {
    return *held;
  }
  // A list of one is easily written without its brackets.
  if (const auto* held = std::get_if<std::int64_t>(value)) {
    return {*held};
  }
  wrong(owner_, name, *value, "a list of integers");
}

void SettingsReader::finish() const {
  if (active_recorder != nullptr) {
    active_recorder->facts.insert(active_recorder->facts.end(), facts_.begin(), facts_.end());
    active_recorder->idle.insert(idle_.begin(), idle_.end());
  }
  for (const auto& [name, value] : settings_) {
    if (!known_.contains(name)) {
      const auto reason = idle_.find(name);
      require_usage(reason == idle_.end(), owner_, ": setting '", name,
                    "' has no effect: ", reason == idle_.end() ? "" : reason->second);
      const std::vector<std::string> known(known_.begin(), known_.end());
      const std::string hint = known.empty() ? "; it has no settings" : known_names_hint(name, views(known));
      throw UsageError(concat(owner_, ": unknown setting '", name, "'", hint));
    }
  }
}

SettingsRecorder::SettingsRecorder() : outer_(active_recorder) { active_recorder = this; }
SettingsRecorder::~SettingsRecorder() { active_recorder = outer_; }

std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates) {
  return nearest_name(std::string_view(word), std::span<const std::string_view>(views(candidates)));
}

}  // namespace factorgcn
