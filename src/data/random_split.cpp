// Cost: O(items log items).
#include "factorgcn/data/random_split.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"

namespace factorgcn {

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

void draw_split(Dataset& dataset, std::uint64_t seed) {
  constexpr std::int64_t kFewest = 10;  // below, a tenth is nothing
  dataset.node_split = is_node_task(dataset.task) && dataset.graphs.num_graphs() < kFewest;
  const std::int64_t count = dataset.node_split ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs();
  require_usage(count >= kFewest, "data set ", dataset.name, " has no split and only ", count,
                dataset.node_split ? " nodes" : " graphs", ", too few to draw one; give it a split");
  std::vector<std::int64_t> classes(static_cast<std::size_t>(count), 0);
  if (dataset.node_split || dataset.task == Task::kGraphClass) {
    const auto* targets = dataset.targets.data_ptr<std::int64_t>();
    classes.assign(targets, targets + count);
  }
  dataset.split = draw_stratified_split(classes, {0.8, 0.1, 0.1}, seed);
}

}  // namespace factorgcn
