// Random streams: fixed numbers, independence of purposes, ranges, absence of bias.
#include "factorgcn/base/random.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "base/error_text.h"

namespace factorgcn {
namespace {

// The reference algorithm from a known state: 1, 2, 3, 4 gives 11520, 0, 1509978240, ...
TEST(RandomStream, IsXoshiro256StarStar) {
  RandomStream stream(0, "any");
  stream.set_state({1, 2, 3, 4});
  EXPECT_EQ(stream.next(), 11520U);
  EXPECT_EQ(stream.next(), 0U);
  EXPECT_EQ(stream.next(), 1509978240U);
  EXPECT_EQ(stream.next(), 1215971899390074240U);
}

// If these numbers change, every published result changes with them.
TEST(RandomStream, GivesTheSameNumbersForEver) {
  RandomStream stream(42, "golden");
  const std::vector<std::uint64_t> drawn{stream.next(), stream.next(), stream.next(), stream.next()};
  const std::vector<std::uint64_t> expected{15640270842815995536U, 9773533360474729470U, 14711988654617388157U,
                                            14934068609482251372U};
  EXPECT_EQ(drawn, expected);
}

TEST(RandomStream, SeedsAndPurposesGiveDifferentStreams) {
  std::set<std::uint64_t> first;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (const char* purpose : {"", "a", "b", "ab", "weights", "weights/1"}) {
      first.insert(RandomStream(seed, purpose).next());
    }
  }
  EXPECT_EQ(first.size(), 600U);
  EXPECT_EQ(RandomStream(7, "a").next(), RandomStream(7, "a").next());
}

TEST(RandomStream, StateContinuesTheStream) {
  RandomStream stream(1, "state");
  stream.next();
  const RandomStream::State state = stream.state();
  const std::uint64_t expected = stream.next();
  RandomStream other(2, "other");
  other.set_state(state);
  EXPECT_EQ(other.next(), expected);
}

TEST(RandomStream, UniformStaysInRangeWithTheRightMoments) {
  RandomStream stream(3, "uniform");
  double sum = 0;
  double squares = 0;
  const int draws = 100000;
  for (int draw = 0; draw < draws; ++draw) {
    const double value = stream.uniform();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / draws, 0.5, 0.005);
  EXPECT_NEAR(squares / draws, 1.0 / 3.0, 0.005);
}

TEST(RandomStream, UniformNeverReachesTheUpperEnd) {
  RandomStream stream(4, "narrow");
  const double low = 1.0;
  const double high = std::nextafter(1.0, 2.0);  // one value alone is allowed
  for (int draw = 0; draw < 1000; ++draw) {
    ASSERT_EQ(stream.uniform(low, high), low);
  }
  for (int draw = 0; draw < 1000; ++draw) {
    const double value = stream.uniform(-3.0, 5.0);
    ASSERT_GE(value, -3.0);
    ASSERT_LT(value, 5.0);
  }
}

TEST(RandomStream, RefusesEmptyRanges) {
  RandomStream stream(5, "bad");
  EXPECT_EQ(error_text([&] { stream.below(0); }), "below(): the bound is 0; it must be positive");
  EXPECT_EQ(error_text([&] { stream.uniform(2, 1); }),
            "uniform(): the range 2 .. 1 is empty or not finite; low must be below high");
  EXPECT_EQ(error_text([&] { stream.uniform(0, std::numeric_limits<double>::infinity()); }),
            "uniform(): the range 0 .. inf is empty or not finite; low must be below high");
}

TEST(RandomStream, BelowHitsEverySlotEquallyOften) {
  RandomStream stream(6, "below");
  std::vector<int> counts(7, 0);
  const int draws = 70000;
  for (int draw = 0; draw < draws; ++draw) {
    ++counts[stream.below(7)];
  }
  for (const int count : counts) {
    EXPECT_NEAR(count, 10000, 400);  // four standard deviations
  }
  EXPECT_EQ(stream.below(1), 0U);
}

// With a bound of 2/3 of the whole range, taking the remainder would favour the lower half by 2 to 1.
TEST(RandomStream, BelowHasNoBiasForHugeBounds) {
  RandomStream stream(7, "huge");
  const std::uint64_t bound = std::numeric_limits<std::uint64_t>::max() / 3 * 2;
  int lower = 0;
  const int draws = 20000;
  for (int draw = 0; draw < draws; ++draw) {
    const std::uint64_t value = stream.below(bound);
    ASSERT_LT(value, bound);
    lower += value < bound / 2 ? 1 : 0;
  }
  EXPECT_NEAR(lower, draws / 2, 300);
}

TEST(RandomStream, ChanceOfZeroAndOneIsCertain) {
  RandomStream stream(8, "chance");
  int hits = 0;
  for (int draw = 0; draw < 10000; ++draw) {
    ASSERT_FALSE(stream.chance(0.0));
    ASSERT_TRUE(stream.chance(1.0));
    hits += stream.chance(0.35) ? 1 : 0;
  }
  EXPECT_NEAR(hits, 3500, 200);
}

TEST(RandomStream, ShufflesToEveryOrderEquallyOften) {
  RandomStream stream(9, "shuffle");
  std::vector<int> counts(27, 0);
  const int draws = 60000;
  for (int draw = 0; draw < draws; ++draw) {
    std::vector<int> values{0, 1, 2};
    stream.shuffle(std::span(values));
    ++counts[static_cast<std::size_t>(values[0] * 9 + values[1] * 3 + values[2])];
  }
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 0), 21);
  for (const int count : counts) {
    EXPECT_TRUE(count == 0 || std::abs(count - 10000) < 400) << count;
  }
}

TEST(RandomStream, ShuffleKeepsTheValues) {
  EXPECT_TRUE(rc::check("shuffle is a permutation", [](std::vector<int> values, std::uint64_t seed) {
    std::vector<int> shuffled = values;
    RandomStream(seed, "property").shuffle(std::span(shuffled));
    std::sort(values.begin(), values.end());
    std::sort(shuffled.begin(), shuffled.end());
    RC_ASSERT(shuffled == values);
  }));
}

}  // namespace
}  // namespace factorgcn
