// Splits for imported data. Cost: O(items log items).
#include "data/import_split.h"

#include <algorithm>
#include <string>

#include "factorgcn/base/random.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

SplitPart split_part(std::string_view cell) {
  if (is_missing_value(cell)) {
    return SplitPart::kNone;
  }
  const std::string name = plain_column_name(cell);
  if (name == "train" || name == "training") {
    return SplitPart::kTrain;
  }
  if (name == "val" || name == "valid" || name == "validation" || name == "dev") {
    return SplitPart::kValidation;
  }
  if (name == "test" || name == "testing") {
    return SplitPart::kTest;
  }
  return SplitPart::kUnknown;
}

Split draw_stratified_split(std::span<const std::int64_t> classes, const std::array<double, 3>& shares,
                            std::uint64_t seed) {
  std::vector<std::int64_t> items;
  for (std::size_t item = 0; item < classes.size(); ++item) {
    if (classes[item] >= 0) {
      items.push_back(static_cast<std::int64_t>(item));
    }
  }
  RandomStream random(seed, "import/split");
  random.shuffle(std::span(items));
  const auto class_of = [&](std::int64_t item) { return classes[static_cast<std::size_t>(item)]; };
  std::stable_sort(items.begin(), items.end(),
                   [&](std::int64_t left, std::int64_t right) { return class_of(left) < class_of(right); });

  Split split;
  const std::array parts{&split.train, &split.validation, &split.test};
  for (std::size_t index = 0; index < items.size(); ++index) {
    const bool first_of_class = index == 0 || class_of(items[index]) != class_of(items[index - 1]);
    std::size_t chosen = 0;
    double largest = 0;
    for (std::size_t part = 0; part < parts.size() && !first_of_class; ++part) {
      const double lacking = shares[part] * static_cast<double>(index + 1) - static_cast<double>(parts[part]->size());
      if (part == 0 || lacking > largest) {
        chosen = part;
        largest = lacking;
      }
    }
    parts[chosen]->push_back(items[index]);
  }
  for (auto* part : parts) {
    std::sort(part->begin(), part->end());
  }
  return split;
}

}  // namespace factorgcn
