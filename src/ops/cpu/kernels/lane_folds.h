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

/// The N vectors make(constant) from number First on, which hold items of S lanes, folded into one in which an item has
/// S / N lanes. They are folded as they come: few of them are in registers at a time.
template <class T, int W, int S, int N, int First, class Make>
FACTORGCN_INLINE Vec<T, W> fold_made(const Make& make) {
  if constexpr (N == 1) {
    return make(Width<First>{});
  } else {
    const Vec<T, W> a = fold_made<T, W, S, N / 2, First>(make);
    const Vec<T, W> b = fold_made<T, W, S, N / 2, First + N / 2>(make);
    return fold_pair<T, W, S / N * 2>(a, b, std::make_index_sequence<W>{});
  }
}

// The same by blocks of 16 bytes: inside those a vector of 32 bytes is shuffled by one instruction that takes from two
// vectors, across them by two or three. So the blocks are added up first, and then each block is folded by itself.

/// Lanes of a block.
template <class T>
inline constexpr int kBlockLanes = 16 / static_cast<int>(sizeof(T));

template <class T, int S>
constexpr int fold_block_lane(int lane, int width, bool upper) {
  const int in_block = lane % kBlockLanes<T>, item = in_block / (S / 2), items = kBlockLanes<T> / S;
  return item / items * width + lane / kBlockLanes<T> * kBlockLanes<T> + item % items * S + in_block % (S / 2) +
         (upper ? S / 2 : 0);
}

template <class T, int W, int S, std::size_t... I>
FACTORGCN_INLINE Vec<T, W> fold_blocks(Vec<T, W> a, Vec<T, W> b, std::index_sequence<I...>) {
  return __builtin_shufflevector(a, b, fold_block_lane<T, S>(I, W, false)...) +
         __builtin_shufflevector(a, b, fold_block_lane<T, S>(I, W, true)...);
}

/// fold_made() with item i in block i % blocks.
template <class T, int W, int S, int N, int First, class Make>
FACTORGCN_INLINE Vec<T, W> fold_made_by_blocks(const Make& make) {
  constexpr int kFirst = S / kBlockLanes<T>;  // vectors after whose folding an item has a block
  if constexpr (N == kFirst) {
    return fold_made<T, W, S, N, First>(make);
  } else {
    const Vec<T, W> a = fold_made_by_blocks<T, W, S, N / 2, First>(make);
    const Vec<T, W> b = fold_made_by_blocks<T, W, S, N / 2, First + N / 2>(make);
    return fold_blocks<T, W, S / N * 2>(a, b, std::make_index_sequence<W>{});
  }
}

template <class T, int W, int S>
FACTORGCN_INLINE Vec<T, W> fold_blocks_alone(Vec<T, W> v) {
  if constexpr (S == 1) {
    return v;
  } else {
    return fold_blocks_alone<T, W, S / 2>(fold_blocks<T, W, S>(v, v, std::make_index_sequence<W>{}));
  }
}

/// The items in order, from where fold_made_by_blocks() has left them.
template <class T, int W, int... I>
FACTORGCN_INLINE Vec<T, sizeof...(I)> from_blocks(Vec<T, W> v, std::integer_sequence<int, I...>) {
  constexpr int kBlocks = W / kBlockLanes<T>;
  return __builtin_shufflevector(v, v, (I % kBlocks * kBlockLanes<T> + I / kBlocks)...);
}

/// The sums of the items' lanes of the N vectors make(constant) from number First on, a lane each. An item has S lanes.
template <class T, int W, int S, int N, int First, class Make>
FACTORGCN_INLINE Vec<T, N*(W / S)> lane_sums_made(const Make& make) {
  constexpr bool kByBlocks = FACTORGCN_VECTOR_BYTES == 32 && W == 2 * kBlockLanes<T> && S >= kBlockLanes<T>;
  if constexpr (N == 1 && S == W) {
    return lane_sum<T, W>(make(Width<First>{}));
  } else if constexpr (kByBlocks) {
    const Vec<T, W> folded = fold_blocks_alone<T, W, S / N>(fold_made_by_blocks<T, W, S, N, First>(make));
    return from_blocks<T, W>(folded, std::make_integer_sequence<int, (N * (W / S))>{});
  } else {
    return fold_to_items<T, W, S / N>(fold_made<T, W, S, N, First>(make));
  }
}

/// N lanes of a vector from First on.
template <class T, int First, int N, class V>
FACTORGCN_INLINE Vec<T, N> some_lanes(V v) {
  if constexpr (N == 1 && sizeof(V) == sizeof(T)) {
    return v;
  } else if constexpr (N == 1) {
    return v[First];
  } else {
    return [&]<int... I>(std::integer_sequence<int, I...>) { return __builtin_shufflevector(v, v, First + I...); }
    (std::make_integer_sequence<int, N>{});
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
