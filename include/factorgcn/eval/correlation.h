// Absolute correlation of features over many rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Collects rows in pieces. Pieces are merged about their means, so a large common offset costs no accuracy.
class FACTORGCN_API FeatureCorrelation {
 public:
  explicit FeatureCorrelation(std::int64_t features);

  /// `rows`: [n, features] row by row. Throws Error where the length does not fit. Cost: O(n features^2).
  void add(std::span<const float> rows);

  /// |Pearson correlation| of each pair, [features, features]. A feature that never varies correlates with nothing, and
  /// fully with itself.
  std::vector<double> absolute() const;

 private:
  std::int64_t features_;
  double count_ = 0;
  std::vector<double> mean_;     ///< [features]
  std::vector<double> moments_;  ///< [features, features]: sums of products of deviations
};

/// Mean of the matrix off its diagonal, and the same over pairs inside and across blocks of the given sizes.
struct FACTORGCN_API BlockCorrelation {
  double all = 0, inside = 0, across = 0;
};
FACTORGCN_API BlockCorrelation block_correlation(std::span<const double> matrix, std::span<const std::int64_t> blocks);

}  // namespace factorgcn
