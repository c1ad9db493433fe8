// sparse_dense on the CPU. A sparse matrix is a graph whose edges lead from columns to rows: the weighted sums over
// edges (kernels/weighted_aggregate.h) are its product with W^T, and over the transposed entries the gradient of W^T.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <vector>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/row_ranges.h"
#include "ops/sparse_dense_schema.h"

namespace factorgcn::cpu {
namespace {

/// Rows of `entries` (offsets [rows + 1], places and values [entries]), each the weighted sum of rows of `table`.
template <class T>
void sum_entries(const std::vector<std::int64_t>& offsets, const std::int32_t* places, const T* values,
                 const at::Tensor& table, const at::Tensor& out) {
  const std::int64_t rows = out.size(0), width = out.size(1);
  if (rows == 0 || width == 0) {
    return;
  }
  AggregateProblem<T> problem;
  problem.nodes = table.size(0);
  problem.factors = 1;
  problem.in_offsets = offsets.data();
  problem.in_sources = places;
  problem.given_gates = values;
  problem.num_tables = 1;
  problem.tables[0].width = width;
  problem.tables[0].x = table.data_ptr<T>();
  problem.tables[0].out = out.data_ptr<T>();
  const auto& kernel = kernels().of<T>();
  parallel_edge_rows(problem.in_offsets, rows, width + 2,
                     [&](std::int64_t begin, std::int64_t end) { kernel.weighted_rows(problem, begin, end); });
}

std::vector<std::int64_t> wide_offsets(const at::Tensor& offsets) {
  const auto* const first = offsets.data_ptr<std::int32_t>();
  return {first, first + offsets.numel()};
}

at::Tensor sparse_dense_cpu(const at::Tensor& offsets, const at::Tensor& columns, const at::Tensor& values,
                            const at::Tensor& weight) {
  require(weight.dim() == 2 && weight.scalar_type() == values.scalar_type(), "sparse_dense: weight has shape ",
          weight.sizes(), " and type ", weight.scalar_type(), "; expected [out, in] of type ", values.scalar_type());
  const at::Tensor table = weight.t().contiguous();
  at::Tensor y = at::empty({offsets.numel() - 1, weight.size(0)}, weight.options());
  with_floating(weight, "sparse_dense", [&](auto scalar) {
    using T = decltype(scalar);
    sum_entries<T>(wide_offsets(offsets), columns.data_ptr<std::int32_t>(), values.data_ptr<T>(), table, y);
  });
  return y;
}

at::Tensor sparse_dense_backward_cpu(const at::Tensor& grad_y, const at::Tensor& offsets, const at::Tensor& columns,
                                     const at::Tensor& values, std::int64_t width) {
  const at::Tensor upstream = grad_y.contiguous();
  at::Tensor gradient = at::empty({width, grad_y.size(1)}, grad_y.options());
  with_floating(grad_y, "sparse_dense_backward", [&](auto scalar) {
    using T = decltype(scalar);
    // The entries by column, rows in order: a counting sort.
    const auto* const row_begin = offsets.data_ptr<std::int32_t>();
    const auto* const column = columns.data_ptr<std::int32_t>();
    const T* const value = values.data_ptr<T>();
    const auto entries = static_cast<std::size_t>(columns.numel());
    std::vector<std::int64_t> begin(static_cast<std::size_t>(width) + 1, 0);
    for (std::size_t entry = 0; entry < entries; ++entry) {
      ++begin[static_cast<std::size_t>(column[entry]) + 1];
    }
    for (std::size_t index = 1; index < begin.size(); ++index) {
      begin[index] += begin[index - 1];
    }
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    std::vector<std::int32_t> rows(entries);
    std::vector<T> turned(entries);
    for (std::int64_t row = 0; row + 1 < offsets.numel(); ++row) {
      for (std::int64_t entry = row_begin[row]; entry < row_begin[row + 1]; ++entry) {
        const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(column[entry])]++);
        rows[place] = static_cast<std::int32_t>(row);
        turned[place] = value[entry];
      }
    }
    sum_entries<T>(begin, rows.data(), turned.data(), upstream, gradient);
  });
  return gradient.t().contiguous();
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("sparse_dense", sparse_dense_cpu);
  library.impl("sparse_dense_backward", sparse_dense_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
