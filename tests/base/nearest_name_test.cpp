// Guesses for mistyped names.
#include "factorgcn/base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace factorgcn {
namespace {

constexpr std::array<std::string_view, 4> kNames{"synthetic", "zinc", "pattern", "mutag"};

TEST(NearestName, ForgivesTypingSlips) {
  EXPECT_EQ(nearest_name("synthetic", kNames), "synthetic");
  EXPECT_EQ(nearest_name("sythetic", kNames), "synthetic");  // dropped
  EXPECT_EQ(nearest_name("zzinc", kNames), "zinc");          // added
  EXPECT_EQ(nearest_name("patterm", kNames), "pattern");     // changed
  EXPECT_EQ(nearest_name("mtuag", kNames), "mutag");         // swapped
  EXPECT_EQ(nearest_name("ZINC", kNames), "zinc");           // other case
}

TEST(NearestName, CountsASwapAsOneSlip) {
  constexpr std::array<std::string_view, 2> names{"abXXef", "abdcef"};
  EXPECT_EQ(nearest_name("abcdef", names), "abdcef");
}

TEST(NearestName, PrefersTheFirstAmongEquals) {
  constexpr std::array<std::string_view, 2> names{"aab", "aac"};
  EXPECT_EQ(nearest_name("aad", names), "aab");
}

TEST(NearestName, StaysSilentWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("cora", kNames), "");
  EXPECT_EQ(nearest_name("", kNames), "");
  EXPECT_EQ(nearest_name("zinc", {}), "");
}

TEST(NearestName, HintListsAllNames) {
  EXPECT_EQ(known_names_hint("zink", kNames), "; did you mean 'zinc'? Known: synthetic, zinc, pattern, mutag");
  EXPECT_EQ(known_names_hint("cora", kNames), "; known: synthetic, zinc, pattern, mutag");
}

TEST(NearestName, LongAndManyNamesCostLittle) {
  const std::string name(1'000'000, 'a'), other = name + "b";
  const std::vector<std::string_view> known(1000, other);
  EXPECT_EQ(nearest_name(name, known), "");
  const std::string hint = known_names_hint("x", known);
  EXPECT_LT(hint.size(), 100'000U);
  EXPECT_TRUE(hint.ends_with(" and 940 more"));
}

}  // namespace
}  // namespace factorgcn
