// Planted relations: what the definition promises, counted on the result.
#include "factorgcn/data/relations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "base/error_text.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {
namespace {

TEST(PlantedRelations, EdgesAreThePairsThatSomeRelationJoins) {
  const PlantedRelations planted = plant_relations({.nodes = 60, .relations = 2, .groups = 3});
  std::set<std::pair<std::int32_t, std::int32_t>> seen;
  for (std::size_t edge = 0; edge < planted.sources.size(); ++edge) {
    EXPECT_LT(planted.sources[edge], planted.targets[edge]);
    EXPECT_TRUE(seen.emplace(planted.sources[edge], planted.targets[edge]).second);
    EXPECT_GE(planted.truth[edge * 2] + planted.truth[edge * 2 + 1], 1);
  }
  EXPECT_TRUE(std::is_sorted(planted.sources.begin(), planted.sources.end()));
}

TEST(PlantedRelations, ProbabilitiesAreThoseAskedFor) {
  RelationsOptions options{.nodes = 900, .relations = 2, .groups = 3, .inside = 0.1, .outside = 0.01, .seed = 3};
  const PlantedRelations planted = plant_relations(options);
  for (int relation = 0; relation < 2; ++relation) {
    const std::int32_t* groups = planted.groups.data() + relation * options.nodes;
    double pairs[2] = {0, 0}, joined[2] = {0, 0};
    for (std::int64_t a = 0; a < options.nodes; ++a) {
      for (std::int64_t b = a + 1; b < options.nodes; ++b) {
        ++pairs[groups[a] == groups[b]];
      }
    }
    for (std::size_t edge = 0; edge < planted.sources.size(); ++edge) {
      joined[groups[planted.sources[edge]] == groups[planted.targets[edge]]] += planted.truth[edge * 2 + relation];
    }
    // Five standard deviations of a binomial count.
    EXPECT_NEAR(joined[1], pairs[1] * 0.1, 5 * std::sqrt(pairs[1] * 0.1));
    EXPECT_NEAR(joined[0], pairs[0] * 0.01, 5 * std::sqrt(pairs[0] * 0.01));
  }
}

TEST(PlantedRelations, CertainAndImpossibleEdges) {
  const PlantedRelations all = plant_relations({.nodes = 30, .relations = 1, .groups = 1, .inside = 1, .outside = 0});
  EXPECT_EQ(all.sources.size(), 30U * 29 / 2);
  EXPECT_TRUE(plant_relations({.nodes = 30, .inside = 0, .outside = 0}).sources.empty());
  EXPECT_TRUE(plant_relations({.nodes = 1}).sources.empty());
}

TEST(PlantedRelations, UnequalGroupsAndHubs) {
  RelationsOptions options{.nodes = 3000, .relations = 1, .groups = 4, .inside = 0.01, .outside = 0.001};
  options.unequal = 1;
  PlantedRelations planted = plant_relations(options);
  std::vector<int> sizes(4, 0);
  for (const std::int32_t group : planted.groups) {
    ++sizes[group];
  }
  EXPECT_NEAR(sizes[0], 3000 * 0.48, 150);  // 1 of 1 + 1/2 + 1/3 + 1/4
  EXPECT_NEAR(sizes[3], 3000 * 0.12, 100);

  const auto most_edges = [](const PlantedRelations& graph) {
    std::vector<int> degrees(static_cast<std::size_t>(graph.nodes), 0);
    for (std::size_t edge = 0; edge < graph.sources.size(); ++edge) {
      ++degrees[graph.sources[edge]];
      ++degrees[graph.targets[edge]];
    }
    return *std::max_element(degrees.begin(), degrees.end());
  };
  const int plain = most_edges(planted);
  options.degree_exponent = 2.5;
  EXPECT_GT(most_edges(plant_relations(options)), 3 * plain);
}

TEST(PlantedRelations, ARelationDoesNotDependOnHowManyThereAre) {
  const PlantedRelations two = plant_relations({.nodes = 50, .relations = 2, .seed = 7});
  const PlantedRelations three = plant_relations({.nodes = 50, .relations = 3, .seed = 7});
  EXPECT_TRUE(std::equal(two.groups.begin(), two.groups.end(), three.groups.begin()));
  EXPECT_GT(three.sources.size(), two.sources.size());
}

TEST(PlantedRelations, AsADataSet) {
  const Settings settings{{"nodes", std::int64_t{40}}, {"inside", 0.5}, {"seed", std::int64_t{2}}};
  const Dataset dataset = make_dataset("relations", settings);  // checks it as well
  EXPECT_EQ(dataset.task, Task::kNone);
  EXPECT_EQ(dataset.truth.num_types(), 3);
  const PlantedRelations planted = plant_relations({.nodes = 40, .inside = 0.5, .seed = 2});
  EXPECT_EQ(dataset.graphs.num_edges(), static_cast<std::int64_t>(2 * planted.sources.size() + 40));
  EXPECT_EQ(dataset.added_self_loops, 40);
  const auto joined = std::accumulate(planted.truth.begin(), planted.truth.end(), std::size_t{0});
  EXPECT_EQ(dataset.truth.entry_sources.size(), 2 * joined);
}

TEST(PlantedRelations, RefusesWhatIsOutOfRange) {
  EXPECT_EQ(usage_error_text([] { plant_relations({.nodes = 0}); }), "relations: 0 nodes; choose 1 .. 100000000");
  EXPECT_EQ(usage_error_text([] { plant_relations({.nodes = 9, .degree_exponent = 1.5}); }),
            "relations: a degree exponent of 1.5; choose above 2 (heavy tail) to 100, or 0 for nodes alike");
  EXPECT_NE(usage_error_text([] { plant_relations({.nodes = 1'000'000}); }).find("choose fewer nodes"),
            std::string::npos);
  EXPECT_EQ(usage_error_text([] {
              make_dataset("relations", {{"inside", 1.5}});
            }).substr(0, 50),
            "data set relations: setting 'inside' is 1.5; it mu");
}

}  // namespace
}  // namespace factorgcn
