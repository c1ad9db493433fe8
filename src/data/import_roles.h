// Which column of a user's tables plays which part, and what task follows from that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/import_features.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

using Column = std::optional<std::size_t>;

struct EdgeColumns {
  std::size_t source = 0, target = 1;
  Column graph, relation, weight;
};

struct NodeColumns {
  std::size_t node = 0;
  Column graph, label, split;
  std::vector<FeatureColumn> features;
};

struct GraphColumns {
  std::size_t name = 0;
  Column label, split;
  std::vector<std::size_t> targets;
};

/// Classes as texts and numbers: rising where all are numbers, alphabetical otherwise.
struct Classes {
  std::vector<std::string> names;
  std::vector<std::int64_t> of_row;  ///< -1: no label

  std::size_t missing() const { return static_cast<std::size_t>(std::count(of_row.begin(), of_row.end(), -1)); }
};

struct ImportRoles {
  EdgeColumns edges;
  NodeColumns nodes;
  GraphColumns graphs;
  Classes node_classes, graph_classes;  ///< where there is a label column
  Task task = Task::kNone;
  std::string ends;                ///< the columns of the edges' ends, for people
  std::vector<std::string> notes;  ///< columns without use, and what was taken for what
};

/// Throws UsageError where an option names what is not there, and where parts exclude each other.
/// Cost: O(columns), and O(rows) for a label column.
ImportRoles choose_roles(const GraphTables& tables, const ImportOptions& options);

}  // namespace factorgcn
