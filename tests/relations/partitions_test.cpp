// Groups without overlap inside a relation: bits against a dense count, moves, random graphs.
#include "relations/partitions.h"
#include "relations/moves.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "relations/random_graphs.h"
#include "relations/small_graphs.h"

namespace factorgcn {
namespace {

using namespace relations;  // NOLINT(google-build-using-namespace)

Partitions arbitrary_partitions(const Links& links, int relations, int groups) {
  Partitions partitions = no_relations(links);
  for (int relation = 0; relation < relations; ++relation) {
    partitions.groups_in.push_back(groups);
    partitions.rate.emplace_back(groups, 0.1);
    for (std::int64_t node = 0; node < links.nodes; ++node) {
      partitions.group.push_back(pick(0, groups));
    }
  }
  return partitions;
}

/// Every pair of nodes looked at.
double dense_bits(const Links& links, const Partitions& partitions) {
  double nats = 0;
  for (std::int64_t a = 0; a < links.nodes; ++a) {
    for (std::int64_t b = a + 1; b < links.nodes; ++b) {
      double rate = partitions.background;
      for (int relation = 0; relation < partitions.relations(); ++relation) {
        const std::int32_t* group = partitions.group.data() + relation * links.nodes;
        rate += group[a] == group[b] ? partitions.rate[relation][group[a]] : 0;
      }
      rate *= static_cast<double>(partitions.activities[a]) * partitions.activities[b];
      nats += rate;
      for (std::int64_t at = links.offsets[a]; at < links.offsets[a + 1]; ++at) {
        if (links.neighbours[at] == b) {
          nats -= links.weighted() ? links.weights[at] * std::log(rate) : std::log(std::expm1(rate));
        }
      }
    }
  }
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    for (int group = 0; group < partitions.groups_in[relation]; ++group) {
      const auto first = partitions.group.begin() + relation * links.nodes;
      const auto size = static_cast<double>(std::count(first, first + links.nodes, group));
      nats -= size * std::log(size / static_cast<double>(links.nodes));
      nats += 0.5 * std::log(std::max(links.total(), 2.0)) + 0.5 * std::log(static_cast<double>(links.nodes));
    }
    nats -= std::lgamma(partitions.groups_in[relation] + 1.0);
  }
  return (nats - std::lgamma(partitions.relations() + 1.0)) / std::log(2.0);
}

RC_GTEST_PROP(Partitions, BitsAreThoseOfADenseCount, ()) {
  const Links links = make_links(arbitrary_graph(pick(0, 2) == 1));
  Partitions partitions = arbitrary_partitions(links, pick(0, 3), pick(1, 4));
  fit_rates(links, partitions);
  RC_ASSERT(std::abs(partitions.bits - dense_bits(links, partitions)) < 1e-5 * (1 + std::abs(partitions.bits)));
}

TEST(Partitions, MovesMakeTheDescriptionShorterAndFindThePlantedGroups) {
  const PlantedRelations planted =
      plant_relations({.nodes = 120, .relations = 1, .groups = 3, .inside = 0.3, .outside = 0.01, .seed = 4});
  const Links links = make_links(graph_of(planted));
  Partitions partitions = no_relations(links);
  partitions.groups_in = {3};
  partitions.group = planted.groups;
  partitions.rate = {{0.2, 0.2, 0.2}};
  for (std::size_t node = 0; node < 120; node += 4) {
    partitions.group[node] = (partitions.group[node] + 1) % 3;  // a quarter is put into a wrong group
  }
  fit_rates(links, partitions);
  const double before = partitions.bits;
  move_nodes(links, partitions, {.sweeps = 20, .purpose = "test"});
  fit_rates(links, partitions);
  EXPECT_LT(partitions.bits, before);
  EXPECT_EQ(partitions.group, planted.groups);
  EXPECT_LT(partitions.bits, no_relations(links).bits);
}

TEST(Partitions, GroupsThatNobodyNeedsAreDissolved) {
  const PlantedRelations planted =
      plant_relations({.nodes = 90, .relations = 1, .groups = 2, .inside = 0.4, .outside = 0.01, .seed = 5});
  const Links links = make_links(graph_of(planted));
  Partitions partitions = no_relations(links);
  partitions.groups_in = {4};
  partitions.rate = {{0.3, 0.3, 0.3, 0.3}};
  for (std::size_t node = 0; node < 90; ++node) {
    partitions.group.push_back(planted.groups[node] * 2 + static_cast<std::int32_t>(node % 2));  // each cut in two
  }
  fit_rates(links, partitions);
  dissolve_groups(links, partitions, {.sweeps = 5, .purpose = "test"});
  EXPECT_EQ(partitions.groups_in, std::vector<int>{2});
}

/// Above 3,000 nodes many of them choose at once.
TEST(Partitions, ManyNodesThatMoveAtOnceFindThePlantedGroups) {
  const PlantedRelations planted =
      plant_relations({.nodes = 4000, .relations = 1, .groups = 3, .inside = 0.02, .outside = 0.001, .seed = 4});
  const Links links = make_links(graph_of(planted));
  Partitions partitions = no_relations(links);
  partitions.groups_in = {4};
  partitions.group = planted.groups;
  partitions.rate = {{0.02, 0.02, 0.02, 0.02}};
  for (std::size_t node = 0; node < 4000; node += 4) {
    partitions.group[node] = static_cast<std::int32_t>(node % 3);
  }
  for (std::size_t node = 1; node < 400; node += 4) {
    partitions.group[node] = 3;  // a small group that nobody needs
  }
  fit_rates(links, partitions);
  double before = partitions.bits;
  move_nodes(links, partitions, {.sweeps = 3, .purpose = "test"});
  fit_rates(links, partitions);
  EXPECT_LT(partitions.bits, before);
  before = partitions.bits;
  dissolve_small_groups(links, partitions, {.purpose = "test"});
  EXPECT_LE(partitions.bits, before);
  EXPECT_EQ(partitions.groups_in, std::vector<int>{3});
  move_nodes(links, partitions, {.sweeps = 10, .purpose = "test"});
  std::int64_t same = 0;
  for (std::size_t node = 0; node < 4000; ++node) {
    same += partitions.group[node] == planted.groups[node] ? 1 : 0;
  }
  EXPECT_GT(same, 3900);
}

TEST(RandomGraphs, KeepDegreesAndNothingElse) {
  const Links links = make_links(graph_of(plant_relations({.nodes = 80, .relations = 1, .groups = 4})));
  const Links random = rewire(links, 3, "test");
  EXPECT_EQ(random.strengths, links.strengths);
  EXPECT_NE(random.neighbours, links.neighbours);
  EXPECT_EQ(rewire(links, 3, "test").neighbours, random.neighbours);
  for (std::int64_t row = 0; row < random.nodes; ++row) {
    const auto first = random.neighbours.begin() + random.offsets[row];
    const auto last = random.neighbours.begin() + random.offsets[row + 1];
    EXPECT_EQ(std::adjacent_find(first, last), last);
    EXPECT_EQ(std::find(first, last, row), last);
  }
  const Links thinner = thin_out(links, 0.5, 1, "test");
  EXPECT_NEAR(static_cast<double>(thinner.links()) / static_cast<double>(links.links()), 0.5, 0.15);
}

}  // namespace
}  // namespace factorgcn
