// The list of data sets. Looking one up costs a walk over a handful of names.
#include "factorgcn/data/registry.h"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/pattern.h"
#include "factorgcn/data/relations.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/data/tu.h"
#include "factorgcn/data/zinc.h"

namespace factorgcn {
namespace {

/// Node types from labels, or from degrees in as many columns as were published.
template <std::int64_t kDegreeColumns>
Dataset read_registered_tu(const FileSource& files, const DatasetEntry& self) {
  TuDatasetOptions options;
  options.dataset_name = self.name;
  options.degree_columns = kDegreeColumns;
  return make_tu_dataset(read_tu(files, self.file_stem), options);
}

/// A set of the TU collection with published folds.
template <std::int64_t kDegreeColumns>
DatasetEntry listed_tu(const char* name, const char* file_stem, const char* summary, const DatasetFacts& facts) {
  DatasetEntry entry;
  entry.name = name;
  entry.file_stem = file_stem;
  entry.summary = summary;
  entry.facts = facts;
  entry.slips.dropout_at_evaluation = true;
  entry.read = read_registered_tu<kDegreeColumns>;
  entry.on_tu_host = true;
  return entry;
}

std::vector<DatasetEntry>& entries() {
  static std::vector<DatasetEntry> table{
      synthetic_entry(),
      zinc_entry(),
      pattern_entry(),
      relations_entry(),
      listed_tu<0>("mutag", "MUTAG", "188 molecules; mutagenic or not?", {188, 3371, 3721}),
      listed_tu<150>("imdb-b", "IMDB-BINARY", "1,000 actors' circles; action or romance?", {1000, 19773, 96531}),
      listed_tu<500>("collab", "COLLAB", "5,000 researchers' circles; which field of physics?",
                     {5000, 372474, 12288916}),
  };
  return table;
}

bool equal_in_any_case(std::string_view left, std::string_view right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

}  // namespace

std::span<const DatasetEntry> dataset_registry() { return entries(); }

void add_dataset(DatasetEntry entry) {
  require_usage(lookup_dataset(entry.name) == nullptr, "data set ", entry.name, " is listed already");
  require(entry.is_generated() != (entry.read != nullptr), "data set ", entry.name, " must be generated or read");
  entries().push_back(std::move(entry));
}

const DatasetEntry* lookup_dataset(std::string_view name) {
  for (const DatasetEntry& entry : entries()) {
    if (equal_in_any_case(entry.name, name) || (!entry.file_stem.empty() && equal_in_any_case(entry.file_stem, name))) {
      return &entry;
    }
  }
  return nullptr;
}

const DatasetEntry& find_dataset(std::string_view name) {
  if (const DatasetEntry* entry = lookup_dataset(name)) {
    return *entry;
  }
  std::vector<std::string_view> names;
  for (const DatasetEntry& entry : entries()) {
    names.push_back(entry.name);
  }
  throw UsageError(concat("unknown data set '", name, "'", known_names_hint(name, names)));
}

DatasetEntry tu_entry(std::string_view name) {
  const bool legal =
      !name.empty() && name.front() != '.' && name.size() <= 100 &&
      std::all_of(name.begin(), name.end(), [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_' || letter == '.';
      });
  require_usage(legal, "'", name.substr(0, 100),
                "' cannot be a data set's name; it may have letters, digits, '-', '_' and '.'");
  DatasetEntry entry;
  entry.name = name;
  entry.file_stem = name;
  entry.summary = "a data set in the layout of the TU collection";
  entry.read = read_registered_tu<0>;
  entry.on_tu_host = true;
  return entry;
}

Settings generator_settings(const DatasetEntry& entry, const Settings& given) {
  require_usage(entry.is_generated(), "data set ", entry.name, " is not generated; it is read from files");
  SettingsReader reader(given, "data set " + entry.name);
  Settings settings;
  for (const GeneratorSetting& setting : entry.settings) {
    if (const auto& real = setting.real) {
      settings[setting.name] = reader.number(setting.name, real->usual, real->least, real->most);
    } else {
      settings[setting.name] = reader.integer(setting.name, setting.usual, setting.least, setting.most);
    }
  }
  reader.finish();
  return settings;
}

Dataset make_dataset(std::string_view name, const Settings& given) {
  const DatasetEntry& entry = find_dataset(name);
  Dataset dataset = entry.make(generator_settings(entry, given));
  check_dataset(dataset);
  return dataset;
}

}  // namespace factorgcn
