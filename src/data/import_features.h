// Node features from columns of a table.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/data/graph_tables.h"
#include "factorgcn/data/import.h"

namespace factorgcn {

/// One column of the table and what it becomes.
struct FeatureColumn {
  std::size_t column;
  bool asked_for;                 ///< by the user; others may be left out where they do not look like features
  bool one_hot = false;           ///< words, whatever they look like
  std::int64_t entry_width = -1;  ///< 0 or more: lists of column:value, whatever they look like, at least so wide
};

struct FeatureTable {
  at::Tensor values;  ///< float [nodes, width], sparse where most are 0 (graph/sparse_features.h); undefined where no
                      ///< column is of use
  std::string made_of;
  std::vector<std::string> names;  ///< one per column of the values: "age", "city=Oslo", "place[1]"
};

/// `row_of_node` gives each node's row of the table, or -1 for nodes it lacks (they get 0). Notes are appended.
FeatureTable read_features(const TextTable& table, const std::vector<FeatureColumn>& columns,
                           const std::vector<std::int64_t>& row_of_node, MissingValues missing,
                           std::vector<std::string>& notes);

}  // namespace factorgcn
