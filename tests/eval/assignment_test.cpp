// The assignment against hand-made cases and against trying every assignment.
#include "factorgcn/eval/assignment.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/error_text.h"
#include "eval/arbitrary.h"

namespace factorgcn {
namespace {

/// The lowest cost over every way to match min(rows, columns) pairs, by trying each row's choices in turn.
double cheapest(int rows, int columns, const std::vector<double>& costs, const std::vector<double>& unmatched, int row,
                int left_out, std::vector<bool>& taken) {
  if (row == rows) {
    return 0;
  }
  double best = std::numeric_limits<double>::infinity();
  for (int column = 0; column < columns; ++column) {
    if (!taken[column]) {
      taken[column] = true;
      best = std::min(
          best, costs[row * columns + column] + cheapest(rows, columns, costs, unmatched, row + 1, left_out, taken));
      taken[column] = false;
    }
  }
  if (left_out > 0) {
    best = std::min(best, (unmatched.empty() ? 0 : unmatched[row]) +
                              cheapest(rows, columns, costs, unmatched, row + 1, left_out - 1, taken));
  }
  return best;
}

double cheapest(int rows, int columns, const std::vector<double>& costs, const std::vector<double>& unmatched) {
  std::vector<bool> taken(columns, false);
  return cheapest(rows, columns, costs, unmatched, 0, std::max(0, rows - columns), taken);
}

/// What `columns_of_row` costs; also checks that no column is used twice and that min(rows, columns) are used.
double cost_of(const Assignment& assignment, int rows, int columns, const std::vector<double>& costs,
               const std::vector<double>& unmatched) {
  double cost = 0;
  std::vector<int> used;
  for (int row = 0; row < rows; ++row) {
    const int column = assignment.column_of_row[row];
    if (column < 0) {
      cost += unmatched.empty() ? 0 : unmatched[row];
    } else {
      used.push_back(column);
      cost += costs[row * columns + column];
    }
  }
  EXPECT_EQ(static_cast<int>(used.size()), std::min(rows, columns));
  std::sort(used.begin(), used.end());
  EXPECT_EQ(std::adjacent_find(used.begin(), used.end()), used.end()) << "a column is used twice";
  return cost;
}

std::vector<double> integers(int count, int low, int high) {
  const std::vector<int> values = pick_many(count, low, high);
  return {values.begin(), values.end()};
}

TEST(Assignment, SquareByHand) {
  // The greedy choice (row 0 takes its 1) would cost 1 + 2 + 9; the best is 2 + 2 + 1.
  const std::vector<double> costs = {1, 2, 8,  //
                                     2, 7, 2,  //
                                     1, 9, 9};
  const Assignment result = assign(3, 3, costs);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{1, 2, 0}));
  EXPECT_DOUBLE_EQ(result.cost, 5);
}

TEST(Assignment, MoreColumnsThanRows) {
  const std::vector<double> costs = {5, 1, 9, 4,  //
                                     6, 2, 3, 7};
  const Assignment result = assign(2, 4, costs);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{1, 2}));
  EXPECT_DOUBLE_EQ(result.cost, 4);
}

TEST(Assignment, UnmatchedCostDecidesWhoIsLeftOut) {
  const std::vector<double> costs = {3, 1};
  EXPECT_EQ(assign(2, 1, costs).column_of_row, (std::vector<int>{-1, 0}));
  EXPECT_DOUBLE_EQ(assign(2, 1, costs).cost, 1);
  // Leaving row 0 out costs 10 now: 3 + 4 beats 1 + 10.
  const std::vector<double> unmatched = {10, 4};
  const Assignment result = assign(2, 1, costs, unmatched);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{0, -1}));
  EXPECT_DOUBLE_EQ(result.cost, 7);
}

TEST(Assignment, AllColumnsAreUsedEvenWhereLeavingOutIsCheaper) {
  const std::vector<double> costs = {100, 200, 300}, unmatched = {0, 0, 0};
  const Assignment result = assign(3, 1, costs, unmatched);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{0, -1, -1}));
  EXPECT_DOUBLE_EQ(result.cost, 100);
}

TEST(Assignment, UnmatchedCostDoesNotMatterWithEnoughColumns) {
  const std::vector<double> costs = {4, 2, 3, 9}, unmatched = {-50, -50};
  const Assignment result = assign(2, 2, costs, unmatched);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{1, 0}));
  EXPECT_DOUBLE_EQ(result.cost, 5);
}

TEST(Assignment, NegativeCosts) {
  const std::vector<double> costs = {-1, -5, -2, -4};
  const Assignment result = assign(2, 2, costs);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{1, 0}));
  EXPECT_DOUBLE_EQ(result.cost, -7);
}

TEST(Assignment, EqualCostsGiveTheFirstColumns) {
  const std::vector<double> costs(12, 1.0);
  EXPECT_EQ(assign(3, 4, costs).column_of_row, (std::vector<int>{0, 1, 2}));
}

TEST(Assignment, NothingToMatch) {
  EXPECT_TRUE(assign(0, 0, {}).column_of_row.empty());
  EXPECT_TRUE(assign(0, 3, {}).column_of_row.empty());
  const std::vector<double> unmatched = {2, 3};
  const Assignment result = assign(2, 0, {}, unmatched);
  EXPECT_EQ(result.column_of_row, (std::vector<int>{-1, -1}));
  EXPECT_DOUBLE_EQ(result.cost, 5);
}

TEST(Assignment, HugeCostsEnd) {
  // Differences overflow here: whatever is chosen, it must be a matching, and the call must return.
  const double huge = std::numeric_limits<double>::max();
  const std::vector<double> costs = {huge, -huge, -huge, huge, huge, huge, -huge, huge, -huge};
  const Assignment result = assign(3, 3, costs);
  std::vector<int> columns = result.column_of_row;
  std::sort(columns.begin(), columns.end());
  EXPECT_EQ(columns, (std::vector<int>{0, 1, 2}));
}

TEST(Assignment, RefusesWhatDoesNotFit) {
  const std::vector<double> three = {1, 2, 3}, four = {1, 2, 3, 4};
  EXPECT_EQ(error_text([&] { assign(2, 2, three); }), "assign: 3 costs given, 2 rows x 2 columns need 4");
  EXPECT_EQ(error_text([&] { assign(-1, 2, {}); }), "assign: -1 rows and 2 columns; neither may be negative");
  EXPECT_EQ(error_text([&] { assign(2, 2, four, three); }),
            "assign: 3 unmatched costs given for 2 rows; give one a row, or none");
  const std::vector<double> with_nan = {1, 2, 3, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(error_text([&] { assign(2, 2, with_nan); }),
            "assign: the cost of row 1, column 1 is nan; costs must be finite");
  const std::vector<double> infinite = {0, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(error_text([&] { assign(2, 2, four, infinite); }),
            "assign: the unmatched cost of row 1 is inf; costs must be finite");
}

// Integer costs from a narrow range: many ties, and sums without rounding, so equality is exact.
RC_GTEST_PROP(AssignmentProperty, MatchesBruteForceWithTies, ()) {
  const int rows = pick(0, 7), columns = pick(0, 7);
  const std::vector<double> costs = integers(rows * columns, -3, 6);
  const Assignment result = assign(rows, columns, costs);
  RC_ASSERT(result.cost == cheapest(rows, columns, costs, {}));
  RC_ASSERT(result.cost == cost_of(result, rows, columns, costs, {}));
}

RC_GTEST_PROP(AssignmentProperty, MatchesBruteForceWithUnmatchedCosts, ()) {
  const int columns = pick(1, 5);
  const int rows = columns + pick(0, 4);
  const std::vector<double> costs = integers(rows * columns, 0, 12);
  const std::vector<double> unmatched = integers(rows, 0, 12);
  const Assignment result = assign(rows, columns, costs, unmatched);
  RC_ASSERT(result.cost == cheapest(rows, columns, costs, unmatched));
  RC_ASSERT(result.cost == cost_of(result, rows, columns, costs, unmatched));
}

RC_GTEST_PROP(AssignmentProperty, FractionalCostsMatchBruteForce, ()) {
  const int rows = pick(1, 6), columns = pick(1, 6);
  std::vector<double> costs = integers(rows * columns, -1000000, 1000000);
  for (double& cost : costs) {
    cost /= 7.0;
  }
  const Assignment result = assign(rows, columns, costs);
  RC_ASSERT(std::abs(result.cost - cheapest(rows, columns, costs, {})) < 1e-6);
}

RC_GTEST_PROP(AssignmentProperty, OrderOfRowsDoesNotChangeTheCost, ()) {
  const int rows = pick(1, 12), columns = pick(1, 12);
  const std::vector<double> costs = integers(rows * columns, 0, 20), unmatched = integers(rows, 0, 20);
  std::vector<double> reversed_costs, reversed_unmatched(unmatched.rbegin(), unmatched.rend());
  for (int row = rows - 1; row >= 0; --row) {
    reversed_costs.insert(reversed_costs.end(), costs.begin() + row * columns, costs.begin() + (row + 1) * columns);
  }
  const Assignment first = assign(rows, columns, costs, unmatched);
  RC_ASSERT(first.cost == assign(rows, columns, reversed_costs, reversed_unmatched).cost);
  RC_ASSERT(first.column_of_row == assign(rows, columns, costs, unmatched).column_of_row);
}

}  // namespace
}  // namespace factorgcn
