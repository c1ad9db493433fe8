// Each column tilts the nodes' even memberships by one smooth random direction.
#include "relations/spectral_start.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "factorgcn/base/random.h"
#include "relations/column_sums.h"
#include "relations/link_operator.h"

namespace factorgcn::relations {
namespace {

constexpr int kSteps = 20;

Table noise_filtered(const Links& links, const LinkOperator& matrix, int communities, RandomStream& random) {
  Table noise(links.nodes, communities);
  for (std::int64_t node = 0; node < links.nodes; ++node) {
    for (int column = 0; column < communities; ++column) {
      noise.row(node)[column] = static_cast<float>(random.uniform(-1, 1));
    }
  }
  return matrix.filter(std::move(noise), kSteps);
}

Table mixed(const Links& links, const Table& directions, int communities, RandomStream& random) {
  const int slow = directions.columns();
  std::vector<float> mix(static_cast<std::size_t>(slow) * communities);
  for (float& value : mix) {
    value = static_cast<float>(random.uniform(-1, 1));
  }
  Table table(links.nodes, communities);
  for_each_row(links, [&](std::int64_t row) {
    for (int direction = 0; direction < slow; ++direction) {
      const float along = directions.row(row)[direction];
      for (int column = 0; column < communities; ++column) {
        table.row(row)[column] += along * mix[static_cast<std::size_t>(direction) * communities + column];
      }
    }
  });
  return table;
}

}  // namespace

Table start_communities(const Links& links, int communities, std::uint64_t seed, const std::string& purpose,
                        const Table* directions) {
  const auto nodes = static_cast<double>(links.nodes);
  const LinkOperator matrix(links);
  RandomStream random(seed, purpose);
  Table now = directions != nullptr && directions->columns() > 0 ? mixed(links, *directions, communities, random)
                                                                 : noise_filtered(links, matrix, communities, random);
  const std::vector<double> squares = sum_rows(links, communities, [&](std::int64_t row, double* sums) {
    for (int column = 0; column < communities; ++column) {
      const double value = now.row(row)[column] * matrix.scale(row);
      sums[column] += value * value;
    }
  });
  const auto even = static_cast<float>(1 / std::sqrt(std::max(2 * links.total() * communities, 1e-9)));
  for_each_row(links, [&](std::int64_t row) {
    float* values = now.row(row);
    for (int column = 0; column < communities; ++column) {
      const auto spread = static_cast<float>(std::sqrt(std::max(squares[column], 1e-30) / nodes));
      const float tilt = values[column] * matrix.scale(row) / spread;
      values[column] = even * (links.strengths[row] + 0.01F) * std::clamp(1 + 0.7F * tilt, 0.1F, 4.0F);
    }
  });
  return now;
}

}  // namespace factorgcn::relations
