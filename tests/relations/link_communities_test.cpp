// Link communities: the example of the paper's first figure, a slow twin on random graphs, and graphs at the edge.
#include "factorgcn/relations/link_communities.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

struct EdgeList {
  std::int64_t nodes = 0;
  std::vector<std::int32_t> sources, targets;
  std::vector<float> weights;

  LinkGraph graph() const { return {nodes, sources, targets, weights}; }
  void add(std::int32_t source, std::int32_t target) {
    sources.push_back(source);
    targets.push_back(target);
    nodes = std::max<std::int64_t>(nodes, std::max(source, target) + 1);
  }
};

/// A square with both diagonals, two triangles, and an edge between them: node 4 is in three communities.
EdgeList figure_one() {
  EdgeList edges;
  for (const auto& [source, target] : std::vector<std::pair<int, int>>{
           {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}, {4, 5}, {4, 6}, {5, 6}, {4, 7}, {7, 8}, {7, 9}, {8, 9}}) {
    edges.add(source - 1, target - 1);
  }
  return edges;
}

TEST(LinkCommunities, FindsThePapersExample) {
  const EdgeList edges = figure_one();
  const LinkCommunities found = link_communities(edges.graph());
  EXPECT_EQ(found.community, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 3, 2, 2, 2}));
  EXPECT_EQ(found.count, 4);
  EXPECT_NEAR(found.density, 2.0 / 13 * (3 + 1.5 + 1.5), 1e-12);
}

TEST(LinkCommunities, BecomeRelationsFromTheLargestOn) {
  const EdgeList edges = figure_one();
  const auto relation = relations_from_communities(edges.graph(), link_communities(edges.graph()), 3);
  // The square; the triangle that shares node 4 with it goes elsewhere; the other triangle shares nothing and joins the
  // square; the edge 4-7 shares two nodes with the first relation, one with the second and none with the third.
  EXPECT_EQ(relation, (std::vector<std::int32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 0, 0, 0}));
}

/// All pairs of edges by the formula, then joined level by level, each level's density from scratch.
struct SlowTwin {
  explicit SlowTwin(const EdgeList& edges) {
    const auto n = static_cast<std::size_t>(edges.nodes);
    std::vector<std::vector<double>> a(n, std::vector<double>(n, 0.0));
    for (std::size_t edge = 0; edge < edges.sources.size(); ++edge) {
      const auto s = static_cast<std::size_t>(edges.sources[edge]);
      const auto t = static_cast<std::size_t>(edges.targets[edge]);
      if (s != t) {
        const double weight = edges.weights.empty() ? 1.0 : edges.weights[edge];
        a[s][t] = a[t][s] = edges.weights.empty() ? 1.0 : a[s][t] + weight;
        links.insert(std::minmax(s, t));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      double count = 0;
      for (std::size_t j = 0; j < n; ++j) {
        sum += a[i][j];
        count += a[i][j] > 0 ? 1 : 0;
      }
      a[i][i] = count > 0 ? sum / count : 0;
    }
    const auto dot = [&](std::size_t i, std::size_t j) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += a[i][k] * a[j][k];
      }
      return sum;
    };
    std::map<Link, std::size_t> group;
    for (const Link& link : links) {
      group.emplace(link, group.size());
    }
    std::map<double, std::vector<std::pair<Link, Link>>, std::greater<>> levels;
    for (const Link& one : links) {
      for (const Link& two : links) {
        const std::set<std::size_t> ends{one.first, one.second, two.first, two.second};
        if (one < two && ends.size() == 3) {
          std::vector<std::size_t> outer;
          for (const std::size_t end : ends) {
            const bool shared = (end == one.first || end == one.second) && (end == two.first || end == two.second);
            if (!shared) {
              outer.push_back(end);
            }
          }
          const double common = dot(outer[0], outer[1]);
          const double s = common / (dot(outer[0], outer[0]) + dot(outer[1], outer[1]) - common);
          levels[static_cast<double>(static_cast<float>(s))].emplace_back(one, two);
        }
      }
    }
    best = group;
    for (const auto& [similarity, pairs] : levels) {
      for (const auto& [one, two] : pairs) {
        const std::size_t from = group[two];
        const std::size_t into = group[one];
        for (auto& [link, number] : group) {
          number = number == from ? into : number;
        }
      }
      if (const double d = density_of(group); d > density + 1e-9) {
        density = d;
        best = group;
      }
    }
  }

  using Link = std::pair<std::size_t, std::size_t>;

  static double density_of(const std::map<Link, std::size_t>& group) {
    std::map<std::size_t, std::set<std::size_t>> nodes;
    std::map<std::size_t, double> edges;
    for (const auto& [link, number] : group) {
      nodes[number].insert({link.first, link.second});
      ++edges[number];
    }
    double sum = 0;
    for (const auto& [number, members] : nodes) {
      const auto n = static_cast<double>(members.size());
      const double m = edges[number];
      sum += n == 2 ? 0 : m * (m - (n - 1)) / ((n - 2) * (n - 1));
    }
    return group.empty() ? 0 : 2 * sum / static_cast<double>(group.size());
  }

  std::set<Link> links;
  std::map<Link, std::size_t> best;
  double density = 0;
};

RC_GTEST_PROP(LinkCommunities, EqualTheirSlowTwin, (bool weighted)) {
  EdgeList edges;
  edges.nodes = *rc::gen::inRange(1, 12);
  const auto count = *rc::gen::inRange(0, 30);
  for (int edge = 0; edge < count; ++edge) {
    const auto node = rc::gen::inRange<std::int32_t>(0, static_cast<std::int32_t>(edges.nodes));
    edges.add(*node, *node);
    if (weighted) {
      edges.weights.push_back(static_cast<float>(*rc::gen::inRange(1, 4)));
    }
  }
  const LinkCommunities found = link_communities(edges.graph());
  const SlowTwin twin(edges);
  RC_ASSERT(std::abs(found.density - twin.density) < 1e-6);
  std::map<std::int32_t, std::size_t> partner;
  std::set<std::size_t> partners;
  for (std::size_t edge = 0; edge < edges.sources.size(); ++edge) {
    const auto s = static_cast<std::size_t>(edges.sources[edge]);
    const auto t = static_cast<std::size_t>(edges.targets[edge]);
    RC_ASSERT((found.community[edge] < 0) == (s == t));
    if (s != t) {
      const std::size_t group = twin.best.at(std::minmax(s, t));
      RC_ASSERT(partner.emplace(found.community[edge], group).first->second == group);
      partners.insert(group);
    }
  }
  RC_ASSERT(partners.size() == partner.size());
  RC_ASSERT(found.count == static_cast<std::int64_t>(partner.size()));
}

TEST(LinkCommunities, GraphsAtTheEdge) {
  EXPECT_EQ(link_communities({}).count, 0);
  EdgeList one;
  one.add(0, 1);
  one.add(1, 0);
  one.add(1, 1);
  const LinkCommunities found = link_communities(one.graph());
  EXPECT_EQ(found.community, (std::vector<std::int32_t>{0, 0, -1}));
  EXPECT_EQ(relations_from_communities(one.graph(), found, 2), (std::vector<std::int32_t>{0, 0, -1}));
}

TEST(LinkCommunities, RefuseWhatCannotBe) {
  EdgeList edges;
  edges.add(0, 1);
  edges.weights = {0.0F};
  EXPECT_THROW(link_communities(edges.graph()), Error);
  edges.weights = {};
  edges.nodes = 1;
  EXPECT_THROW(link_communities(edges.graph()), Error);
}

TEST(LinkCommunities, RefuseHubsWhosePairsAreTooMany) {
  EdgeList star;
  for (std::int32_t leaf = 1; leaf <= 70'000; ++leaf) {
    star.add(0, leaf);
  }
  EXPECT_THROW(link_communities(star.graph()), UsageError);
}

}  // namespace
}  // namespace factorgcn
