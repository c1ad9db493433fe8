// Minimum-cost assignment of rows to columns, exact.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API Assignment {
  std::vector<int> column_of_row;  ///< -1 where a row stays unmatched (more rows than columns)
  double cost = 0;                 ///< of the matched pairs and of the rows left out
};

/// Matches each row to at most one column, min(rows, columns) pairs in all, at the lowest total cost. `costs` is
/// row-major [rows, columns] and finite. `unmatched_cost[r]`, where given, is what leaving row r out costs: it decides
/// which rows are left out and is added to the cost. Among equal costs the choice is deterministic.
/// Cost: O(n^3), n = max(rows, columns); shortest augmenting paths.
FACTORGCN_API Assignment assign(int rows, int columns, std::span<const double> costs,
                                std::span<const double> unmatched_cost = {});

}  // namespace factorgcn
