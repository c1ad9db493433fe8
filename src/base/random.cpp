// xoshiro256** with SplitMix64 seeding. Integer arithmetic and one explicit fused multiply-add only, so every machine
// draws the same numbers. Cost: about a nanosecond a number; building a stream reads its purpose once.
#include "factorgcn/base/random.h"

#include <bit>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

__extension__ using Wide = unsigned __int128;

/// SplitMix64: a counter with a strong mixer, so that seeds 0, 1, 2, ... give unrelated streams.
std::uint64_t split_mix(std::uint64_t& counter) {
  counter += 0x9e3779b97f4a7c15ULL;
  std::uint64_t mixed = counter;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
  return mixed ^ (mixed >> 31);
}

/// FNV-1a over the bytes of a name.
std::uint64_t hash_name(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char letter : name) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose) {
  // The seed is mixed before it meets the name: otherwise nearby seeds and names that hash nearby could meet.
  std::uint64_t counter = seed;
  counter = split_mix(counter) ^ hash_name(purpose);
  // Four consecutive outputs of a bijection differ, so the forbidden all-zero state cannot come up.
  for (std::uint64_t& word : state_) {
    word = split_mix(counter);
  }
}

std::uint64_t RandomStream::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double RandomStream::uniform(double low, double high) {
  require(low < high && std::isfinite(high - low), "uniform(): the range ", low, " .. ", high,
          " is empty or not finite; low must be below high");
  // An explicit fma gives the same bits whether or not the compiler contracts products into sums by itself.
  const double value = std::fma(high - low, uniform(), low);
  return value < high ? value : std::nextafter(high, low);  // rounding may reach `high`, which is excluded
}

std::uint64_t RandomStream::below(std::uint64_t bound) {
  require(bound > 0, "below(): the bound is 0; it must be positive");
  // The high word of a product maps 2^64 values to `bound` slots; the few values that would make some slots larger than
  // others are drawn again.
  Wide product = static_cast<Wide>(next()) * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t excess = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < excess) {
      product = static_cast<Wide>(next()) * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

bool RandomStream::chance(double probability) { return uniform() < probability; }

}  // namespace factorgcn
