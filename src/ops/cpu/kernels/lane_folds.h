// Sums over lanes of several vectors at once, and loops that are unrolled by the language.
#pragma once

#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Calls body(constant) for 0 .. N - 1.
template <int N, class Body>
FACTORGCN_INLINE void repeat(Body body) {
  [&]<int... I>(std::integer_sequence<int, I...>) { (body(Width<I>{}), ...); }
  (std::make_integer_sequence<int, N>{});
}

// A vector that holds several items, S lanes of partial sums each, is folded to S / 2 lanes each: either together with
// a second one, which keeps the width, or alone, which halves it.

template <int W, int S>
constexpr int fold_lane(int lane, bool upper) {
  const int item = lane / (S / 2), items = W / S;
  return item / items * W + item % items * S + lane % (S / 2) + (upper ? S / 2 : 0);
}

template <class T, int W, int S, std::size_t... I>
FACTORGCN_INLINE Vec<T, W> fold_pair(Vec<T, W> a, Vec<T, W> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, fold_lane<W, S>(I, false)...) +
         __builtin_shufflevector(a, b, fold_lane<W, S>(I, true)...);
}

template <class T, int W, int S, std::size_t... I>
FACTORGCN_INLINE Vec<T, W / 2> fold_one(Vec<T, W> a, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, a, fold_lane<W, S>(I, false)...) +
         __builtin_shufflevector(a, a, fold_lane<W, S>(I, true)...);
}

template <class T, int W, int S>
FACTORGCN_INLINE auto fold_to_items(Vec<T, W> a) {
  if constexpr (S == 1) {
    return a;
  } else {
    return fold_to_items<T, W / 2, S / 2>(fold_one<T, W, S>(a, std::make_index_sequence<W / 2>{}));
  }
}

template <class T, int W, int S, int P>
FACTORGCN_INLINE auto fold_parts(const Vec<T, W> (&part)[P]) {
  if constexpr (P == 1) {
    return fold_to_items<T, W, S>(part[0]);
  } else {
    Vec<T, W> half[P / 2];
#pragma GCC unroll 8
    for (int i = 0; i < P / 2; ++i) {
      half[i] = fold_pair<T, W, S>(part[2 * i], part[2 * i + 1], std::make_index_sequence<W>{});
    }
    return fold_parts<T, W, S / 2, P / 2>(half);
  }
}

/// The first half of a vector's lanes.
template <class V, int W = sizeof(V) / sizeof(V{}[0])>
FACTORGCN_INLINE auto low_half(V v) {
  return [&]<int... I>(std::integer_sequence<int, I...>) { return __builtin_shufflevector(v, v, I...); }
  (std::make_integer_sequence<int, W / 2>{});
}

/// v followed by zeros.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> widen(Vec<T, W / 2> v) {
  if constexpr (W == 2) {
    return Vec<T, W>{v, T(0)};
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) { return __builtin_shufflevector(v, Vec<T, W / 2>{}, I...); }
    (std::make_integer_sequence<int, W>{});
  }
}

/// v, loaded once: the compiler would rather load it again wherever it is used. Only for vectors that are one register,
/// others are left alone.
template <class V>
FACTORGCN_INLINE V kept(V v) {
#if defined(__x86_64__)
  if constexpr (sizeof(V) >= 16 && sizeof(V) <= FACTORGCN_VECTOR_BYTES) {
    asm("" : "+v"(v));
  }
#endif
  return v;
}

/// Halves are added until `Left` lanes are left.
template <class T, int W, int Left>
FACTORGCN_INLINE auto fold_halves(Vec<T, W> v) {
  if constexpr (W == Left) {
    return v;
  } else {
    return fold_halves<T, W / 2, Left>(half_sum<T, W>(v, std::make_index_sequence<W / 2>{}));
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
