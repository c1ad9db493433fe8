// Adjusted mutual information: known values, its mean by shuffling, and the formula for many nodes.
#include "factorgcn/relations/agreement.h"

#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

TEST(Agreement, SamePartitionsUnderOtherNames) {
  const std::vector<std::int32_t> left{0, 0, 1, 1, 2, 2}, right{2, 2, 0, 0, 1, 1};
  EXPECT_NEAR(adjusted_mutual_information(left, right), 1, 1e-12);
  EXPECT_EQ(adjusted_mutual_information({}, {}), 1);
}

TEST(Agreement, AKnownValue) {
  // Two cuts across each other say less of each other than chance would have it.
  const std::vector<std::int32_t> left{0, 0, 1, 1}, right{0, 1, 0, 1};
  EXPECT_NEAR(adjusted_mutual_information(left, right), -0.5, 1e-9);
}

TEST(Agreement, MissingNodesDoNotCount) {
  const std::vector<std::int32_t> left{0, 0, 1, 1, 0}, right{1, 1, 0, 0, -1};
  EXPECT_NEAR(adjusted_mutual_information(left, right), 1, 1e-12);
}

TEST(Agreement, IsZeroOnAverageForShuffledNodes) {
  RandomStream random(1, "test");
  for (const std::size_t nodes : {60U, 30000U}) {  // counted out, and by the formula
    std::vector<std::int32_t> left, right;
    for (std::size_t node = 0; node < nodes; ++node) {
      left.push_back(static_cast<std::int32_t>(node % 4));
      right.push_back(static_cast<std::int32_t>(node % 3));
    }
    double sum = 0;
    for (int shuffle = 0; shuffle < 50; ++shuffle) {
      random.shuffle(std::span(right));
      sum += adjusted_mutual_information(left, right) / 50;
    }
    EXPECT_NEAR(sum, 0, 0.02) << nodes;
  }
}

TEST(Agreement, RefusesPartitionsOfDifferentNodes) {
  const std::vector<std::int32_t> two{0, 1}, one{0};
  EXPECT_EQ(error_text([&] { adjusted_mutual_information(two, one); }),
            "agreement: 2 nodes in one partition and 1 in the other");
}

}  // namespace
}  // namespace factorgcn
