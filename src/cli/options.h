// Options whose values end up as keys of a configuration layer (train/run_config.h).
//
// Texts are converted here rather than by CLI11 so that a bad number is answered with the option, the text found and
// what was expected.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace factorgcn {
struct GeneratorSetting;
}

namespace factorgcn::cli {

/// "--epochs" and "12x" -> UsageError "--epochs 12x: give a whole number, e.g. --epochs 10".
std::int64_t parse_whole(const std::string& option, const std::string& text);
double parse_number(const std::string& option, const std::string& text);

/// A set of options of one sub-command that together make a layer.
class LayerOptions {
 public:
  explicit LayerOptions(CLI::App& app) : app_(app) {}

  enum class Kind { kText, kWhole, kNumber };

  /// `key` is the configuration's, dotted for nested ones: "data.factors".
  void add(const std::string& option, const std::string& type, const std::string& key, Kind kind,
           const std::string& group, const std::string& explanation);

  /// The layer of what was given.
  nlohmann::json layer() const;

  /// The first option that was given, other than those listed; empty where there is none.
  std::string given_beside(const std::vector<std::string>& allowed) const;

  /// " --epochs 20 --set hidden=64 --quiet": all that was given to the sub-command, also what is not in the layer, as
  /// it can be typed again; without the options named.
  std::string typed_again(const std::vector<std::string>& without) const;

 private:
  struct Entry {
    std::string option, key;
    Kind kind;
    CLI::Option* parsed;
  };
  CLI::App& app_;
  std::vector<Entry> entries_;
};

/// The option of a generator's setting: --factors, --train-size.
std::string generator_flag(const GeneratorSetting& setting);

/// What may be chosen about generated data but its seed, shared by train, data make and data info.
void add_data_options(LayerOptions& options, const std::string& group);

/// Which fold of a data set without a given split, shared by train and data info.
void add_fold_options(LayerOptions& options, const std::string& group);

}  // namespace factorgcn::cli
