// Cuts rows into ranges for the pool's threads.
//
// Rows are independent, so how they are cut never changes a result; it only balances the load.
#pragma once

#include <algorithm>
#include <cstdint>

#include "factorgcn/base/parallel.h"

namespace factorgcn::cpu {

/// Multiply-adds that are worth handing to another thread, some 10 microseconds.
inline constexpr std::int64_t kTaskWork = 1 << 17;
/// Partial weight gradients; fixed, so that their sum is too.
inline constexpr std::int64_t kWeightBlocks = 64;

/// Calls work(begin, end) on ranges of about `rows_per_task` rows.
template <class Work>
void parallel_rows(std::int64_t rows, std::int64_t rows_per_task, const Work& work) {
  const std::int64_t tasks = (rows + rows_per_task - 1) / rows_per_task;
  parallel_tasks(tasks,
                 [&](std::int64_t task) { work(task * rows_per_task, std::min(rows, (task + 1) * rows_per_task)); });
}

/// Calls work(begin, end) on ranges of rows with about equal cost, a row costing its edges plus `row_cost`. Ranges are
/// cut by edge count, not row count: degrees are skewed. `edge_work` is the arithmetic of one edge, to keep tasks from
/// getting too small to be worth handing out.
template <class Work>
void parallel_edge_rows(const std::int64_t* offsets, std::int64_t rows, std::int64_t edge_work, const Work& work) {
  constexpr std::int64_t kRowCost = 4;
  const auto cost_before = [&](std::int64_t row) { return offsets[row] + kRowCost * row; };
  const std::int64_t total = cost_before(rows);
  const std::int64_t worth = total * std::max<std::int64_t>(edge_work, 1) / kTaskWork;
  const std::int64_t tasks = std::clamp<std::int64_t>(worth, 1, std::int64_t{64} * num_threads());
  const auto boundary = [&](std::int64_t task) {
    const std::int64_t target = total / tasks * task + total % tasks * task / tasks;
    std::int64_t low = 0, high = rows;
    while (low < high) {
      const std::int64_t middle = (low + high) / 2;
      if (cost_before(middle) < target) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  };
  parallel_tasks(tasks, [&](std::int64_t task) {
    const std::int64_t begin = task == 0 ? 0 : boundary(task);
    const std::int64_t end = task + 1 == tasks ? rows : boundary(task + 1);
    if (begin < end) {
      work(begin, end);
    }
  });
}

}  // namespace factorgcn::cpu
