// From a name and settings to data. Settings are checked before anything is generated.
#include "factorgcn/shelf/open.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/data/folds.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/data/split_settings.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/input_format.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/shelf/dataset_path.h"
#include "shelf/near_names.h"

namespace factorgcn {
namespace {

/// A name that is no data set here: a slip in a name, a set to be fetched, or a path where nothing is.
[[noreturn]] void refuse_name(const std::string& name) {
  const std::filesystem::path path(name);
  require_usage(!path.has_parent_path() && !path.has_extension(), "data set file ", name, " does not exist");
  throw UsageError(unknown_dataset_text(name));
}

/// Users' graph files have endings of their own: they are turned into a data set first.
[[noreturn]] void refuse_graph_file(const std::string& path, const std::string& format) {
  std::filesystem::path out = std::filesystem::path(path).filename().replace_extension();
  if (out.has_extension()) {  // .gz
    out.replace_extension();
  }
  throw UsageError(concat(path, " is a graph (", format, ") and no data-set file yet; make one of it: factorgcn data ",
                          "import ", path, " --out ", out.string(), ".safetensors"));
}

Dataset read_data(const std::string& name_or_path, const MessageSink& messages) {
  require_usage(
      !is_parts_folder(name_or_path), name_or_path,
      " is one graph in parts, which only train and evaluate RUN read; give the data set that it was cut from");
  if (is_dataset_path(name_or_path)) {
    if (may_hold_dataset(name_or_path)) {
      return open_stored_at(name_or_path, messages);
    }
    if (const std::optional<std::string> format = input_ending(name_or_path)) {
      refuse_graph_file(name_or_path, *format);
    }
    return load_dataset(name_or_path);
  }
  const std::optional<DatasetEntry> entry = find_entry(name_or_path);
  if (!entry) {
    refuse_name(name_or_path);
  }
  return open_stored(*entry, messages);
}

/// The entry where the name is listed, generated ones included.
const DatasetEntry* listed_entry(const std::string& name_or_path) {
  return is_dataset_path(name_or_path) ? nullptr : lookup_dataset(name_or_path);
}

std::string owner_of(const std::string& name_or_path) {
  return (is_dataset_path(name_or_path) ? "data set file " : "data set ") + name_or_path;
}

}  // namespace

bool is_dataset_path(const std::string& name_or_path) {
  if (lookup_dataset(name_or_path) != nullptr) {
    return false;
  }
  std::error_code ignored;
  if (std::filesystem::is_regular_file(name_or_path, ignored)) {
    return true;
  }
  // A folder that happens to have the name of a set in the data root is meant by its path alone.
  return std::filesystem::is_directory(name_or_path, ignored) &&
         (name_or_path.find('/') != std::string::npos || !find_entry(name_or_path));
}

void OpenedData::hold(const std::string& path, std::shared_ptr<const Dataset> data) {
  split_ = nullptr;
  unsaid_.clear();
  whole_ = std::move(data);
  name_ = path;
}

/// What is stored, as its files have it.
std::shared_ptr<const Dataset> OpenedData::whole(const std::string& name_or_path, const MessageSink& messages) const {
  if (whole_ == nullptr || name_ != name_or_path) {
    whole_ = split_ = nullptr;  // their memory is given back first
    unsaid_.clear();
    whole_ = std::make_shared<const Dataset>(read_data(
        name_or_path, messages ? messages : [this](const std::string& line) { unsaid_.push_back(line); }));
    name_ = name_or_path;
  }
  return whole_;
}

DataDescription OpenedData::describe(const std::string& name_or_path, const Settings& given) const {
  if (is_parts_folder(name_or_path)) {
    for (const auto& [setting, value] : given) {
      require_usage(setting == "seed", name_or_path, ": one graph in parts has its split in its files; leave data.",
                    setting, " out");
    }
    const PartsManifest manifest = read_manifest(name_or_path);
    DataDescription description;
    description.name = manifest.name;
    description.task = manifest.task;
    return description;
  }
  const DatasetEntry* listed = listed_entry(name_or_path);
  DataDescription description;
  if (listed != nullptr && listed->is_generated()) {
    description.name = listed->name;
    description.settings = generator_settings(*listed, given);
    if (!listed->relations_setting.empty()) {
      description.relation_types = std::get<std::int64_t>(description.settings.at(listed->relations_setting));
    }
    return description;
  }
  if (listed != nullptr && published_folds(listed->name)) {
    description.name = listed->name;
    description.task = Task::kGraphClass;
    description.settings = fold_settings(owner_of(name_or_path), listed->name, given);
    description.has_folds = true;
    return description;
  }
  const Dataset& dataset = *whole(name_or_path, {});
  description.name = dataset.name;
  description.task = dataset.task;
  description.relation_types = dataset.truth.num_types();
  description.has_folds = dataset.task == Task::kGraphClass;
  description.settings = choose_split(dataset, owner_of(name_or_path), given).settings;
  return description;
}

std::shared_ptr<const Dataset> OpenedData::open(const std::string& name_or_path, const Settings& settings,
                                                const MessageSink& messages) const {
  const DatasetEntry* listed = listed_entry(name_or_path);
  if (listed != nullptr && listed->is_generated()) {
    Settings complete = generator_settings(*listed, settings);
    if (whole_ == nullptr || name_ != listed->name || made_with_ != complete) {
      whole_ = split_ = nullptr;
      whole_ = std::make_shared<const Dataset>(make_dataset(listed->name, complete));
      name_ = listed->name;
      made_with_ = std::move(complete);
    }
    return whole_;
  }
  const std::shared_ptr<const Dataset> read = whole(name_or_path, messages);
  if (messages) {
    const std::vector<std::string> unsaid = std::exchange(unsaid_, {});
    std::for_each(unsaid.begin(), unsaid.end(), messages);
  }
  if (split_ == nullptr || split_by_ != settings) {
    ChosenSplit chosen = choose_split(*read, owner_of(name_or_path), settings);
    if (chosen.settings.empty()) {
      split_ = read;  // its own split
    } else {
      Dataset dataset = *read;
      dataset.split = std::move(chosen.split);
      dataset.node_split = chosen.node_split;
      split_ = std::make_shared<const Dataset>(std::move(dataset));
    }
    split_by_ = settings;
  }
  return split_;
}

DataDescription describe_data(const std::string& name_or_path, const Settings& given) {
  return OpenedData().describe(name_or_path, given);
}

Dataset open_dataset(const std::string& name_or_path, const Settings& settings, const MessageSink& messages) {
  return *OpenedData().open(name_or_path, settings, messages);
}

}  // namespace factorgcn
