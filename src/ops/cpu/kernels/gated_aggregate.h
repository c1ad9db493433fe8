// Means with a gate per column: a vector of columns of one row walks the row's edges with its sums in registers.
#pragma once

#include "ops/cpu/kernels/factor_aggregate.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T>
FACTORGCN_INLINE std::int64_t type_of(const GatedProblem<T>& problem, std::int64_t edge) {
  return problem.edge_types != nullptr ? problem.edge_types[edge] : 0;
}

template <class T, int W>
void gated_rows_as(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  using V = Vec<T, W>;
  const std::int64_t width = problem.width, vectors = (width + W - 1) / W;
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t column = vector_column<W>(v, width);
      const V own = load<T, W>(problem.right + row * width + column);
      V sum = broadcast<T, W>(0), gates = broadcast<T, W>(0);
      for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
        const std::int64_t source = problem.in_sources[e];
        const T* left = problem.left + (source * problem.types + type_of(problem, e)) * width;
        const V gate = sigmoid<T, W>(own + load<T, W>(left + column));
        sum += gate * load<T, W>(problem.x + source * width + column);
        gates += gate;
      }
      const V inverse = broadcast<T, W>(1) / (gates + broadcast<T, W>(problem.eps));
      store<T, W>(problem.out + row * width + column, sum * inverse);
      store<T, W>(problem.inverse_sum + row * width + column, inverse);
    }
  }
}

/// grad_right, and grad_mean for the pass over sources.
template <class T, int W>
void gated_targets_as(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  using V = Vec<T, W>;
  const std::int64_t width = problem.width, vectors = (width + W - 1) / W;
  const V one = broadcast<T, W>(1);
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t column = vector_column<W>(v, width), place = row * width + column;
      const V own = load<T, W>(problem.right + place), out = load<T, W>(problem.out_seen + place);
      const V mean = load<T, W>(problem.grad_out + place) * load<T, W>(problem.inverse_sum_seen + place);
      V sum = broadcast<T, W>(0);
      for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
        const std::int64_t source = problem.in_sources[e];
        const T* left = problem.left + (source * problem.types + type_of(problem, e)) * width;
        const V gate = sigmoid<T, W>(own + load<T, W>(left + column));
        sum += gate * (one - gate) * (load<T, W>(problem.x + source * width + column) - out);
      }
      store<T, W>(problem.grad_mean + place, mean);
      store<T, W>(problem.grad_right + place, sum * mean);
    }
  }
}

/// grad_x and grad_left. The gradient of one type's gates goes through memory where there are several types; vectors
/// that overlap then start from zeros each time, and both write the same values.
template <class T, int W>
void gated_sources_as(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  using V = Vec<T, W>;
  const std::int64_t width = problem.width, vectors = (width + W - 1) / W, types = problem.types;
  const V one = broadcast<T, W>(1);
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    for (std::int64_t v = 0; v < vectors; ++v) {
      const std::int64_t column = vector_column<W>(v, width), place = row * width + column;
      const T* left = problem.left + row * types * width + column;
      T* grad_left = problem.grad_left + row * types * width + column;
      for (std::int64_t t = 0; t < types; ++t) {
        store<T, W>(grad_left + t * width, V{});
      }
      const V x = load<T, W>(problem.x + place);
      V sum = broadcast<T, W>(0);
      for (std::int64_t e = problem.out_offsets[row]; e < problem.out_offsets[row + 1]; ++e) {
        const std::int64_t target = problem.out_targets[e] * width + column, t = type_of(problem, e) * width;
        const V gate = sigmoid<T, W>(load<T, W>(left + t) + load<T, W>(problem.right + target));
        const V gated = gate * load<T, W>(problem.grad_mean + target);
        sum += gated;
        const V gradient = gated * (one - gate) * (x - load<T, W>(problem.out_seen + target));
        store<T, W>(grad_left + t, load<T, W>(grad_left + t) + gradient);
      }
      store<T, W>(problem.grad_x + place, sum);
    }
  }
}

template <class T>
void gated_rows(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { gated_rows_as<T, w()>(problem, row_begin, row_end); });
}

template <class T>
void gated_backward_targets(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { gated_targets_as<T, w()>(problem, row_begin, row_end); });
}

template <class T>
void gated_backward_sources(const GatedProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { gated_sources_as<T, w()>(problem, row_begin, row_end); });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
