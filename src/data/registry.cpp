// The list of data sets. Looking one up costs a walk over a handful of names.
#include "factorgcn/data/registry.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/pattern.h"
#include "factorgcn/data/synthetic.h"
#include "factorgcn/data/tu.h"
#include "factorgcn/data/zinc.h"

namespace factorgcn {
namespace {

template <class Options>
Options with_sizes(Options options, const DatasetOptions& given) {
  options.train = given.train.value_or(options.train);
  options.validation = given.validation.value_or(options.validation);
  options.test = given.test.value_or(options.test);
  options.seed = given.seed;
  return options;
}

Dataset make_registered_synthetic(const DatasetOptions& given) {
  SyntheticOptions options = with_sizes(SyntheticOptions{}, given);
  options.factors = given.factors;
  return make_synthetic(options);
}

Dataset make_registered_pattern(const DatasetOptions& given) {
  return make_pattern(with_sizes(PatternOptions{}, given));
}

Dataset read_registered_zinc(const FileSource& files, const DatasetEntry& /*self*/) { return read_zinc(files); }

/// Node types from labels, or from degrees in as many columns as were published.
template <std::int64_t kDegreeColumns>
Dataset read_registered_tu(const FileSource& files, const DatasetEntry& self) {
  TuDatasetOptions options;
  options.dataset_name = self.name;
  options.degree_columns = kDegreeColumns;
  return make_tu_dataset(read_tu(files, self.file_stem), options);
}

template <class Options>
GeneratedDefaults sizes_of(const Options& options, int factors) {
  return {options.train, options.validation, options.test, factors};
}

DatasetEntry generated(const char* name, const char* summary, const GeneratedDefaults& defaults,
                       Dataset (*make)(const DatasetOptions&)) {
  DatasetEntry entry;
  entry.name = name;
  entry.summary = summary;
  entry.defaults = defaults;
  entry.make = make;
  return entry;
}

DatasetEntry stored(const char* name, const char* file_stem, const char* summary, const DatasetFacts& facts,
                    Dataset (*read)(const FileSource&, const DatasetEntry&), bool on_tu_host) {
  DatasetEntry entry;
  entry.name = name;
  entry.file_stem = file_stem;
  entry.summary = summary;
  entry.facts = facts;
  entry.read = read;
  entry.on_tu_host = on_tu_host;
  return entry;
}

const std::vector<DatasetEntry>& entries() {
  static const std::vector<DatasetEntry> table{
      generated("synthetic", "predefined graphs laid over each other; which ones are in? (generated)",
                sizes_of(SyntheticOptions{}, SyntheticOptions{}.factors), make_registered_synthetic),
      stored("zinc", "ZINC", "12,000 molecules; their penalised logP? Bonds are the hidden relations",
             {12000, 277864, 298985}, read_registered_zinc, false),
      generated("pattern", "random graphs; which nodes belong to a planted pattern? (generated)",
                sizes_of(PatternOptions{}, 0), make_registered_pattern),
      stored("mutag", "MUTAG", "188 molecules; mutagenic or not?", {188, 3371, 3721}, read_registered_tu<0>, true),
      stored("imdb-b", "IMDB-BINARY", "1,000 actors' circles; action or romance?", {1000, 19773, 96531},
             read_registered_tu<150>, true),
      stored("collab", "COLLAB", "5,000 researchers' circles; which field of physics?", {5000, 372474, 12288916},
             read_registered_tu<500>, true),
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

Dataset make_dataset(std::string_view name, const DatasetOptions& options) {
  const DatasetEntry& entry = find_dataset(name);
  require_usage(entry.is_generated(), "data set ", entry.name, " is not generated; it is read from files");
  Dataset dataset = entry.make(options);
  check_dataset(dataset);
  return dataset;
}

}  // namespace factorgcn
