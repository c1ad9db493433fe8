// Activations and row sums. Plain loops over contiguous values: the compiler vectorises them.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T>
void tanh_backward(const T* __restrict y, const T* __restrict grad_y, T* __restrict grad_x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    grad_x[i] = grad_y[i] * (1 - y[i] * y[i]);
  }
}

template <class T>
void leaky_values(const T* __restrict x, T slope, T* __restrict y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    y[i] = x[i] > 0 ? x[i] : x[i] * slope;
  }
}

/// The sign of y tells that of x, since the slope is not negative.
template <class T>
void leaky_backward(const T* __restrict y, T slope, const T* __restrict grad_y, T* __restrict grad_x,
                    std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    grad_x[i] = y[i] > 0 ? grad_y[i] : grad_y[i] * slope;
  }
}

template <class T>
void add_rows(const T* __restrict x, std::int64_t rows, std::int64_t columns, T* __restrict sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      sums[c] += x[row * columns + c];
    }
  }
}

template <class T>
void spread_row(const T* __restrict x, T scale, std::int64_t rows, std::int64_t columns, T* __restrict y) {
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t c = 0; c < columns; ++c) {
      y[row * columns + c] = x[c] * scale;
    }
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
