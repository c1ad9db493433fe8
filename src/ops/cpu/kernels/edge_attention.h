// Attention over in-edges: softmax of each row's scores, and its gradient.
//
// The heads of an edge lie together and are worked on as one vector where their number is a common one.
#pragma once

#include <limits>

#include "ops/cpu/kernels/factor_aggregate.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

template <class T, int K>
void attention_rows_as(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  using V = Vec<T, K>;
  const auto slope = broadcast<T, K>(problem.slope);
  for (std::int64_t head = 0; head < problem.heads; head += K) {
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      const std::int64_t begin = problem.in_offsets[row], end = problem.in_offsets[row + 1];
      if (begin == end) {
        continue;
      }
      const V own = load<T, K>(problem.right + row * problem.heads + head);
      V most = broadcast<T, K>(std::numeric_limits<T>::lowest());
      for (std::int64_t e = begin; e < end; ++e) {
        const V sum = own + load<T, K>(problem.left + problem.in_sources[e] * problem.heads + head);
        const V score = sum > broadcast<T, K>(0) ? sum : sum * slope;
        most = most < score ? score : most;
        store<T, K>(problem.alpha + e * problem.heads + head, score);
      }
      V total = broadcast<T, K>(0);
      for (std::int64_t e = begin; e < end; ++e) {
        T* place = problem.alpha + e * problem.heads + head;
        const V value = exponential<T, K>(load<T, K>(place) - most);
        total += value;
        store<T, K>(place, value);
      }
      const V share = broadcast<T, K>(1) / total;
      for (std::int64_t e = begin; e < end; ++e) {
        T* place = problem.alpha + e * problem.heads + head;
        store<T, K>(place, load<T, K>(place) * share);
      }
    }
  }
}

/// grad_right, and the gradients of the scores before the activation in the order of out-edges.
template <class T, int K>
void attention_targets_as(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  using V = Vec<T, K>;
  const auto slope = broadcast<T, K>(problem.slope), one = broadcast<T, K>(1);
  for (std::int64_t head = 0; head < problem.heads; head += K) {
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      const std::int64_t begin = problem.in_offsets[row], end = problem.in_offsets[row + 1];
      const V own = load<T, K>(problem.right + row * problem.heads + head);
      V inner = broadcast<T, K>(0), sum = broadcast<T, K>(0);
      for (std::int64_t e = begin; e < end; ++e) {
        const std::int64_t place = e * problem.heads + head;
        inner += load<T, K>(problem.alpha_seen + place) * load<T, K>(problem.grad_alpha + place);
      }
      for (std::int64_t e = begin; e < end; ++e) {
        const std::int64_t place = e * problem.heads + head;
        const V logit = own + load<T, K>(problem.left + problem.in_sources[e] * problem.heads + head);
        const V slopes = logit > broadcast<T, K>(0) ? one : slope;
        const V gradient =
            load<T, K>(problem.alpha_seen + place) * (load<T, K>(problem.grad_alpha + place) - inner) * slopes;
        store<T, K>(problem.grad_logits + problem.in_to_out[e] * problem.heads + head, gradient);
        sum += gradient;
      }
      store<T, K>(problem.grad_right + row * problem.heads + head, sum);
    }
  }
}

template <class T, int K>
void attention_sources_as(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  for (std::int64_t head = 0; head < problem.heads; head += K) {
    for (std::int64_t row = row_begin; row < row_end; ++row) {
      auto sum = broadcast<T, K>(0);
      for (std::int64_t e = problem.out_offsets[row]; e < problem.out_offsets[row + 1]; ++e) {
        sum += load<T, K>(problem.grad_logits + e * problem.heads + head);
      }
      store<T, K>(problem.grad_left + row * problem.heads + head, sum);
    }
  }
}

/// Calls body with the most heads of 8, 4, 2 or 1 that divide their number.
template <class Body>
FACTORGCN_INLINE void with_heads(std::int64_t heads, Body body) {
  if (heads % 8 == 0) {
    body(Width<8>{});
  } else if (heads % 4 == 0) {
    body(Width<4>{});
  } else if (heads % 2 == 0) {
    body(Width<2>{});
  } else {
    body(Width<1>{});
  }
}

template <class T>
void attention_rows(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_heads(problem.heads, [&](auto k) { attention_rows_as<T, k()>(problem, row_begin, row_end); });
}

template <class T>
void attention_backward_targets(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_heads(problem.heads, [&](auto k) { attention_targets_as<T, k()>(problem, row_begin, row_end); });
}

template <class T>
void attention_backward_sources(const AttentionProblem<T>& problem, std::int64_t row_begin, std::int64_t row_end) {
  with_heads(problem.heads, [&](auto k) { attention_sources_as<T, k()>(problem, row_begin, row_end); });
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
