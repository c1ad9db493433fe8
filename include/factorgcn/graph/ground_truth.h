// Which relations each graph was really made of: the truth that factor graphs are scored against.
//
// Flat arrays, so a data set of any size is a handful of allocations. A "part" is one relation inside one graph: a list
// of directed entries (both directions of an undirected edge count as two). Models never see this.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API GroundTruth {
  std::vector<std::string> type_names;         ///< one per relation type
  std::vector<std::int64_t> part_offsets{0};   ///< [G + 1]; parts of graph g
  std::vector<std::int32_t> part_types;        ///< [P]; index into type_names
  std::vector<std::int64_t> entry_offsets{0};  ///< [P + 1]; entries of part p
  std::vector<std::int32_t> entry_sources;     ///< node ids local to the graph
  std::vector<std::int32_t> entry_targets;

  std::int64_t num_graphs() const { return static_cast<std::int64_t>(part_offsets.size()) - 1; }
  std::int64_t num_types() const { return static_cast<std::int64_t>(type_names.size()); }
  bool empty() const { return part_types.empty(); }

  /// One relation of one graph.
  struct Part {
    std::int32_t type;
    std::span<const std::int32_t> sources;
    std::span<const std::int32_t> targets;
  };
  std::int64_t num_parts(std::int64_t graph) const { return part_offsets[graph + 1] - part_offsets[graph]; }
  Part part(std::int64_t graph, std::int64_t index) const;

  /// Appends one graph's parts: call begin_graph(), then add_part() for each of its parts.
  void begin_graph();
  void add_part(std::int32_t type, std::span<const std::int32_t> sources, std::span<const std::int32_t> targets);
};

}  // namespace factorgcn
