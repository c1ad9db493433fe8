// Weisfeiler-Lehman counts: by hand, and against refinement by strings.
#include "factorgcn/classic/wl_subtree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "base/error_text.h"
#include "classic/plain_graphs.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/classic/kernel.h"

namespace factorgcn {
namespace {

using testing::plain;
using testing::random_order;
using testing::random_plain;
using testing::renumbered;

/// Counts of one graph, sorted: what is left when columns have no names.
std::vector<double> sorted_counts(const SparseFeatures& features, std::size_t graph) {
  std::vector<double> counts(features.values.begin() + features.offsets[graph],
                             features.values.begin() + features.offsets[graph + 1]);
  std::sort(counts.begin(), counts.end());
  return counts;
}

TEST(WlSubtree, CountsByHand) {
  // A path a - b - c - d and a star with centre a; all nodes alike.
  const std::vector<PlainGraph> graphs{plain(4, {{0, 1}, {1, 2}, {2, 3}}), plain(4, {{0, 1}, {0, 2}, {0, 3}})};
  const WlFeatures features = wl_features(graphs, 2);
  // Round 0: one label. Round 1: ends (1 neighbour), middles (2), the star's centre (3). Round 2: a path's end beside a
  // middle, a middle between both kinds, a leaf beside the centre, the centre.
  EXPECT_EQ(features.columns_through, (std::vector<std::int64_t>{1, 4, 8}));
  EXPECT_EQ(sorted_counts(features.through(0), 0), (std::vector<double>{4}));
  EXPECT_EQ(sorted_counts(features.through(1), 0), (std::vector<double>{2, 2, 4}));
  EXPECT_EQ(sorted_counts(features.through(1), 1), (std::vector<double>{1, 3, 4}));
  EXPECT_EQ(sorted_counts(features.through(2), 0), (std::vector<double>{2, 2, 2, 2, 4}));
  EXPECT_EQ(sorted_counts(features.through(2), 1), (std::vector<double>{1, 1, 3, 3, 4}));
  // They share round 0 (4 * 4) and in round 1 the nodes with one neighbour (2 * 3).
  EXPECT_EQ(inner_products(features.through(0)).at(0, 1), 16);
  EXPECT_EQ(inner_products(features.through(1)).at(0, 1), 22);
  EXPECT_EQ(inner_products(features.through(2)).at(0, 1), 22);
  EXPECT_EQ(inner_products(features.through(2)).at(0, 0), 16 + 4 + 4 + 4 + 4);
}

/// The same kernel by writing out every subtree as text.
double kernel_by_strings(const PlainGraph& left, const PlainGraph& right, int rounds) {
  const auto refine = [](const PlainGraph& graph, const std::vector<std::string>& labels) {
    std::vector<std::string> result;
    for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
      std::vector<std::string> around;
      for (const std::int32_t neighbour : graph.around(node)) {
        around.push_back(labels[static_cast<std::size_t>(neighbour)]);
      }
      std::sort(around.begin(), around.end());
      std::string text = "(" + labels[static_cast<std::size_t>(node)] + ":";
      for (const std::string& each : around) {
        text += each + ",";
      }
      result.push_back(text + ")");
    }
    return result;
  };
  std::vector<std::vector<std::string>> labels(2);
  for (std::size_t side = 0; side < 2; ++side) {
    for (const std::int64_t label : (side == 0 ? left : right).labels) {
      labels[side].push_back(std::to_string(label));
    }
  }
  double sum = 0;
  for (int round = 0; round <= rounds; ++round) {
    for (const std::string& mine : labels[0]) {
      sum += static_cast<double>(std::count(labels[1].begin(), labels[1].end(), mine));
    }
    labels = {refine(left, labels[0]), refine(right, labels[1])};
  }
  return sum;
}

TEST(WlSubtree, EqualsRefinementByStrings) {
  RandomStream random(3, "test/wl");
  std::vector<PlainGraph> graphs;
  for (int graph = 0; graph < 12; ++graph) {
    graphs.push_back(random_plain(2 + static_cast<std::int64_t>(random.below(6)), 0.4, 2, random));
  }
  constexpr int kRounds = 3;
  const WlFeatures features = wl_features(graphs, kRounds);
  for (int rounds = 0; rounds <= kRounds; ++rounds) {
    const GramMatrix products = inner_products(features.through(rounds));
    for (std::size_t left = 0; left < graphs.size(); ++left) {
      for (std::size_t right = 0; right < graphs.size(); ++right) {
        EXPECT_EQ(products.at(static_cast<std::int64_t>(left), static_cast<std::int64_t>(right)),
                  kernel_by_strings(graphs[left], graphs[right], rounds))
            << left << " and " << right << " after " << rounds << " rounds";
      }
    }
  }
}

TEST(WlSubtree, DoesNotSeeTheNumberingOfNodes) {
  RandomStream random(4, "test/wl");
  const PlainGraph graph = random_plain(9, 0.3, 3, random);
  const std::vector<PlainGraph> graphs{graph, renumbered(graph, random_order(9, random)),
                                       random_plain(9, 0.3, 3, random)};
  const SparseFeatures features = wl_features(graphs, 4).counts;
  const auto row = [&](std::size_t index) {
    std::map<std::int64_t, double> result;
    for (auto at = features.offsets[index]; at < features.offsets[index + 1]; ++at) {
      result[features.columns[static_cast<std::size_t>(at)]] = features.values[static_cast<std::size_t>(at)];
    }
    return result;
  };
  EXPECT_EQ(row(0), row(1));
  EXPECT_NE(row(0), row(2));
}

TEST(WlSubtree, IsTheSameForAnyNumberOfThreads) {
  RandomStream random(5, "test/wl");
  std::vector<PlainGraph> graphs;
  for (int graph = 0; graph < 40; ++graph) {
    graphs.push_back(random_plain(12, 0.3, 3, random));
  }
  const int before = num_threads();
  set_num_threads(1);
  const WlFeatures one = wl_features(graphs, 3);
  set_num_threads(3);
  const WlFeatures three = wl_features(graphs, 3);
  set_num_threads(before);
  EXPECT_EQ(one.counts.columns, three.counts.columns);
  EXPECT_EQ(one.counts.values, three.counts.values);
}

TEST(WlSubtree, EdgesOfItsRange) {
  EXPECT_NE(usage_error_text([] { wl_features({}, -1); }).find("at least 0"), std::string::npos);
  EXPECT_EQ(wl_features({}, 2).counts.num_graphs(), 0);
  const std::vector<PlainGraph> lonely{plain(1, {}), plain(1, {})};
  EXPECT_EQ(inner_products(wl_features(lonely, 3).counts).at(0, 1), 4) << "one shared label in each round";
}

}  // namespace
}  // namespace factorgcn
