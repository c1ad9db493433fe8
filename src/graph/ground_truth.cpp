// Flat storage of the true relations. Cost: a part is found in O(1); appending copies its entries once.
#include "factorgcn/graph/ground_truth.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

GroundTruth::Part GroundTruth::part(std::int64_t graph, std::int64_t index) const {
  require(graph >= 0 && graph < num_graphs(), "ground truth: graph ", graph, " was asked for, but there are ",
          num_graphs(), " graphs");
  require(index >= 0 && index < num_parts(graph), "ground truth: part ", index, " of graph ", graph,
          " was asked for, but it has ", num_parts(graph), " parts");
  const auto place = static_cast<std::size_t>(part_offsets[static_cast<std::size_t>(graph)] + index);
  const auto first = static_cast<std::size_t>(entry_offsets[place]);
  const std::size_t count = static_cast<std::size_t>(entry_offsets[place + 1]) - first;
  return {part_types[place], std::span(entry_sources).subspan(first, count),
          std::span(entry_targets).subspan(first, count)};
}

void GroundTruth::begin_graph() { part_offsets.push_back(part_offsets.back()); }

void GroundTruth::add_part(std::int32_t type, std::span<const std::int32_t> sources,
                           std::span<const std::int32_t> targets) {
  require(num_graphs() > 0, "ground truth: a part was added before the first graph; call begin_graph() first");
  require(type >= 0 && type < num_types(), "ground truth: type ", type, " of a part of graph ", num_graphs() - 1,
          " is unknown; there are ", num_types(), " types");
  require(sources.size() == targets.size(), "ground truth: a part of graph ", num_graphs() - 1, " has ", sources.size(),
          " sources but ", targets.size(), " targets; there must be as many");
  part_types.push_back(type);
  entry_sources.insert(entry_sources.end(), sources.begin(), sources.end());
  entry_targets.insert(entry_targets.end(), targets.begin(), targets.end());
  entry_offsets.push_back(static_cast<std::int64_t>(entry_sources.size()));
  ++part_offsets.back();
}

}  // namespace factorgcn
