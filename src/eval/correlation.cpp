// Chan's way of merging sums of squares, for all pairs of features.
#include "factorgcn/eval/correlation.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {

FeatureCorrelation::FeatureCorrelation(std::int64_t features)
    : features_(features),
      mean_(static_cast<std::size_t>(features)),
      moments_(static_cast<std::size_t>(features * features)) {
  require(features >= 1, "correlation: there are ", features, " features; expected at least one");
}

void FeatureCorrelation::add(std::span<const float> rows) {
  const auto width = static_cast<std::size_t>(features_);
  require(rows.size() % width == 0, "correlation: ", rows.size(), " values are no whole rows of ", features_);
  const std::size_t n = rows.size() / width;
  if (n == 0) {
    return;
  }
  std::vector<double> mean(width), moments(width * width), centred(width);
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t f = 0; f < width; ++f) {
      mean[f] += rows[row * width + f];
    }
  }
  for (double& each : mean) {
    each /= static_cast<double>(n);
  }
  for (std::size_t row = 0; row < n; ++row) {
    for (std::size_t f = 0; f < width; ++f) {
      centred[f] = rows[row * width + f] - mean[f];
    }
    for (std::size_t a = 0; a < width; ++a) {
      for (std::size_t b = 0; b < width; ++b) {
        moments[a * width + b] += centred[a] * centred[b];
      }
    }
  }
  const double added = static_cast<double>(n), total = count_ + added;
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      moments_[a * width + b] +=
          moments[a * width + b] + (mean[a] - mean_[a]) * (mean[b] - mean_[b]) * (count_ * added / total);
    }
  }
  for (std::size_t f = 0; f < width; ++f) {
    mean_[f] += (mean[f] - mean_[f]) * added / total;
  }
  count_ = total;
}

std::vector<double> FeatureCorrelation::absolute() const {
  const auto width = static_cast<std::size_t>(features_);
  std::vector<double> matrix(width * width);
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      const double scale = std::sqrt(moments_[a * width + a]) * std::sqrt(moments_[b * width + b]);
      const double value = scale > 0 ? std::abs(moments_[a * width + b]) / scale : 0;
      matrix[a * width + b] = a == b ? 1 : std::min(value, 1.0);
    }
  }
  return matrix;
}

BlockCorrelation block_correlation(std::span<const double> matrix, std::span<const std::int64_t> blocks) {
  const auto width = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(matrix.size()))));
  require(width * width == matrix.size(), "correlation: a matrix of ", matrix.size(), " values is not square");
  std::vector<std::size_t> block_of;
  for (std::size_t block = 0; block < blocks.size(); ++block) {
    block_of.insert(block_of.end(), static_cast<std::size_t>(blocks[block]), block);
  }
  require(block_of.size() == width, "correlation: the blocks hold ", block_of.size(), " features, expected ", width);
  double inside = 0, across = 0, inside_count = 0, across_count = 0;
  for (std::size_t a = 0; a < width; ++a) {
    for (std::size_t b = 0; b < width; ++b) {
      if (a != b) {
        const bool together = block_of[a] == block_of[b];
        (together ? inside : across) += matrix[a * width + b];
        (together ? inside_count : across_count) += 1;
      }
    }
  }
  const auto mean = [](double sum, double count) { return count > 0 ? sum / count : 0; };
  return {mean(inside + across, inside_count + across_count), mean(inside, inside_count), mean(across, across_count)};
}

}  // namespace factorgcn
