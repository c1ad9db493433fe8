// How columns are covered by vectors.
//
// Vectors of W, the widest that fits, plus a half vector where at most half of one is left over; the last one overlaps
// its neighbour instead of reaching past the end.
#pragma once

#include <cstdint>

#include "ops/cpu/kernels/simd.h"

namespace factorgcn::cpu::FACTORGCN_ISA {
namespace {

inline constexpr int kPanelVectors = 3;

/// Rows that are multiplied together with a panel of so many vectors, a half one counted: as many as registers hold the
/// sums of. Fewer sums would wait for each other, and each value that is loaded would serve fewer of them.
constexpr int row_block(int vectors) {
  return FACTORGCN_VECTOR_BYTES == 64 ? 8 : (vectors >= 3 ? 4 : (vectors == 2 ? 6 : 8));
}

/// How n columns are covered by vectors of W: `full` whole vectors (the last may overlap) and perhaps a half one.
template <int W>
struct Cover {
  std::int64_t columns;
  std::int64_t full;
  bool half;

  explicit Cover(std::int64_t n) : columns(n), full(n / W), half(false) {
    const std::int64_t rest = n % W;
    if (rest > 0 && rest <= W / 2) {
      half = true;
    } else if (rest > 0) {
      ++full;
    }
  }
  std::int64_t panels() const { return (2 * full + (half ? 1 : 0) + 2 * kPanelVectors - 1) / (2 * kPanelVectors); }
  /// Whole vectors of panel p: spread evenly, the extra ones first, so that the last has room for the half vector.
  std::int64_t vectors(std::int64_t p) const { return full / panels() + (p < full % panels() ? 1 : 0); }
  bool half_in(std::int64_t p) const { return half && p + 1 == panels(); }
  std::int64_t full_column(std::int64_t v) const { return v * W + W <= columns ? v * W : columns - W; }
  std::int64_t half_column() const { return columns - W / 2; }
  std::int64_t width() const { return full * W + (half ? W / 2 : 0); }
};

/// Calls body(number of whole vectors, whether there is a half one) with both as compile-time numbers.
template <class Body>
FACTORGCN_INLINE void with_panel(std::int64_t vectors, bool half, Body body) {
  switch (vectors * 2 + (half ? 1 : 0)) {
    case 1:
      return body(Width<0>{}, Width<1>{});
    case 2:
      return body(Width<1>{}, Width<0>{});
    case 3:
      return body(Width<1>{}, Width<1>{});
    case 4:
      return body(Width<2>{}, Width<0>{});
    case 5:
      return body(Width<2>{}, Width<1>{});
    default:
      return body(Width<3>{}, Width<0>{});
  }
}

}  // namespace
}  // namespace factorgcn::cpu::FACTORGCN_ISA
