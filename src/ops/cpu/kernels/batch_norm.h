// Batch normalisation over rows with the activation behind it. Plain loops over columns: the compiler vectorises them.
#pragma once

#include "ops/cpu/kernels.h"
#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T>
FACTORGCN_INLINE T scale_of_row(const BatchNormProblem<T>& problem, std::int64_t row) {
  return problem.row_scale != nullptr ? problem.row_scale[row] : T(1);
}

/// Two passes over rows that fit the second-level cache: the mean first, then the squares around it.
template <class T>
void column_moments(const BatchNormProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end,
                    T* __restrict mean, T* __restrict square_sum) {
  const std::int64_t columns = problem.columns;
  for (std::int64_t c = 0; c < columns; ++c) {
    mean[c] = 0;
    square_sum[c] = 0;
  }
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* x = problem.x + row * columns;
    const T scale = scale_of_row(problem, row);
    for (std::int64_t c = 0; c < columns; ++c) {
      mean[c] += x[c] * scale;
    }
  }
  const T share = T(1) / static_cast<T>(row_end - row_begin);
  for (std::int64_t c = 0; c < columns; ++c) {
    mean[c] *= share;
  }
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* x = problem.x + row * columns;
    const T scale = scale_of_row(problem, row);
    for (std::int64_t c = 0; c < columns; ++c) {
      const T difference = x[c] * scale - mean[c];
      square_sum[c] += difference * difference;
    }
  }
}

template <class T>
void batch_norm_rows(const BatchNormProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t columns = problem.columns;
  const T* __restrict factor = problem.factor;
  const T* __restrict shift = problem.shift;
  const T slope = problem.slope;
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* __restrict x = problem.x + row * columns;
    T* __restrict y = problem.y + row * columns;
    const T scale = scale_of_row(problem, row);
    for (std::int64_t c = 0; c < columns; ++c) {
      const T z = x[c] * scale * factor[c] + shift[c];
      y[c] = z > 0 ? z : z * slope;
    }
  }
}

template <class T>
void batch_norm_backward_sums(const BatchNormProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end,
                              T* __restrict grad_sum, T* __restrict grad_hat_sum) {
  const std::int64_t columns = problem.columns;
  const T* __restrict mean = problem.mean;
  const T* __restrict inverse = problem.inverse_deviation;
  const T* __restrict factor = problem.factor;
  const T* __restrict shift = problem.shift;
  const T slope = problem.slope;
  for (std::int64_t c = 0; c < columns; ++c) {
    grad_sum[c] = 0;
    grad_hat_sum[c] = 0;
  }
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* __restrict x = problem.x + row * columns;
    const T* __restrict dy = problem.grad_y + row * columns;
    const T scale = scale_of_row(problem, row);
    for (std::int64_t c = 0; c < columns; ++c) {
      const T dz = x[c] * scale * factor[c] + shift[c] > 0 ? dy[c] : dy[c] * slope;
      grad_sum[c] += dz;
      grad_hat_sum[c] += dz * ((x[c] * scale - mean[c]) * inverse[c]);
    }
  }
}

template <class T>
void batch_norm_backward_rows(const BatchNormProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t columns = problem.columns;
  const T* __restrict mean = problem.mean;
  const T* __restrict inverse = problem.inverse_deviation;
  const T* __restrict factor = problem.factor;
  const T* __restrict shift = problem.shift;
  const T* __restrict mean_term = problem.grad_mean_term;
  const T* __restrict variance_term = problem.grad_variance_term;
  const T slope = problem.slope;
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* __restrict x = problem.x + row * columns;
    const T* __restrict dy = problem.grad_y + row * columns;
    T* __restrict dx = problem.grad_x + row * columns;
    const T scale = scale_of_row(problem, row);
    if (mean_term != nullptr) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const T dz = x[c] * scale * factor[c] + shift[c] > 0 ? dy[c] : dy[c] * slope;
        const T hat = (x[c] * scale - mean[c]) * inverse[c];
        dx[c] = (dz - mean_term[c] - hat * variance_term[c]) * factor[c] * scale;
      }
    } else {
      for (std::int64_t c = 0; c < columns; ++c) {
        const T dz = x[c] * scale * factor[c] + shift[c] > 0 ? dy[c] : dy[c] * slope;
        dx[c] = dz * factor[c] * scale;
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
