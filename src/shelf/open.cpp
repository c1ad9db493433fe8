// From a name and settings to data. Settings are checked before anything is generated.
#include "factorgcn/shelf/open.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/data/folds.h"
#include "factorgcn/data/random_split.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/shelf/stored.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostGraphs = std::int64_t{1} << 31;
constexpr int kPublishedFolds = 10;

std::uint64_t read_seed(SettingsReader& reader) {
  return static_cast<std::uint64_t>(reader.integer("seed", 0, 0, std::numeric_limits<std::int64_t>::max()));
}

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

/// Which graphs a run trains and tests on, where classes of graphs are predicted and files give no split.
struct FoldSettings {
  int fold = 1, folds = kPublishedFolds;
  std::string kind;
  bool inner_validation = true;
  std::uint64_t seed = 0;

  FoldSettings(const std::string& owner, const std::string& dataset, const Settings& given) {
    SettingsReader reader(given, owner);
    kind = reader.text("fold_kind", published_folds(dataset) ? "published" : "stratified");
    require_usage(kind == "published" || kind == "stratified", owner, ": fold_kind is '", kind,
                  "'; choose published or stratified");
    require_usage(kind != "published" || published_folds(dataset).has_value(), owner,
                  ": no folds were published for it; use fold_kind=stratified");
    const int most = kind == "published" ? kPublishedFolds : 1000;
    folds = static_cast<int>(reader.integer("folds", kPublishedFolds, kind == "published" ? most : 2, most));
    fold = static_cast<int>(reader.integer("fold", 1, 1, folds));
    inner_validation = reader.boolean("inner_validation", true);
    seed = read_seed(reader);
    reader.finish();
  }

  Settings settings() const {
    return {{"fold", std::int64_t{fold}},
            {"folds", std::int64_t{folds}},
            {"fold_kind", kind},
            {"inner_validation", inner_validation},
            {"seed", static_cast<std::int64_t>(seed)}};
  }

  void apply(Dataset& dataset) const {
    const auto* classes = dataset.targets.data_ptr<std::int64_t>();
    // The seed of a run must not move graphs between its folds: only the inner validation is drawn from it.
    const std::vector<int> list =
        kind == "published"
            ? *published_folds(dataset.name)
            : stratified_folds({classes, static_cast<std::size_t>(dataset.targets.numel())}, folds, /*seed=*/0);
    require(static_cast<std::int64_t>(list.size()) == dataset.graphs.num_graphs(), "data set ", dataset.name, " has ",
            dataset.graphs.num_graphs(), " graphs, but its published folds are for ", list.size(),
            "; use fold_kind=stratified");
    dataset.split = fold_split(dataset, list, fold - 1, inner_validation, seed);
  }
};

bool has_split(const Dataset& dataset) { return !dataset.split.train.empty(); }

bool asks_for_fold(const Settings& given) {
  return std::any_of(given.begin(), given.end(), [](const auto& entry) { return entry.first.starts_with("fold"); });
}

/// Splits data that were read; gives back the settings that decided it.
Settings apply_split(Dataset& dataset, const std::string& owner, const Settings& given) {
  const bool classes = dataset.task == Task::kGraphClass;
  if (classes && (asks_for_fold(given) || !has_split(dataset))) {
    const FoldSettings folds(owner, dataset.name, given);
    folds.apply(dataset);
    return folds.settings();
  }
  if (has_split(dataset) || dataset.task == Task::kNone) {
    SettingsReader reader(given, owner);
    read_seed(reader);  // every run has one; here it decides nothing
    reader.finish();
    return {};
  }
  SettingsReader reader(given, owner);
  const std::uint64_t seed = read_seed(reader);
  reader.finish();
  draw_split(dataset, seed);
  return {{"seed", static_cast<std::int64_t>(seed)}};
}

/// Reads what is not generated. Nothing where the name is unknown.
std::optional<Dataset> read_data(const std::string& name_or_path,
                                 const std::function<void(const std::string&)>& messages) {
  if (is_dataset_path(name_or_path)) {
    return load_dataset(name_or_path);
  }
  const auto entry = find_entry(name_or_path);
  if (!entry || entry->is_generated()) {
    return std::nullopt;
  }
  return open_stored(*entry, messages);
}

std::string owner_of(const std::string& name_or_path) {
  return (is_dataset_path(name_or_path) ? "data set file " : "data set ") + name_or_path;
}

}  // namespace

bool is_dataset_path(const std::string& name_or_path) {
  return lookup_dataset(name_or_path) == nullptr && std::filesystem::is_regular_file(name_or_path);
}

DatasetOptions dataset_options(const std::string& name, const Settings& settings) {
  const GeneratedDefaults& defaults = find_dataset(name).defaults;
  DatasetOptions options;
  SettingsReader reader(settings, "data set " + name);
  const auto size = [&](const char* key, std::optional<std::int64_t>& value, std::int64_t fallback) {
    value = reader.integer(key, fallback, 0, kMostGraphs);
  };
  if (defaults.factors > 0) {
    options.factors = static_cast<int>(reader.integer("factors", defaults.factors, 2, 6));
  }
  size("train", options.train, defaults.train);
  size("validation", options.validation, defaults.validation);
  size("test", options.test, defaults.test);
  options.seed = read_seed(reader);
  reader.finish();
  return options;
}

DataDescription describe_data(const std::string& name_or_path, const Settings& given) {
  const DatasetEntry* listed = is_dataset_path(name_or_path) ? nullptr : lookup_dataset(name_or_path);
  DataDescription description;
  if (listed != nullptr && listed->is_generated()) {
    const DatasetOptions options = dataset_options(listed->name, given);
    description.name = listed->name;
    description.settings = {{"train", *options.train},
                            {"validation", *options.validation},
                            {"test", *options.test},
                            {"seed", static_cast<std::int64_t>(options.seed)}};
    if (listed->defaults.factors > 0) {
      description.settings["factors"] = std::int64_t{options.factors};
      description.relation_types = options.factors;
    }
    return description;
  }
  if (listed != nullptr && published_folds(listed->name)) {
    description.name = listed->name;
    description.task = Task::kGraphClass;
    description.settings = FoldSettings(owner_of(name_or_path), listed->name, given).settings();
    description.has_folds = true;
    return description;
  }
  std::optional<Dataset> dataset = read_data(name_or_path, {});
  if (!dataset) {
    refuse_name(name_or_path);
  }
  description.name = dataset->name;
  description.task = dataset->task;
  description.relation_types = dataset->truth.num_types();
  description.has_folds = dataset->task == Task::kGraphClass;
  description.settings = apply_split(*dataset, owner_of(name_or_path), given);
  return description;
}

Dataset open_dataset(const std::string& name_or_path, const Settings& settings,
                     const std::function<void(const std::string&)>& messages) {
  std::optional<Dataset> dataset = read_data(name_or_path, messages);
  if (dataset) {
    apply_split(*dataset, owner_of(name_or_path), settings);
    return *std::move(dataset);
  }
  const DatasetEntry* listed = lookup_dataset(name_or_path);
  if (listed == nullptr) {
    refuse_name(name_or_path);
  }
  return make_dataset(listed->name, dataset_options(listed->name, settings));
}

}  // namespace factorgcn
