// Random streams that give the same numbers on every machine, compiler and standard library.
//
// The generator is xoshiro256** seeded through SplitMix64. A stream is named by the user's seed and a purpose, so that
// adding a new use of randomness never shifts the numbers an old one sees.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "factorgcn/base/export.h"

namespace factorgcn {

class FACTORGCN_API RandomStream {
 public:
  /// A stream of its own for each (seed, purpose), e.g. RandomStream(0, "synthetic/permutation").
  RandomStream(std::uint64_t seed, std::string_view purpose);

  std::uint64_t next();

  /// Uniform in [0, 1) with 53 random bits.
  double uniform();

  /// Uniform in [low, high).
  double uniform(double low, double high);

  /// Uniform in 0 .. bound - 1 without bias. bound must be positive.
  std::uint64_t below(std::uint64_t bound);

  /// True with the given probability.
  bool chance(double probability);

  /// Fisher-Yates shuffle in place.
  template <class T>
  void shuffle(std::span<T> values) {
    for (std::size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(left)]);
    }
  }

  /// The generator's whole state, for checkpoints.
  using State = std::array<std::uint64_t, 4>;
  State state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  State state_;
};

}  // namespace factorgcn
