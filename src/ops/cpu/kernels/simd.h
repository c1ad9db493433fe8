// Vectors of W values and the few functions on them that the kernels need.
//
// Built on the compiler's vector extension: one source serves every instruction set, and a width the hardware lacks is
// split by the compiler. Included by kernels_*.cpp only, inside a namespace per instruction set, so that no function
// built for a newer processor can be picked by the linker for an older one.
#pragma once

#include <cmath>
#include <cstdint>
#include <utility>

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "ops/gate.h"

#define FACTORGCN_INLINE inline __attribute__((always_inline))

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

/// Values in the widest vector of this instruction set.
template <class T>
inline constexpr int kLanes = FACTORGCN_VECTOR_BYTES / static_cast<int>(sizeof(T));

template <class T>
inline constexpr std::int64_t kBytes = static_cast<std::int64_t>(sizeof(T));

template <class T, int W>
struct VecType {
  typedef T type __attribute__((vector_size(sizeof(T) * W)));
};
template <class T>
struct VecType<T, 1> {
  using type = T;
};
template <class T, int W>
using Vec = typename VecType<T, W>::type;

template <class T, int W>
FACTORGCN_INLINE Vec<T, W> load(const T* from) {
  Vec<T, W> v;
  __builtin_memcpy(&v, from, sizeof(v));
  return v;
}

/// W values of which only the first `wanted` are looked at: another thread may be writing the others. One load,
/// but where ThreadSanitizer watches, which cannot know that.
template <class T, int W, int wanted>
FACTORGCN_INLINE Vec<T, W> load_first(const T* from) {
#if defined(__SANITIZE_THREAD__)
  Vec<T, W> v{};
  __builtin_memcpy(&v, from, sizeof(T) * (wanted < W ? wanted : W));
  return v;
#else
  return load<T, W>(from);
#endif
}

template <class T, int W>
FACTORGCN_INLINE void store(T* to, Vec<T, W> v) {
  __builtin_memcpy(to, &v, sizeof(v));
}

/// value in every lane. Subtracting zero keeps the sign of a zero and costs nothing.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> broadcast(T value) {
  if constexpr (W == 1) {
    return value;
  } else {
    return value - Vec<T, W>{};
  }
}

template <class T, int W, std::size_t... I>
FACTORGCN_INLINE Vec<T, W / 2> half_sum(Vec<T, W> v, std::index_sequence<I...>) {
  if constexpr (W == 2) {
    return v[0] + v[1];
  } else {
    return __builtin_shufflevector(v, v, static_cast<int>(I)...) +
           __builtin_shufflevector(v, v, static_cast<int>(I + W / 2)...);
  }
}

/// Sum of all lanes, always in the same order: halves are added until one lane is left.
template <class T, int W>
FACTORGCN_INLINE T lane_sum(Vec<T, W> v) {
  if constexpr (W == 1) {
    return v;
  } else {
    return lane_sum<T, W / 2>(half_sum<T, W>(v, std::make_index_sequence<W / 2>{}));
  }
}

/// Halves are added until four lanes are left.
template <class T, int W>
FACTORGCN_INLINE Vec<T, 4> quarter_sum(Vec<T, W> v) {
  if constexpr (W == 4) {
    return v;
  } else {
    return quarter_sum<T, W / 2>(half_sum<T, W>(v, std::make_index_sequence<W / 2>{}));
  }
}

/// (lane_sum(a), lane_sum(b), lane_sum(c), lane_sum(d)) with shared shuffles. W >= 4.
template <class T, int W>
FACTORGCN_INLINE Vec<T, 4> lane_sums(Vec<T, W> a, Vec<T, W> b, Vec<T, W> c, Vec<T, W> d) {
  const auto qa = quarter_sum<T, W>(a), qb = quarter_sum<T, W>(b), qc = quarter_sum<T, W>(c), qd = quarter_sum<T, W>(d);
  const auto ab = __builtin_shufflevector(qa, qb, 0, 4, 1, 5) + __builtin_shufflevector(qa, qb, 2, 6, 3, 7);
  const auto cd = __builtin_shufflevector(qc, qd, 0, 4, 1, 5) + __builtin_shufflevector(qc, qd, 2, 6, 3, 7);
  return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// v with its first `count` lanes zero.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> without_first(Vec<T, W> v, std::int64_t count) {
  // A window into zeros followed by ones, placed so that `count` zeros come first.
  alignas(64) static constexpr auto kMask = [] {
    struct {
      T values[2 * W];
    } mask{};
    for (int lane = W; lane < 2 * W; ++lane) {
      mask.values[lane] = 1;
    }
    return mask;
  }();
  return count == 0 ? v : v * load<T, W>(kMask.values + W - count);
}

/// e^x to about 1 unit in the last place. Single precision: 2^n * e^r with |r| <= ln2 / 2 and a Taylor polynomial in r;
/// x is clamped so that the result stays a normal number; NaN stays NaN. Double precision, used for checking: libm.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> exponential(Vec<T, W> x) {
  using V = Vec<T, W>;
  if constexpr (sizeof(T) == sizeof(double)) {
    T lanes[W];
    store<T, W>(lanes, x);
    for (T& lane : lanes) {
      lane = std::exp(lane);
    }
    return load<T, W>(lanes);
  } else {
    using U = Vec<std::uint32_t, W>;
    const V low = broadcast<T, W>(-87.3F), high = broadcast<T, W>(88.0F);
    x = x < low ? low : x;
    x = x > high ? high : x;
    // Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits of the sum.
    const V magic = broadcast<T, W>(12582912.0F);
    const V shifted = x * 1.44269504F + magic;
    const V n = shifted - magic;
    V r = x - n * 0.693359375F;
    r = r + n * 2.12194440e-4F;
    V p = r * (1.0F / 5040) + broadcast<T, W>(1.0F / 720);
    p = p * r + broadcast<T, W>(1.0F / 120);
    p = p * r + broadcast<T, W>(1.0F / 24);
    p = p * r + broadcast<T, W>(1.0F / 6);
    p = p * r + broadcast<T, W>(0.5F);
    p = p * r + broadcast<T, W>(1.0F);
    p = p * r + broadcast<T, W>(1.0F);
    const U scaled = __builtin_bit_cast(U, p) + (__builtin_bit_cast(U, shifted) << 23);
    return __builtin_bit_cast(V, scaled);
  }
}

/// x within low .. high; NaN stays NaN. In one instruction each where the compiler would compare and choose.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> clamp(Vec<T, W> x, T low, T high) {
  const auto least = broadcast<T, W>(low), most = broadcast<T, W>(high);
#if defined(__AVX512F__)
  if constexpr (sizeof(T) == sizeof(float) && W == 16) {
    // With a mask of all lanes, as GCC 12 warns of the undefined value in the plain ones.
    return _mm512_maskz_min_ps(0xFFFF, most, _mm512_maskz_max_ps(0xFFFF, least, x));
  }
#endif
  x = x < least ? least : x;
  return x > most ? most : x;
}

/// 1 / (1 + e^(-scale x)). Single precision: a power of two with a polynomial of degree 5 that is at most 7.5e-8 off.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> sigmoid(Vec<T, W> x, T scale = 1) {
  using V = Vec<T, W>;
  if constexpr (sizeof(T) == sizeof(double)) {
    return broadcast<T, W>(1) / (broadcast<T, W>(1) + exponential<T, W>(x * -scale));
  } else {
    using U = Vec<std::uint32_t, W>;
    x = clamp<T, W>(x * (-1.44269504F * scale), -126.0F, 126.0F);
    const V magic = broadcast<T, W>(12582912.0F);  // see exponential()
    const V shifted = x + magic;
    const V r = x - (shifted - magic);
    V p = r * 1.32764725e-3F + broadcast<T, W>(9.67554096e-3F);
    p = p * r + broadcast<T, W>(5.55071309e-2F);
    p = p * r + broadcast<T, W>(0.240221202F);
    p = p * r + broadcast<T, W>(0.693146944F);
    p = p * r + broadcast<T, W>(1.00000012F);
    const V power = __builtin_bit_cast(V, __builtin_bit_cast(U, p) + (__builtin_bit_cast(U, shifted) << 23));
    return broadcast<T, W>(1) / (broadcast<T, W>(1) + power);
  }
}

/// The same with the scale given beforehand, for one value or a vector of any width.
template <class T>
class ScaledSigmoid {
 public:
  using Value = T;
  FACTORGCN_INLINE explicit ScaledSigmoid(T scale) : scale_(scale) {}
  template <class V>
  FACTORGCN_INLINE V operator()(V x) const {
    return sigmoid<T, sizeof(V) / sizeof(T)>(x, scale_);
  }

 private:
  T scale_;
};

template <class T>
using Gate = GateFormula<ScaledSigmoid<T>>;

/// tanh x = t / (t + 2) with t = e^2x - 1, which keeps its relative accuracy near zero: 2x / ln2 = n + r, and
/// t = 2^n (2^r - 1) + (2^n - 1) with a polynomial for (2^r - 1) / r that is at most 1.1e-8 off. Beyond |x| = 9.1 it is
/// 1 in single precision.
template <class T, int W>
FACTORGCN_INLINE Vec<T, W> hyperbolic_tangent(Vec<T, W> x) {
  using V = Vec<T, W>;
  if constexpr (sizeof(T) == sizeof(double)) {
    T lanes[W];
    store<T, W>(lanes, x);
    for (T& lane : lanes) {
      lane = std::tanh(lane);
    }
    return load<T, W>(lanes);
  } else {
    using U = Vec<std::uint32_t, W>;
    x = clamp<T, W>(x, -9.1F, 9.1F);
    const V magic = broadcast<T, W>(12582912.0F);  // see exponential()
    const V shifted = x * 2.88539008F + magic;
    const V r = x * 2.88539008F - (shifted - magic);
    V p = r * 1.540351258e-4F + broadcast<T, W>(1.339073548e-3F);
    p = p * r + broadcast<T, W>(9.618237494e-3F);
    p = p * r + broadcast<T, W>(5.550357434e-2F);
    p = p * r + broadcast<T, W>(0.2402264979F);
    p = p * r + broadcast<T, W>(0.6931471879F);
    const V power = __builtin_bit_cast(V, (__builtin_bit_cast(U, shifted) << 23) + 0x3F800000U);  // 2^n
    const V t = power * (p * r) + (power - broadcast<T, W>(1));
    return t / (t + broadcast<T, W>(2));
  }
}

/// Calls body(constant) with W as a compile-time number.
template <int W>
using Width = std::integral_constant<int, W>;

/// The widest vector that fits into `columns` values.
template <class T, class Body>
FACTORGCN_INLINE void with_width(std::int64_t columns, Body body) {
  if constexpr (kLanes<T> >= 16) {
    if (columns >= 16) {
      return body(Width<16>{});
    }
  }
  if constexpr (kLanes<T> >= 8) {
    if (columns >= 8) {
      return body(Width<8>{});
    }
  }
  if constexpr (kLanes<T> >= 4) {
    if (columns >= 4) {
      return body(Width<4>{});
    }
  }
  if (columns >= 2) {
    return body(Width<2>{});
  }
  body(Width<1>{});
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
