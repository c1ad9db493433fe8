// Cost: one shuffle.
#include "factorgcn/data/random_split.h"

#include <algorithm>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"

namespace factorgcn {

void draw_split(Dataset& dataset, std::uint64_t seed) {
  constexpr std::int64_t kFewest = 10;  // below, a tenth is nothing
  dataset.node_split = is_node_task(dataset.task) && dataset.graphs.num_graphs() < kFewest;
  const std::int64_t count = dataset.node_split ? dataset.graphs.num_nodes() : dataset.graphs.num_graphs();
  require_usage(count >= kFewest, "data set ", dataset.name, " has no split and only ", count,
                dataset.node_split ? " nodes" : " graphs", ", too few to draw one; give it a split");
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream random(seed, "split");
  random.shuffle(std::span(order));
  const auto tenth = order.begin() + count / 10;
  dataset.split.validation.assign(order.begin(), tenth);
  dataset.split.test.assign(tenth, tenth + count / 10);
  dataset.split.train.assign(tenth + count / 10, order.end());
  for (auto* part : {&dataset.split.train, &dataset.split.validation, &dataset.split.test}) {
    std::sort(part->begin(), part->end());
  }
}

}  // namespace factorgcn
