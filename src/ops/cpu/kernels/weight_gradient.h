// The gradient of a small matrix: the sum over many rows of dy^T x.
//
// It is summed in vectors along whichever side of the matrix wastes fewer lanes: [out, in] or [in, out]. A partial sum
// therefore has a layout of its own, which unpack_partial() knows.
#pragma once

#include <cstdint>

#include "ops/cpu/kernels/column_cover.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Columns of one row of a partial sum whose vectors run along `n` columns.
template <class T>
std::int64_t covered_width(std::int64_t n) {
  std::int64_t width = 0;
  with_width<T>(n, [&](auto w) { width = Cover<w()>(n).width(); });
  return width;
}

/// What an instruction per vector of a covered row costs, in lanes: a vector below half the widest is no cheaper.
template <class T>
std::int64_t covered_cost(std::int64_t n) {
  std::int64_t cost = 0;
  with_width<T>(n, [&](auto w) {
    constexpr std::int64_t kLeast = kLanes<T> / 2;
    const Cover<w()> cover(n);
    cost = cover.full * (w() > kLeast ? w() : kLeast) + (cover.half ? kLeast : 0);
  });
  return cost;
}

/// True where vectors along the outputs are clearly cheaper than vectors along the inputs.
template <class T>
bool vectors_along_outputs(std::int64_t out, std::int64_t in) {
  return 10 * in * covered_cost<T>(out) <= 9 * out * covered_cost<T>(in) &&
         in * covered_width<T>(out) <= out * covered_width<T>(in);
}

/// Room per output that holds a partial sum in either layout.
template <class T>
std::int64_t partial_stride(std::int64_t in) {
  return covered_width<T>(in);
}

/// total[i][:] += sum over rows of a[r][i] * b[r][:] for R columns i of a and one panel of b's columns.
template <class T, int W, int NV, bool kHalf, int R>
FACTORGCN_INLINE void outer_block(const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride,
                                  std::int64_t rows, const std::int64_t* column, std::int64_t half_column, T* total,
                                  std::int64_t stride) {
  constexpr int H = W >= 2 ? W / 2 : 1;
  Vec<T, W> sum[R][NV > 0 ? NV : 1];
  Vec<T, H> half_sum[R];
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      sum[i][v] = load<T, W>(total + i * stride + v * W);
    }
    if constexpr (kHalf) {
      half_sum[i] = load<T, H>(total + i * stride + NV * W);
    }
  }
  for (std::int64_t r = 0; r < rows; ++r) {
    Vec<T, W> value[NV > 0 ? NV : 1];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      value[v] = load<T, W>(b + r * b_stride + column[v]);
    }
    Vec<T, H> half_value{};
    if constexpr (kHalf) {
      half_value = load<T, H>(b + r * b_stride + half_column);
    }
#pragma GCC unroll 8
    for (int i = 0; i < R; ++i) {
      const T factor = a[r * a_stride + i];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) {
        sum[i][v] += value[v] * factor;
      }
      if constexpr (kHalf) {
        half_sum[i] += half_value * factor;
      }
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < R; ++i) {
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      store<T, W>(total + i * stride + v * W, sum[i][v]);
    }
    if constexpr (kHalf) {
      store<T, H>(total + i * stride + NV * W, half_sum[i]);
    }
  }
}

/// outer_block for a number of columns of a that is known at run time, at most R.
template <class T, int W, int NV, bool kHalf, int R>
void outer_columns(std::int64_t count, const T* a, std::int64_t a_stride, const T* b, std::int64_t b_stride,
                   std::int64_t rows, const std::int64_t* column, std::int64_t half_column, T* total,
                   std::int64_t stride) {
  if constexpr (R > 1) {
    if (count < R) {
      return outer_columns<T, W, NV, kHalf, R - 1>(count, a, a_stride, b, b_stride, rows, column, half_column, total,
                                                   stride);
    }
  }
  outer_block<T, W, NV, kHalf, R>(a, a_stride, b, b_stride, rows, column, half_column, total, stride);
}

/// total [a_width, covered b_width] += a^T b over `rows` rows.
template <class T, int W>
void outer_sum(const T* a, std::int64_t a_width, const T* b, std::int64_t b_width, std::int64_t rows, T* total) {
  const Cover<W> cover(b_width);
  const std::int64_t stride = cover.width();
  std::int64_t vector = 0;
  for (std::int64_t p = 0; p < cover.panels(); ++p) {
    std::int64_t column[kPanelVectors] = {};
    for (std::int64_t v = 0; v < cover.vectors(p); ++v) {
      column[v] = cover.full_column(vector + v);
    }
    with_panel(cover.vectors(p), cover.half_in(p), [&](auto nv, auto half) {
      constexpr int kMost = row_block(nv() + half());
      // Blocks of nearly equal size: a last block of one column would wait for its own sums.
      const std::int64_t blocks = (a_width + kMost - 1) / kMost;
      for (std::int64_t block = 0, first = 0; block < blocks; ++block) {
        const std::int64_t count = a_width / blocks + (block < a_width % blocks ? 1 : 0);
        outer_columns<T, W, nv(), half() != 0, kMost>(count, a + first, a_width, b, b_width, rows, column,
                                                      cover.half_column(), total + first * stride + vector * W, stride);
        first += count;
      }
    });
    vector += cover.vectors(p);
  }
}

/// Adds dy^T x over `rows` rows to a partial sum.
template <class T>
void weight_gradient(const T* dy, std::int64_t out, const T* x, std::int64_t in, std::int64_t rows, T* partial) {
  if (vectors_along_outputs<T>(out, in)) {
    with_width<T>(out, [&](auto w) { outer_sum<T, w()>(x, in, dy, out, rows, partial); });
  } else {
    with_width<T>(in, [&](auto w) { outer_sum<T, w()>(dy, out, x, in, rows, partial); });
  }
}

/// Where column c of a covered row lies.
template <int W>
std::int64_t covered_place(const Cover<W>& cover, std::int64_t c) {
  const std::int64_t whole = cover.columns / W * W;
  if (c < whole) {
    return c;
  }
  return cover.half ? cover.full * W + c - cover.half_column() : (cover.full - 1) * W + c - (cover.columns - W);
}

template <class T>
void unpack_partial(const T* partial, std::int64_t out, std::int64_t in, T* gradient) {
  const bool along_outputs = vectors_along_outputs<T>(out, in);
  with_width<T>(along_outputs ? out : in, [&](auto w) {
    const Cover<w()> cover(along_outputs ? out : in);
    for (std::int64_t o = 0; o < out; ++o) {
      for (std::int64_t i = 0; i < in; ++i) {
        gradient[o * in + i] += along_outputs ? partial[i * cover.width() + covered_place(cover, o)]
                                              : partial[o * cover.width() + covered_place(cover, i)];
      }
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
