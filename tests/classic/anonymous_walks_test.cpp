// Anonymous walks: by hand, and against all walks written down one by one.
#include "factorgcn/classic/anonymous_walks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "base/error_text.h"
#include "classic/plain_graphs.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

using testing::plain;
using testing::random_order;
using testing::random_plain;
using testing::renumbered;

TEST(WalkPatterns, AreAsManyAsBellSays) {
  const std::vector<std::int64_t> bell{1, 2, 5, 15, 52, 203, 877, 4140};
  for (std::size_t length = 1; length <= bell.size(); ++length) {
    EXPECT_EQ(WalkPatterns(static_cast<int>(length)).count(), bell[length - 1]) << length;
  }
  const WalkPatterns three(3);
  EXPECT_EQ(three.pattern(0), (std::vector<int>{0, 1, 0, 1}));
  EXPECT_EQ(three.pattern(1), (std::vector<int>{0, 1, 0, 2}));
  EXPECT_EQ(three.pattern(4), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_NE(usage_error_text([] { WalkPatterns(0); }).find("choose 1 to"), std::string::npos);
  EXPECT_NE(usage_error_text([] { WalkPatterns(12); }).find("12 steps"), std::string::npos);
}

TEST(AnonymousWalks, OfAPathByHand) {
  // a - b - c, two steps: from an end always to b, then back with 1/2; from b out and always back.
  const PlainGraph path = plain(3, {{0, 1}, {1, 2}});
  const std::vector<double> found = exact_walks(path, WalkPatterns(2));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0], 2.0 / 3 * 0.5 + 1.0 / 3, 1e-15);  // 0 1 0
  EXPECT_NEAR(found[1], 2.0 / 3 * 0.5, 1e-15);            // 0 1 2
}

/// Probability of each pattern, by listing every walk as node numbers first.
std::map<std::vector<int>, double> by_listing(const PlainGraph& graph, int length) {
  std::vector<std::pair<std::vector<std::int32_t>, double>> walks;
  double starts = 0;
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    starts += graph.degree(node) > 0 ? 1 : 0;
  }
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.degree(node) > 0) {
      walks.push_back({{static_cast<std::int32_t>(node)}, 1 / starts});
    }
  }
  for (int step = 0; step < length; ++step) {
    std::vector<std::pair<std::vector<std::int32_t>, double>> longer;
    for (const auto& [walk, probability] : walks) {
      for (const std::int32_t next : graph.around(walk.back())) {
        longer.emplace_back(walk, probability / static_cast<double>(graph.degree(walk.back())));
        longer.back().first.push_back(next);
      }
    }
    walks = std::move(longer);
  }
  std::map<std::vector<int>, double> result;
  for (const auto& [walk, probability] : walks) {
    std::map<std::int32_t, int> met;
    std::vector<int> pattern;
    for (const std::int32_t node : walk) {
      pattern.push_back(met.try_emplace(node, static_cast<int>(met.size())).first->second);
    }
    result[pattern] += probability;
  }
  return result;
}

TEST(AnonymousWalks, EqualAllWalksListed) {
  RandomStream random(1, "test/walks");
  for (int graph = 0; graph < 8; ++graph) {
    const PlainGraph own = random_plain(3 + graph % 4, 0.5, 1, random);
    for (const int length : {1, 3, 5}) {
      const WalkPatterns patterns(length);
      const std::vector<double> found = exact_walks(own, patterns);
      const auto expected = by_listing(own, length);
      for (std::int64_t number = 0; number < patterns.count(); ++number) {
        const auto place = expected.find(patterns.pattern(number));
        EXPECT_NEAR(found[static_cast<std::size_t>(number)], place == expected.end() ? 0 : place->second, 1e-14);
      }
    }
  }
}

TEST(AnonymousWalks, SamplesComeNearAndAreRepeatable) {
  RandomStream random(2, "test/walks");
  const PlainGraph graph = random_plain(7, 0.5, 1, random);
  const WalkPatterns patterns(4);
  const std::vector<double> exact = exact_walks(graph, patterns);
  RandomStream first(5, "walks"), second(5, "walks");
  const std::int64_t walks = walks_needed(patterns.count(), 0.1, 0.05);
  const std::vector<double> sampled = sampled_walks(graph, patterns, walks, first);
  EXPECT_EQ(sampled, sampled_walks(graph, patterns, walks, second));
  double difference = 0;
  for (std::size_t number = 0; number < exact.size(); ++number) {
    difference += std::abs(exact[number] - sampled[number]);
  }
  EXPECT_LT(difference, 0.1);
  EXPECT_GT(difference, 0.0);
  EXPECT_NEAR(std::accumulate(sampled.begin(), sampled.end(), 0.0), 1, 1e-9);
}

TEST(AnonymousWalks, NeededAsThePaperSays) {
  // The paper's own example: 877 patterns of 7 steps, epsilon 0.5, delta 0.05.
  EXPECT_EQ(walks_needed(877, 0.5, 0.05), 4888);
  EXPECT_EQ(walks_needed(5, 0.1, 0.05), static_cast<std::int64_t>(std::ceil(200 * (std::log(30.0) - std::log(0.05)))));
  EXPECT_NE(usage_error_text([] { walks_needed(5, 0, 0.05); }).find("epsilon 0"), std::string::npos);
}

TEST(AnonymousWalks, AreCounted) {
  const PlainGraph triangle = plain(3, {{0, 1}, {1, 2}, {2, 0}});
  EXPECT_EQ(count_walks(triangle, 0), 3);
  EXPECT_EQ(count_walks(triangle, 4), 3 * 16);
}

TEST(WalkFeatures, DoNotSeeNumberingOrThreads) {
  RandomStream random(3, "test/walks");
  std::vector<PlainGraph> graphs;
  for (int graph = 0; graph < 6; ++graph) {
    graphs.push_back(random_plain(6, 0.6, 1, random));
    graphs.push_back(renumbered(graphs.back(), random_order(6, random)));
  }
  graphs.push_back(plain(2, {}));
  const int before = num_threads();
  set_num_threads(1);
  const SparseFeatures one = walk_features(graphs, {.length = 4, .epsilon = 0.1, .delta = 0.05, .seed = 0});
  const SparseFeatures sampled = walk_features(graphs, {.length = 4, .epsilon = 3, .delta = 0.5, .seed = 0});
  set_num_threads(3);
  const SparseFeatures three = walk_features(graphs, {.length = 4, .epsilon = 0.1, .delta = 0.05, .seed = 0});
  const SparseFeatures again = walk_features(graphs, {.length = 4, .epsilon = 3, .delta = 0.5, .seed = 0});
  set_num_threads(before);
  EXPECT_EQ(one.values, three.values);
  EXPECT_EQ(sampled.values, again.values);
  EXPECT_NE(one.values, sampled.values);
  for (std::size_t graph = 0; graph + 1 < graphs.size(); graph += 2) {
    ASSERT_EQ(one.offsets[graph + 1] - one.offsets[graph], one.offsets[graph + 2] - one.offsets[graph + 1]);
    for (auto at = one.offsets[graph]; at < one.offsets[graph + 1]; ++at) {
      const auto other = at + one.offsets[graph + 1] - one.offsets[graph];
      EXPECT_EQ(one.columns[static_cast<std::size_t>(at)], one.columns[static_cast<std::size_t>(other)]);
      EXPECT_NEAR(one.values[static_cast<std::size_t>(at)], one.values[static_cast<std::size_t>(other)], 1e-14);
    }
  }
  EXPECT_EQ(one.offsets[graphs.size()], one.offsets[graphs.size() - 1]) << "no edges, no walks";
}

}  // namespace
}  // namespace factorgcn
