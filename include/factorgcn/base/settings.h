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

/// What a reader knows of a setting it has asked for, for people.
struct FACTORGCN_API SettingFact {
  std::string name;
  std::string usual;  ///< what applies where nothing is given
  std::string range;  ///< "1 to 1024", "true or false"; empty where there is nothing to say
  std::string what;   ///< what it does, one line
};

/// Reads settings and remembers which were asked for. `what` says in a line what a setting does.
class FACTORGCN_API SettingsReader {
 public:
  /// `owner` is named in errors, e.g. "model factorgcn".
  SettingsReader(const Settings& settings, std::string owner);

  bool boolean(const std::string& name, bool fallback, const std::string& what = "");
  std::int64_t integer(const std::string& name, std::int64_t fallback, std::int64_t least, std::int64_t most,
                       const std::string& what = "");
  double number(const std::string& name, double fallback, double least, double most, const std::string& what = "");
  std::string text(const std::string& name, const std::string& fallback, const std::string& what = "");
  std::vector<std::int64_t> integers(const std::string& name, const std::vector<std::int64_t>& fallback,
                                     const std::string& what = "");

  /// Says that a setting decides nothing here, whatever it is: "the activation is relu".
  void idle(const std::string& name, const std::string& because) { idle_[name] = because; }

  /// Throws UsageError for the first setting that was given but never asked for; one that is known to be idle is
  /// refused with the reason. Tells the SettingsRecorder there is, if any.
  void finish() const;

 private:
  const SettingValue* find(const std::string& name);
  void note(const std::string& name, const std::string& usual, const std::string& range, const std::string& what);

  const Settings& settings_;
  std::string owner_;
  std::set<std::string> known_;
  std::vector<SettingFact> facts_;
  std::map<std::string, std::string> idle_;
};

/// While one lives, it hears from every reader that finishes on this thread: how the settings of a model are listed,
/// and how one that has no effect is noticed. They may be nested; the innermost hears.
class FACTORGCN_API SettingsRecorder {
 public:
  SettingsRecorder();
  ~SettingsRecorder();
  SettingsRecorder(const SettingsRecorder&) = delete;
  SettingsRecorder& operator=(const SettingsRecorder&) = delete;

  std::vector<SettingFact> facts;
  std::map<std::string, std::string> idle;  ///< settings that decide nothing, and why

 private:
  SettingsRecorder* outer_;
};

/// The candidate with the fewest edits to `word`, or empty where none is near.
FACTORGCN_API std::string nearest_name(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace factorgcn
