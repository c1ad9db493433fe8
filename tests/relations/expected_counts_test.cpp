// The pass over links against its formula, written out densely in double; and links against the graph they come from.
#include "relations/expected_counts.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <cstring>

#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"
#include "relations/small_graphs.h"

namespace factorgcn {
namespace {

using relations::expected_counts;
using relations::Links;
using relations::make_links;
using relations::Table;

struct DenseCounts {
  std::vector<double> counts;
  double likelihood = 0;
};

DenseCounts dense_counts(const Links& links, const Table& y) {
  DenseCounts dense;
  dense.counts.assign(links.nodes * y.columns(), 0);
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      const std::int32_t other = links.neighbours[at];
      double rate = 0;
      for (int column = 0; column < y.columns(); ++column) {
        rate += static_cast<double>(y.row(row)[column]) * y.row(other)[column];
      }
      const double weight = links.weighted() ? links.weights[at] : 1;
      for (int column = 0; column < y.columns(); ++column) {
        const double part = static_cast<double>(y.row(row)[column]) * y.row(other)[column];
        dense.counts[row * y.columns() + column] += links.weighted() ? weight * part / rate : part / -std::expm1(-rate);
      }
      dense.likelihood += (links.weighted() ? weight * std::log(rate) : std::log(std::expm1(rate))) / 2;
    }
  }
  return dense;
}

void expect_dense(bool weighted) {
  const Links links = make_links(arbitrary_graph(weighted));
  const Table y = arbitrary_table(links.nodes, pick(1, 90));
  const DenseCounts dense = dense_counts(links, y);
  for (const std::string& set : usable_instruction_sets()) {
    use_instruction_set(set);
    Table counts(links.nodes, y.columns());
    const double likelihood = expected_counts(links, y, counts);
    use_instruction_set("");
    RC_ASSERT(std::abs(likelihood - dense.likelihood) < 1e-4 * (1 + std::abs(dense.likelihood)));
    for (std::int64_t row = 0; row < links.nodes; ++row) {
      for (int column = 0; column < y.columns(); ++column) {
        const double expected = dense.counts[row * y.columns() + column];
        RC_ASSERT(std::abs(counts.row(row)[column] - expected) < 1e-4 * (1 + expected));
      }
    }
  }
}

RC_GTEST_PROP(ExpectedCounts, MatchTheFormula, ()) { expect_dense(false); }
RC_GTEST_PROP(ExpectedCounts, MatchTheFormulaWithWeights, ()) { expect_dense(true); }

TEST(ExpectedCounts, SameBitsForAnyNumberOfThreads) {
  const Links links = make_links(graph_of(plant_relations({.nodes = 3000, .inside = 0.02, .outside = 0.001})));
  ASSERT_GT(links.tasks.size(), 2U);
  Table y(links.nodes, 7);
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    for (int column = 0; column < 7; ++column) {
      y.row(row)[column] = static_cast<float>((row * 7 + column) % 13 + 1) / 50;
    }
  }
  const int threads = num_threads();
  Table one(links.nodes, 7), many(links.nodes, 7);
  set_num_threads(1);
  const double first = expected_counts(links, y, one);
  set_num_threads(3);
  const double second = expected_counts(links, y, many);
  set_num_threads(threads);
  EXPECT_EQ(first, second);
  EXPECT_EQ(std::memcmp(one.row(0), many.row(0), sizeof(float) * one.stride() * links.nodes), 0);
}

TEST(Links, MutualDirectedEdgesAreOneLinkOfDoubleWeight) {
  const Links links = make_links({.nodes = 3, .sources = {0, 1, 1}, .targets = {1, 0, 2}, .directed = true});
  EXPECT_EQ(links.offsets, (std::vector<std::int64_t>{0, 1, 3, 4}));
  EXPECT_EQ(links.neighbours, (std::vector<std::int32_t>{1, 0, 2, 1}));
  ASSERT_TRUE(links.weighted());  // 2 and 1, scaled to mean 1
  EXPECT_NEAR(links.weights[0], 4.0 / 3, 1e-6);
  EXPECT_NEAR(links.weights[2], 2.0 / 3, 1e-6);
  EXPECT_NEAR(links.total(), 2, 1e-6);
}

TEST(Links, WeightsAllAlikeAreNone) {
  const Links links = make_links({.nodes = 3, .sources = {0, 1}, .targets = {1, 2}, .weights = {7, 7}});
  EXPECT_FALSE(links.weighted());
  EXPECT_EQ(links.strengths, (std::vector<float>{1, 2, 1}));
}

}  // namespace
}  // namespace factorgcn
