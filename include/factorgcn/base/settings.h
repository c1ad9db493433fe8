// Named settings of a model or a data set: what a config file or a flag gives, before anyone knows what it means.
//
// A reader takes each setting by name and type; what nobody took is an error that names the nearest known setting, so a
// misspelt option is never silently ignored.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

using SettingValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;
using Settings = std::map<std::string, SettingValue>;

/// Reads settings and remembers which were asked for.
class FACTORGCN_API SettingsReader {
 public:
  /// `owner` is named in errors, e.g. "model factorgcn".
  SettingsReader(const Settings& settings, std::string owner);

  bool boolean(const std::string& name, bool fallback);
  std::int64_t integer(const std::string& name, std::int64_t fallback, std::int64_t least, std::int64_t most);
  double number(const std::string& name, double fallback, double least, double most);
  std::string text(const std::string& name, const std::string& fallback);
  std::vector<std::int64_t> integers(const std::string& name, const std::vector<std::int64_t>& fallback);

  /// Throws UsageError for the first setting that was given but never asked for.
  void finish() const;

 private:
  const SettingValue* find(const std::string& name);

  const Settings& settings_;
  std::string owner_;
  std::set<std::string> known_;
};

/// The candidate with the fewest edits to `word`, or empty where none is near.
FACTORGCN_API std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace factorgcn
