// One round of routing: each neighbour's row is read once, for its products with u and for the sums.
//
// Capsules are some 8 to 32 columns wide: a capsule is covered by vectors of W whose last one may overlap its neighbour
// (see factor_aggregate.h); sums that go through memory take the rest column by column instead.
#pragma once

#include "ops/cpu/kernels/factor_aggregate.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

inline constexpr std::int64_t kCapsuleBuffer = 64;

template <class T, int W>
FACTORGCN_INLINE T capsule_dot(const T* a, const T* b, std::int64_t width) {
  auto sum = broadcast<T, W>(0);
  std::int64_t c = 0;
  for (; c + W <= width; c += W) {
    sum += load<T, W>(a + c) * load<T, W>(b + c);
  }
  T total = lane_sum<T, W>(sum);
  for (; c < width; ++c) {
    total += a[c] * b[c];
  }
  return total;
}

/// y += scale * x
template <class T, int W>
FACTORGCN_INLINE void capsule_add(const T* x, T scale, std::int64_t width, T* y) {
  std::int64_t c = 0;
  for (; c + W <= width; c += W) {
    store<T, W>(y + c, load<T, W>(y + c) + load<T, W>(x + c) * scale);
  }
  for (; c < width; ++c) {
    y[c] += scale * x[c];
  }
}

/// Shares of one neighbour among the capsules.
template <class T, int W>
FACTORGCN_INLINE void shares_of(const T* theirs, const T* own, std::int64_t capsules, std::int64_t width, T* shares) {
  T most = 0;
  for (std::int64_t k = 0; k < capsules; ++k) {
    shares[k] = capsule_dot<T, W>(theirs + k * width, own + k * width, width);
    most = k == 0 || shares[k] > most ? shares[k] : most;
  }
  constexpr int L = 4;
  T total = 0;
  std::int64_t k = 0;
  for (; k + L <= capsules; k += L) {
    store<T, L>(shares + k, exponential<T, L>(load<T, L>(shares + k) - broadcast<T, L>(most)));
  }
  for (; k < capsules; ++k) {
    shares[k] = exponential<T, 1>(shares[k] - most);
  }
  for (k = 0; k < capsules; ++k) {
    total += shares[k];
  }
  const T scale = T(1) / total;
  for (k = 0; k < capsules; ++k) {
    shares[k] *= scale;
  }
}

template <class T, int W>
void route_rows_as(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t capsules = problem.capsules, width = problem.width, size = capsules * width;
  alignas(64) T shares[kCapsuleBuffer];
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* own = problem.u + row * size;
    T* next = problem.next + row * size;
    for (std::int64_t c = 0; c < size; ++c) {
      next[c] = problem.x[row * size + c];
    }
    for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
      const T* theirs = problem.x + problem.in_sources[e] * size;
      shares_of<T, W>(theirs, own, capsules, width, shares);
      for (std::int64_t k = 0; k < capsules; ++k) {
        capsule_add<T, W>(theirs + k * width, shares[k], width, next + k * width);
      }
    }
    for (std::int64_t k = 0; k < capsules; ++k) {
      T* capsule = next + k * width;
      const T inverse =
          problem.unit ? T(1) / std::sqrt(capsule_dot<T, W>(capsule, capsule, width) + problem.eps) : T(1);
      problem.inverse_length[row * capsules + k] = inverse;
      for (std::int64_t c = 0; c < width; ++c) {
        capsule[c] *= inverse;
      }
    }
  }
}

/// The gradient of v, grad_u, and the shares and their logits' gradients in the order of out-edges.
template <class T, int W>
void route_targets_as(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t capsules = problem.capsules, width = problem.width, size = capsules * width;
  alignas(64) T inner[kCapsuleBuffer];
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    const T* own = problem.u + row * size;
    T* grad_sum = problem.grad_sum + row * size;
    T* grad_u = problem.grad_u + row * size;
    for (std::int64_t k = 0; k < capsules; ++k) {
      const T* next = problem.next_seen + row * size + k * width;
      const T* upstream = problem.grad_next + row * size + k * width;
      const T along = problem.unit ? capsule_dot<T, W>(next, upstream, width) : T(0);
      const T inverse = problem.inverse_length_seen[row * capsules + k];
      for (std::int64_t c = 0; c < width; ++c) {
        grad_sum[k * width + c] = (upstream[c] - next[c] * along) * inverse;
        grad_u[k * width + c] = 0;
      }
    }
    for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
      const T* theirs = problem.x + problem.in_sources[e] * size;
      const std::int64_t place = problem.in_to_out[e] * capsules;
      T* shares = problem.shares + place;
      T* logits = problem.grad_logits + place;
      shares_of<T, W>(theirs, own, capsules, width, shares);
      T mean = 0;
      for (std::int64_t k = 0; k < capsules; ++k) {
        inner[k] = capsule_dot<T, W>(theirs + k * width, grad_sum + k * width, width);
        mean += shares[k] * inner[k];
      }
      for (std::int64_t k = 0; k < capsules; ++k) {
        logits[k] = shares[k] * (inner[k] - mean);
        capsule_add<T, W>(theirs + k * width, logits[k], width, grad_u + k * width);
      }
    }
  }
}

template <class T, int W>
void route_sources_as(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t capsules = problem.capsules, width = problem.width, size = capsules * width;
  for (std::int64_t row = row_begin; row < row_end; ++row) {
    T* grad_x = problem.grad_x + row * size;
    for (std::int64_t c = 0; c < size; ++c) {
      grad_x[c] = problem.grad_sum[row * size + c];
    }
    for (std::int64_t e = problem.out_offsets[row]; e < problem.out_offsets[row + 1]; ++e) {
      const T* sum = problem.grad_sum + problem.out_targets[e] * size;
      const T* u = problem.u + problem.out_targets[e] * size;
      const T* shares = problem.shares + e * capsules;
      const T* logits = problem.grad_logits + e * capsules;
      for (std::int64_t k = 0; k < capsules; ++k) {
        capsule_add<T, W>(sum + k * width, shares[k], width, grad_x + k * width);
        capsule_add<T, W>(u + k * width, logits[k], width, grad_x + k * width);
      }
    }
  }
}

template <class T>
void route_rows(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { route_rows_as<T, w()>(problem, row_begin, row_end); });
}

template <class T>
void route_backward_targets(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { route_targets_as<T, w()>(problem, row_begin, row_end); });
}

template <class T>
void route_backward_sources(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_width<T>(problem.width, [&](auto w) { route_sources_as<T, w()>(problem, row_begin, row_end); });
}

/// The shares alone, in the order of in-edges.
template <class T>
void share_rows(const RouteProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  const std::int64_t size = problem.capsules * problem.width;
  with_width<T>(problem.width, [&](auto w) {
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      for (std::int64_t e = problem.in_offsets[row]; e < problem.in_offsets[row + 1]; ++e) {
        shares_of<T, w()>(problem.x + problem.in_sources[e] * size, problem.u + row * size, problem.capsules,
                          problem.width, problem.shares + e * problem.capsules);
      }
    }
  });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
