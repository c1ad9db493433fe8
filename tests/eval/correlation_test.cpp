// Correlations against the textbook formula in one pass over small numbers.
#include "factorgcn/eval/correlation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

double pearson(const std::vector<float>& rows, std::size_t width, std::size_t a, std::size_t b) {
  const std::size_t n = rows.size() / width;
  double sa = 0, sb = 0;
  for (std::size_t r = 0; r < n; ++r) {
    sa += rows[r * width + a];
    sb += rows[r * width + b];
  }
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t r = 0; r < n; ++r) {
    const double x = rows[r * width + a] - sa / static_cast<double>(n);
    const double y = rows[r * width + b] - sb / static_cast<double>(n);
    ab += x * y;
    aa += x * x;
    bb += y * y;
  }
  return std::abs(ab) / std::sqrt(aa * bb);
}

TEST(FeatureCorrelation, PiecesGiveTheSameAsTheWhole) {
  constexpr std::size_t kWidth = 4, kRows = 50;
  RandomStream random(1, "correlation");
  std::vector<float> rows(kWidth * kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    const auto base = static_cast<float>(random.uniform());
    for (std::size_t f = 0; f < kWidth; ++f) {
      // A large offset: formulas that square before they subtract would lose all digits.
      rows[r * kWidth + f] = 1000.0F + base * static_cast<float>(f) + static_cast<float>(random.uniform());
    }
  }
  FeatureCorrelation whole(kWidth), pieces(kWidth);
  whole.add(rows);
  pieces.add(std::span(rows).first(kWidth * 7));
  pieces.add({});
  pieces.add(std::span(rows).subspan(kWidth * 7));
  const auto expected = whole.absolute(), found = pieces.absolute();
  for (std::size_t a = 0; a < kWidth; ++a) {
    for (std::size_t b = 0; b < kWidth; ++b) {
      EXPECT_NEAR(found[a * kWidth + b], expected[a * kWidth + b], 1e-9);
      if (a != b) {
        EXPECT_NEAR(expected[a * kWidth + b], pearson(rows, kWidth, a, b), 1e-9);
      }
    }
  }
}

TEST(FeatureCorrelation, OppositeFeaturesCorrelateFullyAndConstantsNot) {
  FeatureCorrelation correlation(3);
  correlation.add(std::vector<float>{1, -2, 5, 2, -4, 5, 3, -6, 5});
  const auto matrix = correlation.absolute();
  EXPECT_NEAR(matrix[1], 1, 1e-12);
  EXPECT_EQ(matrix[2], 0);
  EXPECT_EQ(matrix[8], 1);
}

TEST(FeatureCorrelation, RefusesPartsOfRows) {
  FeatureCorrelation correlation(3);
  EXPECT_THROW(correlation.add(std::vector<float>{1, 2}), Error);
  EXPECT_THROW(FeatureCorrelation(0), Error);
}

TEST(BlockCorrelation, SeparatesInsideFromAcross) {
  const std::vector<double> matrix{1, 0.8, 0.1, 0.2, 0.8, 1, 0.3, 0.4, 0.1, 0.3, 1, 0.6, 0.2, 0.4, 0.6, 1};
  const std::vector<std::int64_t> blocks{2, 2};
  const BlockCorrelation mean = block_correlation(matrix, blocks);
  EXPECT_NEAR(mean.inside, 0.7, 1e-12);
  EXPECT_NEAR(mean.across, 0.25, 1e-12);
  EXPECT_NEAR(mean.all, (4 * 0.7 + 8 * 0.25) / 12, 1e-12);
  EXPECT_THROW(block_correlation(matrix, std::vector<std::int64_t>{3}), Error);
}

}  // namespace
}  // namespace factorgcn
