// Cost: O(nodes) for a split of nodes, O(graphs) otherwise.
#include "factorgcn/train/data_part.h"

#include <ATen/ops/zeros.h>

#include <algorithm>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

const std::vector<std::int64_t>& items_of(const Split& split, Part part) {
  switch (part) {
    case Part::kTrain:
      return split.train;
    case Part::kValidation:
      return split.validation;
    case Part::kTest:
      return split.test;
  }
  fail("unknown part ", static_cast<int>(part));
}

}  // namespace

const char* part_name(Part part) {
  switch (part) {
    case Part::kTrain:
      return "train";
    case Part::kValidation:
      return "validation";
    case Part::kTest:
      return "test";
  }
  fail("unknown part ", static_cast<int>(part));
}

DataPart whole_graphs(std::span<const std::int64_t> graphs) { return {{graphs.begin(), graphs.end()}, {}}; }

DataPart data_part(const Dataset& dataset, Part part) {
  const std::vector<std::int64_t>& items = items_of(dataset.split, part);
  if (!dataset.node_split) {
    return whole_graphs(items);
  }
  DataPart result;
  result.counted = at::zeros({dataset.graphs.num_nodes()}, at::TensorOptions().dtype(at::kBool));
  bool* counted = result.counted.data_ptr<bool>();
  for (const std::int64_t node : items) {
    counted[node] = true;
  }
  const auto* offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (std::int64_t graph = 0; graph < dataset.graphs.num_graphs(); ++graph) {
    if (std::find(counted + offsets[graph], counted + offsets[graph + 1], true) != counted + offsets[graph + 1]) {
      result.graphs.push_back(graph);
    }
  }
  return result;
}

}  // namespace factorgcn
