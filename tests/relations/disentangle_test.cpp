// All steps together: planted relations are found, nothing is found where there is nothing, known edges help, and the
// same seed gives the same bits whatever the number of threads and wherever it was interrupted.
#include "factorgcn/relations/disentangle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/relation_auc.h"
#include "relations/small_graphs.h"

namespace factorgcn {
namespace {

PlantedRelations planted_pair(std::uint64_t seed = 1) {
  return plant_relations({.nodes = 100, .relations = 2, .groups = 3, .inside = 0.35, .outside = 0.01, .seed = seed});
}

double auc_of(const Disentangled& found, const PlantedRelations& planted) {
  return relation_auc(found.shares, found.num_relations(), planted.truth, planted.relations).mean;
}

class Store : public RelationsObserver {
 public:
  bool stop() override { return stop_after >= 0 && static_cast<int>(steps.size()) >= stop_after; }
  void keep(const std::string& key, const std::vector<float>& numbers) override {
    EXPECT_TRUE(steps.emplace(key, numbers).second) << key << " is kept twice";
  }
  std::optional<std::vector<float>> kept(const std::string& key) override {
    const auto found = steps.find(key);
    return found == steps.end() ? std::nullopt : std::optional(found->second);
  }
  int stop_after = -1;
  std::map<std::string, std::vector<float>> steps;
};

TEST(Disentangle, FindsPlantedRelationsAndTheirNumberUntold) {
  const PlantedRelations planted = planted_pair();
  const Disentangled found = disentangle(graph_of(planted));
  ASSERT_EQ(found.num_relations(), 2);
  EXPECT_EQ(found.relations[0].groups, 3);
  EXPECT_EQ(found.relations[1].groups, 3);
  EXPECT_GT(auc_of(found, planted), 0.9);
  EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kSeveral);
  EXPECT_GT(found.evidence.saved, found.evidence.saved_by_one);
  EXPECT_GT(found.evidence.saved, found.evidence.saved_in_random);
  EXPECT_GT(found.relations[0].stability, 0.7);
  EXPECT_EQ(std::count_if(found.candidates.begin(), found.candidates.end(),
                          [](const RelationsCandidate& candidate) { return candidate.chosen; }),
            1);
  EXPECT_EQ(found.candidates.front().relations, 0);
}

TEST(Disentangle, WhatItReturnsFitsTogether) {
  const PlantedRelations planted = planted_pair();
  const RelationGraph graph = graph_of(planted);
  const Disentangled found = disentangle(graph, {.relations = 2, .groups = 3, .ask = 7});
  EXPECT_EQ(found.shares.size(), static_cast<std::size_t>(2 * graph.edges()));
  EXPECT_EQ(found.memberships.size(), static_cast<std::size_t>(graph.nodes * found.num_groups()));
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    EXPECT_LE(found.shares[2 * edge] + found.shares[2 * edge + 1], 1.0001F);
    EXPECT_EQ(found.strongest[edge], found.shares[2 * edge + 1] > found.shares[2 * edge] ? 1 : 0);
    EXPECT_TRUE(found.certainty[edge] >= 0 && found.certainty[edge] <= 1);
  }
  EXPECT_GE(found.relations[0].edges, found.relations[1].edges);
  ASSERT_EQ(found.ask.size(), 7U);
  std::vector<std::int64_t> asked = found.ask;
  std::sort(asked.begin(), asked.end());
  EXPECT_EQ(std::adjacent_find(asked.begin(), asked.end()), asked.end());
}

TEST(Disentangle, SameBitsForAnyNumberOfThreads) {
  const RelationGraph graph = graph_of(planted_pair());
  const DisentangleOptions options{.relations = 2, .groups = 3, .resamples = 2, .random_graphs = 1, .seed = 3};
  const int threads = num_threads();
  set_num_threads(1);
  const Disentangled one = disentangle(graph, options);
  set_num_threads(3);
  const Disentangled three = disentangle(graph, options);
  set_num_threads(threads);
  EXPECT_EQ(one.shares, three.shares);
  EXPECT_EQ(one.certainty, three.certainty);
  EXPECT_EQ(one.ask, three.ask);
}

TEST(Disentangle, StopsWhereAskedAndGoesOnWithTheSameBits) {
  const RelationGraph graph = graph_of(planted_pair());
  const DisentangleOptions options{.relations = 2, .resamples = 2, .random_graphs = 1};
  Store whole;
  const Disentangled expected = disentangle(graph, options, {}, {}, whole);
  ASSERT_GT(whole.steps.size(), 4U);
  Store store;
  for (int step = 1; step < static_cast<int>(whole.steps.size()); step += 2) {
    store.stop_after = step;
    EXPECT_THROW(disentangle(graph, options, {}, {}, store), StoppedEarly);
    EXPECT_EQ(static_cast<int>(store.steps.size()), step);
  }
  store.stop_after = -1;
  EXPECT_EQ(disentangle(graph, options, {}, {}, store).shares, expected.shares);
  EXPECT_EQ(store.steps, whole.steps);
  // What cannot be a step is done again.
  store.steps.begin()->second.pop_back();
  const std::vector<float> damaged = store.steps.begin()->second;
  store.steps.erase(store.steps.begin());
  EXPECT_EQ(disentangle(graph, options, {}, {}, store).shares, expected.shares);
}

/// Where a quarter of all pairs are joined, the best of many descriptions saves a little by chance.
TEST(Disentangle, DenseRandomGraphsHaveNoRelations) {
  for (const std::uint64_t seed : {2, 6, 8}) {
    const PlantedRelations random =
        plant_relations({.nodes = 120, .relations = 1, .groups = 1, .inside = 0.25, .seed = seed});
    const Disentangled found = disentangle(graph_of(random));
    EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kNone) << seed;
    EXPECT_GE(found.evidence.chance_bound, found.evidence.saved_in_random);
  }
}

TEST(Disentangle, RandomGraphsHaveNoRelations) {
  for (const double exponent : {0.0, 2.5}) {
    const PlantedRelations random = plant_relations(
        {.nodes = 150, .relations = 1, .groups = 1, .inside = 0.1, .degree_exponent = exponent, .seed = 2});
    const Disentangled found = disentangle(graph_of(random));
    EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kNone) << exponent;
    EXPECT_EQ(found.num_relations(), 1);
    EXPECT_EQ(found.relations[0].groups, 1);
  }
}

TEST(Disentangle, WhatIsCertainIsRightAndWhatIsDoubtfulOftenIsNot) {
  const PlantedRelations planted = plant_relations({.nodes = 200, .seed = 1});
  const Disentangled found = disentangle(graph_of(planted), {.relations = 3, .groups = 5, .resamples = 4});
  const RelationAuc truth = relation_auc(found.shares, 3, planted.truth, 3);
  struct Kind {
    int edges = 0, right = 0;
  } certain, doubtful;
  for (std::size_t edge = 0; edge < found.certainty.size(); ++edge) {
    bool right = false;
    for (std::size_t type = 0; type < 3; ++type) {
      right = right || (planted.truth[3 * edge + type] != 0 && truth.columns[type] == found.strongest[edge]);
    }
    for (Kind* kind :
         {found.certainty[edge] >= 0.9F ? &certain : nullptr, found.certainty[edge] < 0.6F ? &doubtful : nullptr}) {
      if (kind != nullptr) {
        ++kind->edges;
        kind->right += right ? 1 : 0;
      }
    }
  }
  ASSERT_GT(certain.edges, 500);
  ASSERT_GT(doubtful.edges, 200);
  EXPECT_GT(certain.right, 0.9 * certain.edges);
  EXPECT_LT(doubtful.right, 0.7 * doubtful.edges);
}

/// However sure the model is of itself.
TEST(Disentangle, NothingIsCertainWhereNothingTellsRelationsApart) {
  const PlantedRelations random =
      plant_relations({.nodes = 100, .relations = 1, .groups = 1, .inside = 0.1, .seed = 4});
  const PlantedRelations one =
      plant_relations({.nodes = 120, .relations = 1, .groups = 4, .inside = 0.4, .outside = 0.02, .seed = 6});
  for (const PlantedRelations* planted : {&random, &one}) {
    for (const int groups : {0, 3}) {
      const Disentangled found = disentangle(graph_of(*planted), {.relations = 4, .groups = groups, .resamples = 2});
      ASSERT_NE(found.evidence.verdict, RelationsVerdict::kSeveral);
      for (const float certainty : found.certainty) {
        ASSERT_EQ(certainty, 0.25F);
      }
    }
  }
}

/// Above 80,000 edges sizes are chosen in another way, and effort is another.
PlantedRelations planted_large(int relations, int groups) {
  const std::int64_t nodes = 5000;
  const double each = 40.0 / relations / static_cast<double>(nodes);
  return plant_relations({.nodes = nodes,
                          .relations = relations,
                          .groups = groups,
                          .inside = 0.88 * each * groups,
                          .outside = groups > 1 ? 0.12 * each * groups / (groups - 1) : 0,
                          .degree_exponent = 2.5,
                          .seed = 2});
}

TEST(Disentangle, LargeGraphsAreTakenApartUntoldWithTheSameBitsForAnyNumberOfThreads) {
  const PlantedRelations planted = planted_large(2, 4);
  const RelationGraph graph = graph_of(planted);
  ASSERT_GT(graph.edges(), 80'000);
  const int threads = num_threads();
  set_num_threads(1);
  const Disentangled found = disentangle(graph);
  set_num_threads(3);
  const Disentangled again = disentangle(graph);
  set_num_threads(threads);
  EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kSeveral);
  ASSERT_EQ(found.num_relations(), 2);
  EXPECT_EQ(found.relations[0].groups, 4);
  EXPECT_EQ(found.relations[1].groups, 4);
  EXPECT_GT(auc_of(found, planted), 0.9);
  EXPECT_GT(found.relations[0].stability, 0.9);
  EXPECT_GT(found.evidence.random_graphs, 0);
  EXPECT_GT(found.evidence.saved, found.evidence.saved_by_one);
  EXPECT_LT(found.candidates.size(), 10U);
  EXPECT_EQ(again.shares, found.shares);
  EXPECT_EQ(again.certainty, found.certainty);
}

TEST(Disentangle, LargeRandomGraphsHaveNoRelations) {
  const RelationGraph graph = graph_of(planted_large(1, 1));
  ASSERT_GT(graph.edges(), 80'000);
  EXPECT_EQ(disentangle(graph).evidence.verdict, RelationsVerdict::kNone);
  EXPECT_EQ(disentangle(graph, {.relations = 2, .groups = 3}).evidence.verdict, RelationsVerdict::kNone);
}

/// Dealt out over two relations they would look like several.
TEST(Disentangle, ManyGroupsOfOneRelationAreOneRelation) {
  RelationGraph cliques{.nodes = 150};
  for (std::int32_t node = 0; node < 150; ++node) {
    for (std::int32_t other = node / 5 * 5; other < node; ++other) {
      cliques.sources.push_back(other);
      cliques.targets.push_back(node);
    }
  }
  const Disentangled found = disentangle(cliques, {.resamples = 2});
  EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kOne);
  ASSERT_EQ(found.num_relations(), 1);
  EXPECT_GT(found.relations[0].groups, 20);
}

/// Rewiring cannot change them, so they are as random as any.
TEST(Disentangle, StarsAndCompleteGraphsHaveNoGroups) {
  RelationGraph star{.nodes = 60}, complete{.nodes = 20};
  for (std::int32_t node = 1; node < 60; ++node) {
    star.sources.push_back(0);
    star.targets.push_back(node);
    for (std::int32_t other = 0; node < 20 && other < node; ++other) {
      complete.sources.push_back(other);
      complete.targets.push_back(node);
    }
  }
  EXPECT_EQ(disentangle(star).evidence.verdict, RelationsVerdict::kNone);
  EXPECT_EQ(disentangle(complete).evidence.verdict, RelationsVerdict::kNone);
}

TEST(Disentangle, ARingsNeighbourhoodsAreNotSeveralRelations) {
  RelationGraph ring{.nodes = 200};
  for (std::int32_t node = 0; node < 200; ++node) {
    for (std::int32_t step = 1; step <= 3; ++step) {
      ring.sources.push_back(node);
      ring.targets.push_back((node + step) % 200);
    }
  }
  const Disentangled found = disentangle(ring, {.random_graphs = 5});
  EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kUnstable);
  EXPECT_GT(found.evidence.saved, found.evidence.saved_by_one);
}

TEST(Disentangle, OnePartitionIsOneRelation) {
  const PlantedRelations planted =
      plant_relations({.nodes = 120, .relations = 1, .groups = 4, .inside = 0.4, .outside = 0.02, .seed = 6});
  const Disentangled found = disentangle(graph_of(planted));
  EXPECT_EQ(found.evidence.verdict, RelationsVerdict::kOne);
  ASSERT_EQ(found.num_relations(), 1);
  EXPECT_EQ(found.relations[0].groups, 4);
}

TEST(Disentangle, KnownEdgesNameTheColumnsAndHelp) {
  const PlantedRelations planted = planted_pair(2);
  const RelationGraph graph = graph_of(planted);
  KnownEdges known{.relations = 2, .edges = {}, .truth = {}};
  std::vector<float> shares;
  std::vector<std::uint8_t> truth;
  for (std::int64_t edge = 0; edge < graph.edges(); edge += 10) {
    known.edges.push_back(edge);
    known.truth.insert(known.truth.end(), {planted.truth[2 * edge], planted.truth[2 * edge + 1]});
  }
  RelationsObserver nobody;
  const DisentangleOptions options{.resamples = 0, .random_graphs = 0};
  const Disentangled found = disentangle(graph, options, known, {}, nobody);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (edge % 10 == 0) {
      EXPECT_EQ(found.shares[2 * edge], planted.truth[2 * edge]);
      EXPECT_EQ(std::count(found.ask.begin(), found.ask.end(), edge), 0);
      continue;
    }
    shares.insert(shares.end(), {found.shares[2 * edge], found.shares[2 * edge + 1]});
    truth.insert(truth.end(), {planted.truth[2 * edge], planted.truth[2 * edge + 1]});
  }
  RelationAucOptions scoring;
  scoring.pairing = RelationPairing::kSame;
  EXPECT_GT(relation_auc(shares, 2, truth, 2, scoring).mean, 0.85);
  EXPECT_EQ(found.known.known, static_cast<int>(known.edges.size()));
  EXPECT_GT(found.known.mean, 0.75);
}

/// More than are looked at one by one.
TEST(Disentangle, ManyKnownEdgesHelpToo) {
  const PlantedRelations planted =
      plant_relations({.nodes = 200, .relations = 2, .groups = 3, .inside = 0.35, .outside = 0.01, .seed = 3});
  const RelationGraph graph = graph_of(planted);
  KnownEdges known{.relations = 2, .edges = {}, .truth = {}};
  std::vector<float> shares;
  std::vector<std::uint8_t> truth;
  for (std::int64_t edge = 0; edge < graph.edges(); edge += 3) {
    known.edges.push_back(edge);
    known.truth.insert(known.truth.end(), {planted.truth[2 * edge], planted.truth[2 * edge + 1]});
  }
  ASSERT_GT(known.edges.size(), 800U);
  RelationsObserver nobody;
  const DisentangleOptions options{.relations = 2, .groups = 3, .starts = 2, .resamples = 0, .random_graphs = 0};
  const Disentangled found = disentangle(graph, options, known, {}, nobody);
  EXPECT_EQ(found.known.folds, 5);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (edge % 3 != 0) {
      shares.insert(shares.end(), {found.shares[2 * edge], found.shares[2 * edge + 1]});
      truth.insert(truth.end(), {planted.truth[2 * edge], planted.truth[2 * edge + 1]});
    }
  }
  RelationAucOptions scoring;
  scoring.pairing = RelationPairing::kSame;
  EXPECT_GT(relation_auc(shares, 2, truth, 2, scoring).mean, 0.85);
}

/// In each relation a node sends to those whose receiving group is its sending group.
struct DirectedRelations {
  RelationGraph graph;
  std::vector<std::uint8_t> truth;
};

DirectedRelations planted_directed(bool own_groups) {
  constexpr int kNodes = 120, kRelations = 2, kGroups = 3;
  RandomStream random(7, "test/directed");
  std::vector<std::uint64_t> sending, receiving;
  for (int place = 0; place < kNodes * kRelations; ++place) {
    sending.push_back(random.below(kGroups));
    receiving.push_back(own_groups ? random.below(kGroups) : sending.back());
  }
  DirectedRelations planted{.graph = {.nodes = kNodes, .directed = true}, .truth = {}};
  for (int from = 0; from < kNodes; ++from) {
    for (int to = 0; to < kNodes; ++to) {
      std::array<bool, kRelations> joined{};
      for (int relation = 0; relation < kRelations; ++relation) {
        const bool inside = sending[relation * kNodes + from] == receiving[relation * kNodes + to];
        joined[relation] = from != to && random.chance(inside ? 0.25 : 0.01);
      }
      if (joined[0] || joined[1]) {
        planted.graph.sources.push_back(from);
        planted.graph.targets.push_back(to);
        planted.truth.insert(planted.truth.end(), joined.begin(), joined.end());
      }
    }
  }
  return planted;
}

TEST(Disentangle, GroupsOfTheirOwnForSendingAndReceivingWhereLeftOutEdgesSaySo) {
  const DisentangleOptions options{.relations = 2, .groups = 3, .resamples = 1, .random_graphs = 1};
  for (const bool own_groups : {false, true}) {
    const DirectedRelations planted = planted_directed(own_groups);
    const Disentangled found = disentangle(planted.graph, options);
    EXPECT_EQ(found.receiving.empty(), !own_groups);
    EXPECT_EQ(found.memberships.size(), static_cast<std::size_t>(120 * found.num_groups()));
    EXPECT_TRUE(found.receiving.empty() || found.receiving.size() == found.memberships.size());
    EXPECT_GT(relation_auc(found.shares, found.num_relations(), planted.truth, 2).mean, 0.85) << own_groups;
    EXPECT_NE(found.notes.front().find("left out"), std::string::npos);
  }
}

TEST(Disentangle, AnAttributeThatAgreesIsFoundAndOneThatDoesNotIsNot) {
  const PlantedRelations planted = planted_pair();
  NodeAttribute team{.name = "team", .categories = {}, .numbers = {}};
  team.categories.assign(planted.groups.begin(), planted.groups.begin() + 100);
  NodeAttribute noise{.name = "noise", .categories = {}, .numbers = {}};
  for (int node = 0; node < 100; ++node) {
    noise.numbers.push_back(static_cast<float>((node * 37) % 101));
  }
  RelationsObserver nobody;
  const DisentangleOptions options{.relations = 2, .groups = 3, .resamples = 0, .random_graphs = 0};
  const Disentangled found = disentangle(graph_of(planted), options, {}, {noise, team}, nobody);
  EXPECT_EQ((found.relations[0].attribute == 1) + (found.relations[1].attribute == 1), 1);
  for (const FoundRelation& relation : found.relations) {
    EXPECT_NE(relation.attribute, 0);
    EXPECT_TRUE(relation.attribute < 0 || relation.attribute_agreement > 0.7);
  }
}

/// Relations of so few edges that edges alone show little of them.
PlantedRelations planted_sparse(std::uint64_t seed) {
  return plant_relations({.nodes = 200, .relations = 2, .groups = 8, .inside = 0.14, .outside = 0.003, .seed = seed});
}

TEST(Disentangle, AnAttributeThatCarriesARelationEntersAndHelps) {
  for (const std::uint64_t seed : {1, 2}) {
    const PlantedRelations planted = planted_sparse(seed);
    NodeAttribute team{.name = "team", .categories = {}, .numbers = {}};
    team.categories.assign(planted.groups.begin(), planted.groups.begin() + 200);
    for (int node = 0; node < 200; node += 9) {
      team.categories[static_cast<std::size_t>(node)] = node % 2 == 0 ? -1 : 3;  // not known, or wrong
    }
    RelationsObserver nobody;
    const DisentangleOptions options{.relations = 2, .groups = 8, .resamples = 1, .random_graphs = 1};
    const Disentangled without = disentangle(graph_of(planted), options);
    const Disentangled with = disentangle(graph_of(planted), options, {}, {team}, nobody);
    EXPECT_GT(auc_of(with, planted), auc_of(without, planted) + 0.02) << seed;
    EXPECT_NE(with.notes.front().find("start from 'team'"), std::string::npos) << with.notes.front();
    EXPECT_EQ((with.relations[0].attribute == 0) + (with.relations[1].attribute == 0), 1);
  }
}

TEST(Disentangle, AnAttributeThatIsNoiseStaysOutsideAndChangesNothing) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const PlantedRelations planted = planted_sparse(seed);
    RandomStream random(seed, "test/noise");
    NodeAttribute words{.name = "words", .categories = {}, .numbers = {}};
    NodeAttribute numbers{.name = "numbers", .categories = {}, .numbers = {}};
    for (int node = 0; node < 200; ++node) {
      words.categories.push_back(static_cast<std::int32_t>(random.below(6)));
      numbers.numbers.push_back(static_cast<float>(random.uniform()));
    }
    RelationsObserver nobody;
    const DisentangleOptions options{.relations = 2, .groups = 8, .resamples = 1, .random_graphs = 1};
    const Disentangled with = disentangle(graph_of(planted), options, {}, {words, numbers}, nobody);
    EXPECT_EQ(with.shares, disentangle(graph_of(planted), options).shares) << seed;
    EXPECT_NE(with.notes.front().find("none was used"), std::string::npos) << with.notes.front();
  }
}

TEST(Disentangle, TakesSmallAndUnusualGraphs) {
  EXPECT_EQ(disentangle({.nodes = 3}).num_relations(), 1);
  EXPECT_EQ(disentangle({.nodes = 2, .sources = {0}, .targets = {1}}).strongest.size(), 1U);
  const RelationGraph directed{.nodes = 4, .sources = {0, 1, 2, 3}, .targets = {1, 0, 3, 1}, .directed = true};
  EXPECT_EQ(disentangle(directed, {.relations = 2}).shares.size(), 8U);
  RelationGraph weighted = graph_of(planted_pair());
  for (std::int64_t edge = 0; edge < weighted.edges(); ++edge) {
    weighted.weights.push_back(static_cast<float>(1 + edge % 5));
  }
  for (const float share : disentangle(weighted, {.relations = 2, .groups = 3, .resamples = 0}).shares) {
    EXPECT_TRUE(std::isfinite(share));
  }
}

TEST(Disentangle, RefusesOptionsOutOfRange) {
  const RelationGraph graph = graph_of(planted_pair());
  EXPECT_EQ(usage_error_text([&] { disentangle(graph, {.relations = 65}); }),
            "--relations 65: give 1 to 64, or leave it out to have it chosen");
  EXPECT_EQ(usage_error_text([&] { disentangle(graph, {.relations = 50, .groups = 50}); }),
            "50 relations of 50 groups are more than 1000 groups in all");
}

}  // namespace
}  // namespace factorgcn
