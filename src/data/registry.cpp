// The list of data sets. Looking one up costs a walk over a handful of names.
#include "factorgcn/data/registry.h"

#include <array>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/synthetic.h"

namespace factorgcn {
namespace {

Dataset make_registered_synthetic(const DatasetOptions& options) {
  SyntheticOptions synthetic;
  synthetic.factors = options.factors;
  synthetic.train = options.train.value_or(synthetic.train);
  synthetic.validation = options.validation.value_or(synthetic.validation);
  synthetic.test = options.test.value_or(synthetic.test);
  synthetic.seed = options.seed;
  return make_synthetic(synthetic);
}

constexpr std::array kEntries{
    DatasetEntry{"synthetic", "predefined graphs laid over each other; which ones are in? (generated)",
                 make_registered_synthetic},
};

}  // namespace

std::span<const DatasetEntry> dataset_registry() { return kEntries; }

const DatasetEntry& find_dataset(std::string_view name) {
  std::vector<std::string_view> names;
  for (const DatasetEntry& entry : kEntries) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  throw UsageError(concat("unknown data set '", name, "'", known_names_hint(name, names)));
}

Dataset make_dataset(std::string_view name, const DatasetOptions& options) {
  Dataset dataset = find_dataset(name).make(options);
  check_dataset(dataset);
  return dataset;
}

}  // namespace factorgcn
