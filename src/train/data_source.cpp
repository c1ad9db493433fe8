// From a name and settings to data. Settings are checked before anything is generated.
#include "factorgcn/train/data_source.h"

#include <filesystem>
#include <limits>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/io/dataset_file.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostGraphs = std::int64_t{1} << 31;

bool is_registered(const std::string& name) {
  for (const DatasetEntry& entry : dataset_registry()) {
    if (entry.name == name) {
      return true;
    }
  }
  return false;
}

/// A name nobody registered: a slip in a name, or a path where nothing is.
void check_name(const std::string& name) {
  const bool is_path = std::filesystem::path(name).has_parent_path() || std::filesystem::path(name).has_extension();
  require_usage(is_registered(name) || !is_path, "data set file ", name, " does not exist");
  find_dataset(name);
}

}  // namespace

bool is_dataset_path(const std::string& name_or_path) {
  return !is_registered(name_or_path) && std::filesystem::exists(name_or_path);
}

DatasetOptions dataset_options(const std::string& name, const Settings& settings) {
  DatasetOptions options;
  SettingsReader reader(settings, "data set " + name);
  const auto size = [&](const char* key, std::optional<std::int64_t>& value, std::int64_t fallback) {
    value = reader.integer(key, fallback, 0, kMostGraphs);
  };
  const SyntheticOptions synthetic;
  options.factors = static_cast<int>(reader.integer("factors", synthetic.factors, 2, 6));
  size("train", options.train, synthetic.train);
  size("validation", options.validation, synthetic.validation);
  size("test", options.test, synthetic.test);
  options.seed = static_cast<std::uint64_t>(reader.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
  reader.finish();
  return options;
}

DataDescription describe_data(const std::string& name_or_path, const Settings& given) {
  if (is_dataset_path(name_or_path)) {
    const Dataset dataset = open_dataset(name_or_path, given);
    return {dataset.name, {}, dataset.truth.num_types()};
  }
  check_name(name_or_path);
  const DatasetOptions options = dataset_options(name_or_path, given);
  DataDescription description{name_or_path, {}, options.factors};
  description.settings["factors"] = static_cast<std::int64_t>(options.factors);
  description.settings["train"] = *options.train;
  description.settings["validation"] = *options.validation;
  description.settings["test"] = *options.test;
  description.settings["seed"] = static_cast<std::int64_t>(options.seed);
  return description;
}

Dataset open_dataset(const std::string& name_or_path, const Settings& settings) {
  if (!is_dataset_path(name_or_path)) {
    check_name(name_or_path);
    return make_dataset(name_or_path, dataset_options(name_or_path, settings));
  }
  SettingsReader(settings, "data set file " + name_or_path).finish();
  return load_dataset(name_or_path);
}

}  // namespace factorgcn
