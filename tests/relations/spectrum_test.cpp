// Directions beyond chance: as many as planted groups make, none in random graphs, and what they are found with.
#include "relations/spectrum.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "factorgcn/base/parallel.h"
#include "relations/random_graphs.h"
#include "relations/small_graphs.h"
#include "relations/symmetric_eigen.h"

namespace factorgcn {
namespace {

using namespace relations;  // NOLINT(google-build-using-namespace)

RC_GTEST_PROP(SymmetricEigen, PutsTheMatrixTogetherAgain, ()) {
  const int n = pick(1, 9);
  std::vector<double> matrix(static_cast<std::size_t>(n) * n);
  for (int row = 0; row < n; ++row) {
    for (int column = 0; column <= row; ++column) {
      matrix[row * n + column] = matrix[column * n + row] = pick(-50, 51) / 10.0;
    }
  }
  const SymmetricEigen eigen = symmetric_eigen(matrix, n);
  for (int row = 0; row < n; ++row) {
    RC_ASSERT((row == 0 || eigen.values[row] <= eigen.values[row - 1]));  // without its own brackets || reads both
    for (int column = 0; column < n; ++column) {
      double entry = 0, product = 0;
      for (int at = 0; at < n; ++at) {
        entry += eigen.vectors[row * n + at] * eigen.values[at] * eigen.vectors[column * n + at];
        product += eigen.vectors[at * n + row] * eigen.vectors[at * n + column];
      }
      RC_ASSERT(std::abs(entry - matrix[row * n + column]) < 1e-9);
      RC_ASSERT(std::abs(product - (row == column ? 1 : 0)) < 1e-9);
    }
  }
}

/// Mean degree 40, of which 0.88 inside groups.
PlantedRelations planted_for_spectrum(int relations, int groups, double exponent) {
  const std::int64_t nodes = 2500;
  const double each = 40.0 / relations / static_cast<double>(nodes);
  return plant_relations({.nodes = nodes,
                          .relations = relations,
                          .groups = groups,
                          .inside = 0.88 * each * groups,
                          .outside = 0.12 * each * groups / (groups - 1),
                          .degree_exponent = exponent,
                          .seed = 3});
}

TEST(Spectrum, CountsTheGroupsOfAllRelations) {
  for (const double exponent : {0.0, 2.5}) {
    for (const auto& [relations, groups] : {std::pair{1, 5}, std::pair{2, 4}, std::pair{3, 6}}) {
      const Links links = make_links(graph_of(planted_for_spectrum(relations, groups, exponent)));
      const Spectrum spectrum = find_spectrum(links, 40, 1);
      EXPECT_EQ(static_cast<int>(spectrum.values.size()), relations * (groups - 1)) << relations << ' ' << exponent;
      EXPECT_EQ(spectrum.directions.columns(), static_cast<int>(spectrum.values.size()));
    }
  }
}

TEST(Spectrum, DirectionsAreOrthonormalAndTheSameForAnyNumberOfThreads) {
  const Links links = make_links(graph_of(planted_for_spectrum(2, 4, 0)));
  const Spectrum spectrum = find_spectrum(links, 20, 1);
  const int count = spectrum.directions.columns();
  ASSERT_GT(count, 1);
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b <= a; ++b) {
      double product = 0;
      for (std::int64_t row = 0; row < links.nodes; ++row) {
        product += static_cast<double>(spectrum.directions.row(row)[a]) * spectrum.directions.row(row)[b];
      }
      EXPECT_NEAR(product, a == b ? 1 : 0, 1e-4);
    }
  }
  const int threads = num_threads();
  set_num_threads(3);
  const Spectrum again = find_spectrum(links, 20, 1);
  set_num_threads(threads);
  EXPECT_EQ(again.values, spectrum.values);
}

TEST(Spectrum, RandomGraphsHaveNone) {
  for (const double exponent : {0.0, 2.2}) {
    const PlantedRelations random = plant_relations(
        {.nodes = 4000, .relations = 1, .groups = 1, .inside = 0.005, .degree_exponent = exponent, .seed = 4});
    EXPECT_TRUE(find_spectrum(make_links(graph_of(random)), 30, 1).values.empty()) << exponent;
  }
}

TEST(Spectrum, TakesGraphsThatAreSmallerThanWhatIsAsked) {
  const Links pair = make_links(2, {0}, {1}, {});
  EXPECT_LE(find_spectrum(pair, 30, 0).values.size(), 1U);
  const Links star = make_links(6, {0, 0, 0, 0, 0}, {1, 2, 3, 4, 5}, {});
  for (const double value : find_spectrum(star, 30, 0).values) {
    EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(RandomGraphs, OnesWithTheDegreesOfSomeNodes) {
  const Links links = make_links(
      graph_of(plant_relations({.nodes = 4000, .relations = 1, .groups = 4, .inside = 0.02, .degree_exponent = 3})));
  const Links random = random_with_degrees_of(links, links.links() / 4, 5, "test");
  EXPECT_NEAR(static_cast<double>(random.links()) / static_cast<double>(links.links()), 0.25, 0.02);
  const auto mean = [](const Links& of) { return 2 * of.total() / static_cast<double>(of.nodes); };
  EXPECT_NEAR(mean(random) / mean(links), 1, 0.1);
  for (std::int64_t row = 0; row < random.nodes; ++row) {
    const auto first = random.neighbours.begin() + random.offsets[row];
    const auto last = random.neighbours.begin() + random.offsets[row + 1];
    EXPECT_EQ(std::adjacent_find(first, last), last);
    EXPECT_EQ(std::find(first, last, row), last);
  }
}

}  // namespace
}  // namespace factorgcn
