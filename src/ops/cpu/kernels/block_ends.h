// The end of a block (scale of rows, batch normalisation, activation) going backward, and pooling over graphs.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Vectors of columns whose sums are kept in registers while rows are walked.
inline constexpr int kColumnVectors = 3;

template <class T, int W, int NV>
void block_gradient_columns(const BlockGradient<T>& p, std::int64_t column) {
  using V = Vec<T, W>;
  V factor[NV], shift[NV], mean[NV], shared[NV], sum[NV], centred[NV];
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) {
    const std::int64_t c = column + v * W;
    factor[v] = load<T, W>(p.factor + c);
    shift[v] = load<T, W>(p.shift + c);
    mean[v] = load<T, W>(p.mean + c);
    shared[v] = p.grad_shared != nullptr ? load<T, W>(p.grad_shared + c) * p.shared_scale : V{};
    sum[v] = load<T, W>(p.sum + c);
    centred[v] = load<T, W>(p.centred_sum + c);
  }
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const std::int64_t at = row * p.columns + column;
    const T scale = p.row_scale != nullptr ? p.row_scale[row] : T(1);
#pragma GCC unroll 4
    for (int v = 0; v < NV; ++v) {
      const V scaled = load<T, W>(p.x + at + v * W) * scale;
      const V z = scaled * factor[v] + shift[v];
      V gradient = shared[v];
      if (p.grad_rows != nullptr) {
        gradient += load<T, W>(p.grad_rows + at + v * W);
      }
      gradient = z > V{} ? gradient : gradient * p.slope;
      store<T, W>(p.grad_z + at + v * W, gradient);
      sum[v] += gradient;
      centred[v] += gradient * (scaled - mean[v]);
    }
  }
#pragma GCC unroll 4
  for (int v = 0; v < NV; ++v) {
    store<T, W>(p.sum + column + v * W, sum[v]);
    store<T, W>(p.centred_sum + column + v * W, centred[v]);
  }
}

template <class T>
void block_gradient(const BlockGradient<T>& problem) {
  constexpr int W = kLanes<T>;
  std::int64_t column = 0;
  for (; column + kColumnVectors * W <= problem.columns; column += kColumnVectors * W) {
    block_gradient_columns<T, W, kColumnVectors>(problem, column);
  }
  for (; column + W <= problem.columns; column += W) {
    block_gradient_columns<T, W, 1>(problem, column);
  }
  for (; column < problem.columns; ++column) {
    block_gradient_columns<T, 1, 1>(problem, column);
  }
}

template <class T>
void block_input_gradient(const BlockInputGradient<T>& p) {
  const std::int64_t columns = p.columns;
  const T* __restrict a = p.a;
  const T* __restrict b = p.b;
  const T* __restrict c = p.c;
  for (std::int64_t row = 0; row < p.rows; ++row) {
    const T scale = p.row_scale != nullptr ? p.row_scale[row] : T(1);
    const T weight = p.target_weight != nullptr ? p.target_weight[row] : T(1);
    const T outer = weight * scale, added = weight * p.extra_scale;
    const T* __restrict x = p.x + row * columns;
    const T* __restrict dz = p.grad_z + row * columns;
    T* __restrict dx = p.grad_x + row * columns;
    if (b != nullptr && p.extra != nullptr) {
      const T* __restrict extra = p.extra + row * columns;
      for (std::int64_t i = 0; i < columns; ++i) {
        dx[i] = outer * (a[i] * dz[i] + (b[i] - c[i] * (x[i] * scale))) + added * extra[i];
      }
    } else if (b != nullptr) {
      for (std::int64_t i = 0; i < columns; ++i) {
        dx[i] = outer * (a[i] * dz[i] + (b[i] - c[i] * (x[i] * scale)));
      }
    } else if (p.extra != nullptr) {
      const T* __restrict extra = p.extra + row * columns;
      for (std::int64_t i = 0; i < columns; ++i) {
        dx[i] = outer * (a[i] * dz[i]) + added * extra[i];
      }
    } else {
      for (std::int64_t i = 0; i < columns; ++i) {
        dx[i] = outer * (a[i] * dz[i]);
      }
    }
  }
}

/// y += scale * x.
template <class T>
void add_scaled(const T* __restrict x, T scale, T* __restrict y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] += scale * x[i];
  }
}

/// Sums, or means, of the rows of each graph: graph g has rows offsets[g] - offsets[0] .. offsets[g + 1] - offsets[0].
template <class T>
void pool_graphs(const T* x, const std::int64_t* offsets, std::int64_t graphs, std::int64_t columns, bool mean,
                 T* pooled) {
  constexpr int W = kLanes<T>;
  for (std::int64_t g = 0; g < graphs; ++g) {
    const std::int64_t rows = offsets[g + 1] - offsets[g];
    const T share = mean && rows > 0 ? T(1) / static_cast<T>(rows) : T(1);
    const T* from = x + (offsets[g] - offsets[0]) * columns;
    T* to = pooled + g * columns;
    std::int64_t c = 0;
    for (; c + 2 * W <= columns; c += 2 * W) {
      Vec<T, W> one{}, two{};
      for (std::int64_t r = 0; r < rows; ++r) {
        one += load<T, W>(from + r * columns + c);
        two += load<T, W>(from + r * columns + c + W);
      }
      store<T, W>(to + c, one * share);
      store<T, W>(to + c + W, two * share);
    }
    for (; c + W <= columns; c += W) {
      Vec<T, W> one{};
      for (std::int64_t r = 0; r < rows; ++r) {
        one += load<T, W>(from + r * columns + c);
      }
      store<T, W>(to + c, one * share);
    }
    for (; c < columns; ++c) {
      T one = 0;
      for (std::int64_t r = 0; r < rows; ++r) {
        one += from[r * columns + c];
      }
      to[c] = one * share;
    }
  }
}

/// The gradient before a tanh whose results y were averaged over graphs; may be written over y.
template <class T>
void pooled_tanh_backward(const T* y, const T* grad_means, const std::int64_t* offsets, std::int64_t graphs,
                          std::int64_t columns, T* gradient) {
  constexpr int W = kLanes<T>;
  for (std::int64_t g = 0; g < graphs; ++g) {
    const std::int64_t rows = offsets[g + 1] - offsets[g];
    const T share = rows > 0 ? T(1) / static_cast<T>(rows) : T(1);
    const std::int64_t first = (offsets[g] - offsets[0]) * columns;
    const T* upstream = grad_means + g * columns;
    std::int64_t c = 0;
    for (; c + W <= columns; c += W) {
      const auto common = load<T, W>(upstream + c) * share;
      for (std::int64_t r = 0; r < rows; ++r) {
        const auto seen = load<T, W>(y + first + r * columns + c);
        store<T, W>(gradient + first + r * columns + c, common - common * seen * seen);
      }
    }
    for (; c < columns; ++c) {
      const T common = upstream[c] * share;
      for (std::int64_t r = 0; r < rows; ++r) {
        const T seen = y[first + r * columns + c];
        gradient[first + r * columns + c] = common - common * seen * seen;
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
