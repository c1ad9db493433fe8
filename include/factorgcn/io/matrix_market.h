// Matrix Market files (.mtx), as SuiteSparse, the Network Repository, scipy and MATLAB write them:
//
//   %%MatrixMarket matrix coordinate real general      or integer or pattern (no values); or symmetric (one triangle)
//   % a comment
//   4 4 3                                              rows, columns, entries
//   1 2 0.5                                            row and column from 1, value
//
// A square matrix is a graph: an entry is an edge from its row to its column. Any matrix is a table of features: an
// entry is a node's value in a column. Dense (`array`), complex, hermitian and skew-symmetric matrices are refused.
#pragma once

#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

/// True where the text begins as such a file does.
FACTORGCN_API bool is_matrix_market(std::string_view text);

/// Nodes are called 1, 2 and so on; values are in the column "weight", symmetric matrices are undirected graphs. Throws
/// Error (file, line, what was found), also where the file announces far more rows than it has lines.
/// Cost: O(text + rows).
FACTORGCN_API GraphTables read_matrix_graph(std::string_view text, const std::string& origin);

/// The entries as features of nodes, which rows name by their place. Cost: O(text).
FACTORGCN_API FeatureEntries read_matrix_features(std::string_view text, const std::string& origin);

}  // namespace factorgcn
