// Products of many rows with a small matrix, and their gradients.
//
// A panel is up to three vectors of columns of the small matrix (column_cover.h), packed [depth][columns]; a block of
// some rows times one panel is summed in registers.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/bias_gradient.h"
#include "ops/cpu/kernels/column_cover.h"
#include "ops/cpu/kernels/simd.h"
#include "ops/cpu/kernels/weight_gradient.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T>
std::int64_t panels_size(std::int64_t depth, std::int64_t columns) {
  std::int64_t size = 0;
  with_width<T>(columns, [&](auto w) { size = depth * Cover<w()>(columns).width(); });
  return size;
}

template <class T>
void pack_panels(const T* matrix, std::int64_t depth_stride, std::int64_t column_stride, std::int64_t depth,
                 std::int64_t columns, T* panels) {
  with_width<T>(columns, [&](auto w) {
    constexpr int W = w();
    const Cover<W> cover(columns);
    std::int64_t vector = 0;
    for (std::int64_t p = 0; p < cover.panels(); ++p) {
      for (std::int64_t k = 0; k < depth; ++k) {
        const T* row = matrix + k * depth_stride;
        for (std::int64_t v = 0; v < cover.vectors(p); ++v) {
          const std::int64_t column = cover.full_column(vector + v);
          for (int lane = 0; lane < W; ++lane) {
            *panels++ = row[(column + lane) * column_stride];
          }
        }
        if (cover.half_in(p)) {
          for (int lane = 0; lane < W / 2; ++lane) {
            *panels++ = row[(cover.half_column() + lane) * column_stride];
          }
        }
      }
      vector += cover.vectors(p);
    }
  });
}

/// R rows of a [.., depth] times one panel of NV whole vectors and perhaps a half one, into R rows of c.
template <class T, int W, int NV, bool kHalf, int R>
FACTORGCN_INLINE void multiply_block(const T* a, std::int64_t depth, const T* panel, const std::int64_t* column,
                                     std::int64_t half_column, const T* bias, const T* bias_scale, T* c,
                                     std::int64_t c_stride) {
  constexpr int H = W >= 2 ? W / 2 : 1;
  constexpr int kStride = NV * W + (kHalf ? H : 0);
  Vec<T, W> sum[R][NV > 0 ? NV : 1] = {};
  Vec<T, H> half_sum[R] = {};
  for (std::int64_t k = 0; k < depth; ++k) {
    Vec<T, W> b[NV > 0 ? NV : 1];
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      b[v] = load<T, W>(panel + v * W);
    }
    Vec<T, H> half_b{};
    if constexpr (kHalf) {
      half_b = load<T, H>(panel + NV * W);
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r) {
      const T value = a[r * depth + k];
#pragma GCC unroll 4
      for (int v = 0; v < NV; ++v) {
        sum[r][v] += b[v] * value;
      }
      if constexpr (kHalf) {
        half_sum[r] += half_b * value;
      }
    }
    panel += kStride;
  }
#pragma GCC unroll 8
  for (int r = 0; r < R; ++r) {
    const T scale = bias_scale != nullptr ? bias_scale[r] : T(1);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      if (bias != nullptr) {
        sum[r][v] += load<T, W>(bias + column[v]) * scale;
      }
      store<T, W>(c + r * c_stride + column[v], sum[r][v]);
    }
    if constexpr (kHalf) {
      if (bias != nullptr) {
        half_sum[r] += load<T, H>(bias + half_column) * scale;
      }
      store<T, H>(c + r * c_stride + half_column, half_sum[r]);
    }
  }
}

/// multiply_block for all rows, R at a time, then for those that are left.
template <class T, int W, int NV, bool kHalf, int R>
void multiply_panel(const T* a, std::int64_t rows, std::int64_t depth, const T* panel, const std::int64_t* column,
                    std::int64_t half_column, const T* bias, const T* bias_scale, T* c, std::int64_t c_stride) {
  std::int64_t r = 0;
  for (; r + R <= rows; r += R) {
    multiply_block<T, W, NV, kHalf, R>(a + r * depth, depth, panel, column, half_column, bias,
                                       bias_scale != nullptr ? bias_scale + r : nullptr, c + r * c_stride, c_stride);
  }
  if constexpr (R > 1) {
    if (r < rows) {
      multiply_panel<T, W, NV, kHalf, (R > 4 ? 4 : R / 2)>(a + r * depth, rows - r, depth, panel, column, half_column,
                                                           bias, bias_scale != nullptr ? bias_scale + r : nullptr,
                                                           c + r * c_stride, c_stride);
    }
  }
}

/// c [rows, columns] = a [rows, depth] * B + bias_scale * bias, B packed.
template <class T, int W>
void multiply_rows(const T* a, std::int64_t rows, std::int64_t depth, const T* panels, std::int64_t columns,
                   const T* bias, const T* bias_scale, T* c) {
  const Cover<W> cover(columns);
  std::int64_t vector = 0;
  const T* panel = panels;
  for (std::int64_t p = 0; p < cover.panels(); ++p) {
    const std::int64_t vectors = cover.vectors(p);
    const bool half = cover.half_in(p);
    std::int64_t column[kPanelVectors] = {};
    for (std::int64_t v = 0; v < vectors; ++v) {
      column[v] = cover.full_column(vector + v);
    }
    with_panel(vectors, half, [&](auto nv, auto with_half) {
      multiply_panel<T, W, nv(), with_half() != 0, row_block(nv() + with_half())>(
          a, rows, depth, panel, column, cover.half_column(), bias, bias_scale, c, columns);
    });
    panel += depth * (vectors * W + (half ? W / 2 : 0));
    vector += vectors;
  }
}

template <class T>
void tanh_values(const T* x, T* y, std::int64_t count) {
  constexpr int W = kLanes<T>;
  std::int64_t i = 0;
  for (; i + W <= count; i += W) {
    store<T, W>(y + i, hyperbolic_tangent<T, W>(load<T, W>(x + i)));
  }
  for (; i < count; ++i) {
    y[i] = hyperbolic_tangent<T, 1>(x[i]);
  }
}

template <class T>
void dense_rows(const DenseProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.out, [&](auto w) {
    for (std::int64_t row = row_begin; row < row_end; row += kDenseTileRows) {
      const std::int64_t rows = row_end - row < kDenseTileRows ? row_end - row : kDenseTileRows;
      T* y = problem.y + row * problem.out;
      multiply_rows<T, w()>(problem.x + row * problem.in, rows, problem.in, problem.forward_panels, problem.out,
                            problem.bias, problem.bias_scale != nullptr ? problem.bias_scale + row : nullptr, y);
      if (problem.tanh) {
        tanh_values(y, y, rows * problem.out);
      }
    }
  });
}

// ---- gradients -----------------------------------------------------------------------------------------------------

/// The gradient of a tile of rows before the activation, taken from the rows' own or from their average's gradient.
template <class T>
void gradient_before_tanh(const DenseProblem<T>& problem, std::int64_t row, std::int64_t rows, T* __restrict gradient) {
  const std::int64_t out = problem.out;
  const T* __restrict y = problem.y_seen + row * out;
  if (problem.pool_period == 0) {
    const T* __restrict upstream = problem.grad_y + row * out;
    for (std::int64_t i = 0; i < rows * out; ++i) {
      gradient[i] = upstream[i] * (1 - y[i] * y[i]);
    }
    return;
  }
  // Runs of whole periods: one flat loop each, since a period's rows follow each other in the average's gradient too.
  const T scale = problem.pool_scale;
  for (std::int64_t r = 0; r < rows;) {
    const std::int64_t phase = (row + r) % problem.pool_period;
    const std::int64_t run = problem.pool_period - phase < rows - r ? problem.pool_period - phase : rows - r;
    const T* __restrict upstream = problem.grad_y + phase * out;
    const T* __restrict seen = y + r * out;
    T* __restrict to = gradient + r * out;
    for (std::int64_t i = 0; i < run * out; ++i) {
      to[i] = problem.tanh ? upstream[i] * scale * (1 - seen[i] * seen[i]) : upstream[i] * scale;
    }
    r += run;
  }
}

template <class T>
void dense_backward_rows(const DenseProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end,
                         T* weight_partial, T* bias_partial, T* scratch) {
  const std::int64_t in = problem.in, out = problem.out;
  for (std::int64_t row = row_begin; row < row_end; row += kDenseTileRows) {
    const std::int64_t rows = row_end - row < kDenseTileRows ? row_end - row : kDenseTileRows;
    const T* dy = problem.grad_y + row * out;
    if (problem.tanh || problem.pool_period > 0) {
      gradient_before_tanh(problem, row, rows, scratch);
      dy = scratch;
    }
    if (problem.grad_x != nullptr) {
      with_width<T>(in, [&](auto w) {
        multiply_rows<T, w()>(dy, rows, out, problem.backward_panels, in, nullptr, nullptr, problem.grad_x + row * in);
      });
    }
    if (weight_partial != nullptr) {
      weight_gradient<T>(dy, out, problem.x + row * in, in, rows, weight_partial);
    }
    const T* scale = problem.bias_scale != nullptr ? problem.bias_scale + row : nullptr;
    with_width<T>(out, [&](auto w) {
      if (bias_partial != nullptr) {
        bias_gradient<T, w()>(dy, scale, rows, out, bias_partial);
      }
      if (problem.grad_bias_scale != nullptr) {
        bias_scale_gradient<T, w()>(dy, problem.bias, rows, out, problem.grad_bias_scale + row);
      }
    });
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
