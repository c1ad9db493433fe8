// Which node an edge of a random graph ends at, where degrees are to follow a power law.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace factorgcn::bench {

/// A power law of exponent 2.5: node r of n, counted from the busiest, is drawn in proportion to r^(-2/3).
class NodeSpread {
 public:
  explicit NodeSpread(std::int64_t nodes) : nodes_(nodes), step_(nodes * 6 / 10 + 1) {
    // A step that shares no divisor with the number of nodes spreads the busy ones over all numbers.
    while (std::gcd(step_, nodes_) != 1) {
      ++step_;
    }
  }

  /// For u drawn uniformly from 0 .. 1.
  std::int32_t node_at(double u) const {
    const auto rank = std::min(static_cast<std::int64_t>(static_cast<double>(nodes_) * u * u * u), nodes_ - 1);
    return static_cast<std::int32_t>(rank * step_ % nodes_);
  }

 private:
  std::int64_t nodes_, step_;
};

}  // namespace factorgcn::bench
