// Minimum-cost assignment by shortest augmenting paths with potentials (Hungarian method in its Jonker-Volgenant form).
//
// Preconditions: finite costs. Cost: O(rows^2 * max(rows, columns)) time, O(rows + columns) extra memory. Where there
// are more rows than columns, imaginary columns stand for "left out": they cost unmatched_cost[row] and are not stored.
#include "factorgcn/eval/assignment.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

void check_arguments(int rows, int columns, std::span<const double> costs, std::span<const double> unmatched_cost) {
  require(rows >= 0 && columns >= 0, "assign: ", rows, " rows and ", columns, " columns; neither may be negative");
  const std::size_t expected = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  require(costs.size() == expected, "assign: ", costs.size(), " costs given, ", rows, " rows x ", columns,
          " columns need ", expected);
  require(unmatched_cost.empty() || unmatched_cost.size() == static_cast<std::size_t>(rows),
          "assign: ", unmatched_cost.size(), " unmatched costs given for ", rows, " rows; give one a row, or none");
  for (std::size_t at = 0; at < costs.size(); ++at) {
    require(std::isfinite(costs[at]), "assign: the cost of row ", at / columns, ", column ", at % columns, " is ",
            costs[at], "; costs must be finite");
  }
  for (std::size_t row = 0; row < unmatched_cost.size(); ++row) {
    require(std::isfinite(unmatched_cost[row]), "assign: the unmatched cost of row ", row, " is ", unmatched_cost[row],
            "; costs must be finite");
  }
}

}  // namespace

Assignment assign(int rows, int columns, std::span<const double> costs, std::span<const double> unmatched_cost) {
  check_arguments(rows, columns, costs, unmatched_cost);
  const int width = std::max(rows, columns);
  const auto left_out_cost = [&](int row) { return unmatched_cost.empty() ? 0.0 : unmatched_cost[row]; };
  const auto cost = [&](int row, int column) {
    return column < columns ? costs[static_cast<std::size_t>(row) * columns + column] : left_out_cost(row);
  };

  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr int kNone = -1;
  std::vector<double> row_potential(rows, 0.0), column_potential(width, 0.0), distance(width);
  std::vector<int> row_of_column(width, kNone), previous_column(width);
  std::vector<char> visited(width);

  for (int start = 0; start < rows; ++start) {
    // Dijkstra over columns on reduced costs, from the free row `start` to the nearest free column. Equal distances go
    // to the smaller column, which makes the whole result a function of the costs alone.
    std::fill(distance.begin(), distance.end(), kInfinity);
    std::fill(previous_column.begin(), previous_column.end(), kNone);
    std::fill(visited.begin(), visited.end(), char{0});
    int row = start;
    int reached = kNone;
    double length = 0;
    while (true) {
      int nearest = kNone;
      for (int column = 0; column < width; ++column) {
        if (visited[column]) {
          continue;
        }
        const double through = length + (cost(row, column) - row_potential[row] - column_potential[column]);
        if (through < distance[column]) {
          distance[column] = through;
          previous_column[column] = reached;
        }
        if (nearest == kNone || distance[column] < distance[nearest]) {
          nearest = column;
        }
      }
      length = distance[nearest];
      visited[nearest] = 1;
      reached = nearest;
      if (row_of_column[nearest] == kNone) {
        break;
      }
      row = row_of_column[nearest];
    }

    // Move the potentials so that reduced costs stay non-negative and the path's edges become tight.
    row_potential[start] += length;
    for (int column = 0; column < width; ++column) {
      if (visited[column] && column != reached) {
        row_potential[row_of_column[column]] += length - distance[column];
        column_potential[column] -= length - distance[column];
      }
    }
    for (int column = reached; column != kNone; column = previous_column[column]) {
      const int before = previous_column[column];
      row_of_column[column] = before == kNone ? start : row_of_column[before];
    }
  }

  Assignment result;
  result.column_of_row.assign(rows, kNone);
  for (int column = 0; column < columns; ++column) {
    if (row_of_column[column] != kNone) {
      result.column_of_row[row_of_column[column]] = column;
    }
  }
  // Summed from the given costs, in row order: the potentials carry rounding, the answer must not.
  for (int row = 0; row < rows; ++row) {
    const int column = result.column_of_row[row];
    result.cost += column == kNone ? left_out_cost(row) : cost(row, column);
  }
  return result;
}

}  // namespace factorgcn
