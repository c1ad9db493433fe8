// Sums and means per graph on the CPU.
//
// A graph of many nodes is cut into blocks of kSegmentRows rows whose sums are added in order, so that one large graph
// keeps all threads busy and the result does not depend on how many there are.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/library.h>

#include "ops/cpu/dispatch.h"
#include "ops/cpu/graph_pieces.h"
#include "ops/cpu/row_ranges.h"
#include "ops/registration.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kSegmentRows = 4096;
constexpr std::int64_t kTaskValues = 1 << 15;

at::Tensor segment_reduce_cpu(const at::Tensor& x_given, const at::Tensor& offsets, bool mean) {
  require(x_given.defined() && x_given.dim() >= 1, "segment_reduce: x must have at least one dimension");
  const at::Tensor x = x_given.contiguous();
  const std::int64_t segments = check_graph_offsets("segment_reduce", offsets, x.size(0));
  std::vector<std::int64_t> shape = x.sizes().vec();
  shape[0] = segments;
  at::Tensor result = at::zeros(shape, x.options());
  const std::int64_t columns = x.size(0) > 0 ? x.numel() / x.size(0) : 0;
  with_floating(x, "segment_reduce", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    const T* values = x.data_ptr<T>();
    T* sums = result.data_ptr<T>();
    const std::int64_t* at = offsets.data_ptr<std::int64_t>();
    const auto reduce_segment = [&](std::int64_t g) {
      T* sum = sums + g * columns;
      const std::int64_t count = at[g + 1] - at[g];
      const std::int64_t blocks = (count + kSegmentRows - 1) / kSegmentRows;
      if (blocks <= 1) {
        kernel.add_rows(values + at[g] * columns, count, columns, sum);
      } else {
        std::vector<T> partials(static_cast<std::size_t>(blocks * columns));
        parallel_rows(count, kSegmentRows, [&](std::int64_t begin, std::int64_t end) {
          kernel.add_rows(values + (at[g] + begin) * columns, end - begin, columns,
                          partials.data() + begin / kSegmentRows * columns);
        });
        kernel.add_rows(partials.data(), blocks, columns, sum);
      }
      if (mean && count > 0) {
        const T share = T(1) / static_cast<T>(count);
        for (std::int64_t c = 0; c < columns; ++c) {
          sum[c] *= share;
        }
      }
    };
    const std::int64_t average = std::max<std::int64_t>(1, x.numel() / std::max<std::int64_t>(segments, 1));
    const std::int64_t per_task = std::max<std::int64_t>(1, kTaskValues / average);
    parallel_rows(segments, per_task, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t g = begin; g < end; ++g) {
        reduce_segment(g);
      }
    });
  });
  return result;
}

at::Tensor segment_reduce_backward_cpu(const at::Tensor& grad_given, const at::Tensor& offsets, std::int64_t rows,
                                       bool mean) {
  const at::Tensor grad = grad_given.contiguous();
  const std::int64_t segments = check_graph_offsets("segment_reduce_backward", offsets, rows);
  require(grad.dim() >= 1 && grad.size(0) == segments, "segment_reduce_backward: grad has shape ", grad.sizes(),
          ", expected ", segments, " rows");
  std::vector<std::int64_t> shape = grad.sizes().vec();
  shape[0] = rows;
  at::Tensor result = at::empty(shape, grad.options());
  const std::int64_t columns = segments > 0 ? grad.numel() / segments : 0;
  with_floating(grad, "segment_reduce_backward", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    const T* from = grad.data_ptr<T>();
    T* to = result.data_ptr<T>();
    const std::int64_t* at = offsets.data_ptr<std::int64_t>();
    const auto spread = [&](std::int64_t g, std::int64_t begin, std::int64_t end) {
      const T scale = mean ? T(1) / static_cast<T>(at[g + 1] - at[g]) : T(1);
      kernel.spread_row(from + g * columns, scale, end - begin, columns, to + begin * columns);
    };
    const std::int64_t per_task = std::max<std::int64_t>(1, kTaskValues / std::max<std::int64_t>(columns, 1));
    parallel_rows(rows, per_task, [&](std::int64_t begin, std::int64_t end) {
      std::int64_t g = std::upper_bound(at, at + segments + 1, begin) - at - 1;
      while (begin < end) {
        const std::int64_t stop = std::min(end, at[g + 1]);
        if (begin < stop) {
          spread(g, begin, stop);
          begin = stop;
        }
        ++g;
      }
    });
  });
  return result;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) {
  library.impl("segment_reduce", segment_reduce_cpu);
  library.impl("segment_reduce_backward", segment_reduce_backward_cpu);
}

}  // namespace
}  // namespace factorgcn::cpu
