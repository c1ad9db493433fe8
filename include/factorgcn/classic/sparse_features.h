// Features of graphs, most of them zero: what a graph kernel counts.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API SparseFeatures {
  std::vector<std::int64_t> offsets{0};  ///< entries of graph g are offsets[g] .. offsets[g + 1]
  std::vector<std::int64_t> columns;     ///< rising within a graph
  std::vector<double> values;

  std::int64_t num_graphs() const { return static_cast<std::int64_t>(offsets.size()) - 1; }

  /// Ends the graph that the entries added since the last call belong to.
  void end_graph() { offsets.push_back(static_cast<std::int64_t>(columns.size())); }
  void add(std::int64_t column, double value) {
    columns.push_back(column);
    values.push_back(value);
  }
};

/// The entries whose column is below `limit`.
FACTORGCN_API SparseFeatures first_columns(const SparseFeatures& features, std::int64_t limit);

/// Columns of `right` are moved behind `left_columns` and both rows joined.
FACTORGCN_API SparseFeatures join_columns(const SparseFeatures& left, std::int64_t left_columns,
                                          const SparseFeatures& right);

}  // namespace factorgcn
