// Subspace iteration with the Chebyshev filter; what is found is turned to eigenvectors of the block (Rayleigh-Ritz).
#include "relations/spectrum.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "factorgcn/base/random.h"
#include "relations/column_sums.h"
#include "relations/link_operator.h"
#include "relations/random_graphs.h"
#include "relations/symmetric_eigen.h"

namespace factorgcn::relations {
namespace {

constexpr int kPasses = 60, kHighestDegree = 20;
constexpr double kMostGrowth = 1e4;  // of the slowest direction over the bulk in one filter: floats must hold both
constexpr double kBeyondChance = 1.03, kBeyondBulk = 1.005;
constexpr std::int64_t kChanceLinks = 50'000;

/// [columns, columns] products of two tables' columns.
std::vector<double> column_products(const Links& links, const Table& left, const Table& right) {
  const int columns = left.columns();
  return sum_rows(links, columns * columns, [&](std::int64_t row, double* into) {
    const float* a = left.row(row);
    const float* b = right.row(row);
    for (int one = 0; one < columns; ++one) {
      const double value = a[one];
      for (int other = 0; other < columns; ++other) {
        into[one * columns + other] += value * b[other];
      }
    }
  });
}

/// Rows times [columns, kept].
Table turned(const Links& links, const Table& table, const std::vector<double>& by, int kept) {
  Table result(links.nodes, kept);
  std::vector<float> turn(by.begin(), by.end());
  for_each_row(links, [&](std::int64_t row) {
    const float* from = table.row(row);
    float* to = result.row(row);
    for (int column = 0; column < table.columns(); ++column) {
      for (int at = 0; at < kept; ++at) {
        to[at] += from[column] * turn[static_cast<std::size_t>(column) * kept + at];
      }
    }
  });
  return result;
}

/// Orthonormal columns that span the same; directions that are next to nothing become columns of 0.
Table orthonormal(const Links& links, const Table& table) {
  const int columns = table.columns();
  SymmetricEigen eigen = symmetric_eigen(column_products(links, table, table), columns);
  const double most = std::max(eigen.values.front(), 1e-300);
  for (int at = 0; at < columns; ++at) {
    const double scale = eigen.values[at] > 1e-13 * most ? 1 / std::sqrt(eigen.values[at]) : 0;
    for (int column = 0; column < columns; ++column) {
      eigen.vectors[static_cast<std::size_t>(column) * columns + at] *= scale;
    }
  }
  return turned(links, table, eigen.vectors, columns);
}

int filter_degree(double slowest) {
  if (slowest <= 1.01) {
    return kHighestDegree;
  }
  const double growth = std::log(slowest + std::sqrt(slowest * slowest - 1));
  return std::clamp(static_cast<int>(std::log(kMostGrowth) / growth), 2, kHighestDegree);
}

/// The slowest directions and their values, falling.
std::pair<Table, std::vector<double>> slowest_directions(const Links& links, int count, std::uint64_t seed,
                                                         const std::string& purpose,
                                                         const std::function<bool()>& stop) {
  LinkOperator matrix(links);
  matrix.refine_trivial();
  Table block(links.nodes, count), image(links.nodes, count);
  RandomStream random(seed, purpose);
  for (std::int64_t node = 0; node < links.nodes; ++node) {
    for (int column = 0; column < count; ++column) {
      block.row(node)[column] = static_cast<float>(random.uniform(-1, 1));
    }
  }
  std::vector<double> values(static_cast<std::size_t>(count), 0);
  int degree = 4;
  for (int passes = 0; passes < kPasses && !(stop && stop()); passes += degree + 1) {
    degree = passes == 0 ? degree : filter_degree(values.front());
    block = orthonormal(links, orthonormal(links, matrix.filter(std::move(block), degree)));
    matrix.apply(block, image);
    SymmetricEigen eigen = symmetric_eigen(column_products(links, block, image), count);
    block = turned(links, block, eigen.vectors, count);
    values = std::move(eigen.values);
  }
  return {std::move(block), std::move(values)};
}

}  // namespace

Spectrum find_spectrum(const Links& links, int most, std::uint64_t seed, const std::function<bool()>& stop) {
  const int count = static_cast<int>(std::min<std::int64_t>(most, std::max<std::int64_t>(links.nodes / 4, 1)));
  Spectrum found;
  const Links random = random_with_degrees_of(links, kChanceLinks, seed, "relations/spectrum of chance");
  const int fewer = static_cast<int>(std::min<std::int64_t>(count, std::max<std::int64_t>(random.nodes / 4, 1)));
  found.chance = slowest_directions(random, fewer, seed, "relations/directions of chance", stop).second.front();
  auto [directions, values] = slowest_directions(links, count, seed, "relations/directions", stop);
  const double least = std::max(kBeyondChance * found.chance, kBeyondBulk);
  const auto beyond =
      std::find_if(values.begin(), values.end(), [&](double value) { return value < least; }) - values.begin();
  values.resize(static_cast<std::size_t>(beyond));
  found.values = std::move(values);
  std::vector<double> first(static_cast<std::size_t>(count) * beyond, 0);
  for (std::ptrdiff_t at = 0; at < beyond; ++at) {
    first[at * beyond + at] = 1;
  }
  found.directions = turned(links, directions, first, static_cast<int>(beyond));
  return found;
}

}  // namespace factorgcn::relations
