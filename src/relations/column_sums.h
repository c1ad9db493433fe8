// Loops over a table's rows on the thread pool, and sums of its columns in double that do not depend on threads.
#pragma once

#include <vector>

#include "factorgcn/base/parallel.h"
#include "relations/expected_counts.h"

namespace factorgcn::relations {

/// Calls body(row) for every node; rows of one task in order.
template <class Body>
void for_each_row(const Links& links, const Body& body) {
  parallel_tasks(static_cast<std::int64_t>(links.tasks.size()), [&](std::int64_t task) {
    for (std::int64_t row = links.tasks[task].first; row < links.tasks[task].last; ++row) {
      body(row);
    }
  });
}

/// body(row, sums) adds what it has to the `width` sums; partial sums of tasks are added in order.
template <class Body>
std::vector<double> sum_rows(const Links& links, int width, const Body& body) {
  std::vector<double> partial(links.tasks.size() * width, 0);
  parallel_tasks(static_cast<std::int64_t>(links.tasks.size()), [&](std::int64_t task) {
    double* sums = partial.data() + task * width;
    for (std::int64_t row = links.tasks[task].first; row < links.tasks[task].last; ++row) {
      body(row, sums);
    }
  });
  std::vector<double> sums(static_cast<std::size_t>(width), 0);
  for (std::size_t at = 0; at < partial.size(); ++at) {
    sums[at % width] += partial[at];
  }
  return sums;
}

inline std::vector<double> column_sums(const Links& links, const Table& table) {
  return sum_rows(links, table.columns(), [&](std::int64_t row, double* sums) {
    const float* values = table.row(row);
    for (int column = 0; column < table.columns(); ++column) {
      sums[column] += values[column];
    }
  });
}

}  // namespace factorgcn::relations
