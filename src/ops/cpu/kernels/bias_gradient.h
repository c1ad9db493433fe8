// Gradients of a bias that is added to many rows, and of its factor in each row.
//
// Columns are covered as those of products are (column_cover.h); of columns that two vectors have, the second's count
// as zero.
#pragma once

#include <cstdint>

#include "ops/cpu/kernels/column_cover.h"
#include "ops/cpu/kernels/lane_folds.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// total[:] += the sum over rows of scale * dy[:] in W columns, without the first `counted` of them. Four sums take
/// turns, as one would wait for itself.
template <class T, int W>
FACTORGCN_INLINE void add_columns(const T* dy, std::int64_t stride, const T* scale, std::int64_t rows,
                                  std::int64_t counted, T* total) {
  constexpr int kSums = 4;
  Vec<T, W> sum[kSums] = {};
  std::int64_t r = 0;
  for (; r + kSums <= rows; r += kSums) {
    repeat<kSums>([&](auto i) {
      const auto value = load<T, W>(dy + (r + i()) * stride);
      sum[i()] += scale != nullptr ? value * scale[r + i()] : value;
    });
  }
  for (; r < rows; ++r) {
    sum[0] += load<T, W>(dy + r * stride) * (scale != nullptr ? scale[r] : T(1));
  }
  const auto all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  store<T, W>(total, load<T, W>(total) + without_first<T, W>(all, counted));
}

/// bias_partial[o] += sum over rows of scale * dy.
template <class T, int W>
void bias_gradient(const T* dy, const T* scale, std::int64_t rows, std::int64_t out, T* bias_partial) {
  const Cover<W> cover(out);
  for (std::int64_t v = 0; v < cover.full; ++v) {
    const std::int64_t column = cover.full_column(v);
    add_columns<T, W>(dy + column, out, scale, rows, v * W - column, bias_partial + column);
  }
  if constexpr (W >= 2) {
    if (cover.half) {
      const std::int64_t column = cover.half_column();
      add_columns<T, W / 2>(dy + column, out, scale, rows, cover.full * W - column, bias_partial + column);
    }
  }
}

/// gradient[r] = <dy[r], bias> for R rows, their sums over lanes taken together.
template <class T, int W, int R>
FACTORGCN_INLINE void bias_scale_rows(const T* dy, const T* bias, const Cover<W>& cover, T* gradient) {
  Vec<T, W> part[R] = {};
  if constexpr (W >= 2) {
    if (cover.half) {
      const std::int64_t column = cover.half_column();
      const auto factor = without_first<T, W / 2>(load<T, W / 2>(bias + column), cover.full * W - column);
      repeat<R>([&](auto r) { part[r()] = widen<T, W>(load<T, W / 2>(dy + r() * cover.columns + column) * factor); });
    }
  }
  for (std::int64_t v = 0; v < cover.full; ++v) {
    const std::int64_t column = cover.full_column(v);
    const auto factor = without_first<T, W>(load<T, W>(bias + column), v * W - column);
    repeat<R>([&](auto r) { part[r()] += load<T, W>(dy + r() * cover.columns + column) * factor; });
  }
  store<T, R>(gradient, lane_sums_made<T, W, W, R, 0>([&](auto r) { return part[r()]; }));
}

/// gradient[r] = <dy[r], bias>.
template <class T, int W>
void bias_scale_gradient(const T* dy, const T* bias, std::int64_t rows, std::int64_t out, T* gradient) {
  constexpr int kTogether = W >= 8 ? 8 : W;
  const Cover<W> cover(out);
  std::int64_t r = 0;
  for (; r + kTogether <= rows; r += kTogether) {
    bias_scale_rows<T, W, kTogether>(dy + r * out, bias, cover, gradient + r);
  }
  for (; r < rows; ++r) {
    bias_scale_rows<T, W, 1>(dy + r * out, bias, cover, gradient + r);
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
