// From a name and settings to data. Settings are checked before anything is generated.
#include "factorgcn/shelf/open.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/data/folds.h"
#include "factorgcn/data/registry.h"
#include "factorgcn/data/split_settings.h"
#include "factorgcn/io/dataset_file.h"

namespace factorgcn {
namespace {

/// A name that is no data set here: a slip in a name, a set to be fetched, or a path where nothing is.
[[noreturn]] void refuse_name(const std::string& name) {
  const std::filesystem::path path(name);
  require_usage(!path.has_parent_path() && !path.has_extension(), "data set file ", name, " does not exist");
  try {
    find_dataset(name);
  } catch (const UsageError& error) {
    throw UsageError(concat(error.what(), "; a set of the TU collection is fetched with: factorgcn data fetch ", name));
  }
  fail("data set ", name, " is listed after all");
}

Dataset read_data(const std::string& name_or_path, const MessageSink& messages) {
  if (is_dataset_path(name_or_path)) {
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
  return lookup_dataset(name_or_path) == nullptr && std::filesystem::is_regular_file(name_or_path);
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
