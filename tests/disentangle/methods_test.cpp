// Methods by name, and what is the same for all: names of relations, counts, groups, the score.
#include "factorgcn/disentangle/methods.h"

#include <gtest/gtest.h>

#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

/// Two triangles that share node 2: two true relations.
NamedGraph bow_tie() {
  NamedGraph graph;
  graph.name = "bow tie";
  graph.nodes = {"a", "b", "c", "d", "e", "alone"};
  graph.sources = {0, 0, 1, 2, 2, 3};
  graph.targets = {1, 2, 2, 3, 4, 4};
  graph.truth_names = {"work", "home"};
  graph.truth = {1, 0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1};
  return graph;
}

DisentangleOptions two_relations() {
  DisentangleOptions options;
  options.relations = 2;
  options.groups = 1;
  return options;
}

TEST(DisentangleMethods, LinkCommunitiesTellTwoTrianglesApart) {
  RelationsObserver silent;
  const DisentangleOutcome outcome =
      take_apart(disentangle_method("link-communities"), bow_tie(), {}, two_relations(), silent);
  ASSERT_EQ(outcome.num_relations(), 2U);
  EXPECT_EQ(outcome.relations[0].column, "relation_1");
  EXPECT_EQ(outcome.relations[1].words, "relation 2");
  EXPECT_EQ(outcome.relations[0].strongest, 3);
  EXPECT_EQ(outcome.relations[0].edges, 3);
  EXPECT_EQ(outcome.strongest, (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(outcome.relations[0].group, (std::vector<std::int32_t>{1, 1, 1, 0, 0, 0}));
  EXPECT_EQ(outcome.relations[1].group, (std::vector<std::int32_t>{0, 0, 1, 1, 1, 0}));
  EXPECT_EQ(outcome.relations[0].membership, (std::vector<float>{1, 1, 1, 0, 0, 0}));
  ASSERT_TRUE(outcome.truth.has_value());
  EXPECT_EQ(outcome.truth->mean, 1);
  EXPECT_LT(outcome.truth->chance, 0.9);
  EXPECT_FALSE(outcome.evidence.has_value());
}

TEST(DisentangleMethods, WhatTellsNoCertaintyIsRepeated) {
  RelationsObserver silent;
  DisentangleOptions options = two_relations();
  options.resamples = 20;
  const DisentangleMethod& method = disentangle_method("link-communities");
  const DisentangleOutcome outcome = take_apart(method, bow_tie(), {}, options, silent);
  ASSERT_EQ(outcome.certainty.size(), 6U);
  for (const float certainty : outcome.certainty) {
    EXPECT_TRUE(certainty > 0.5F && certainty <= 1);
  }
  for (const RelationOutcome& relation : outcome.relations) {
    EXPECT_EQ(std::isnan(relation.stability), relation.groups < 2);
  }
  EXPECT_EQ(take_apart(method, bow_tie(), {}, options, silent).certainty, outcome.certainty);
  options.resamples = 0;
  const DisentangleOutcome once = take_apart(method, bow_tie(), {}, options, silent);
  EXPECT_TRUE(once.certainty.empty());
  EXPECT_NE(once.notes.back().find("--bootstrap"), std::string::npos);
}

TEST(DisentangleMethods, FactorGcnGivesTheSameKindOfOutcome) {
  RelationsObserver silent;
  const NamedGraph graph = bow_tie();
  const DisentangleOutcome outcome = take_apart(disentangle_method("factorgcn"), graph, {}, two_relations(), silent);
  ASSERT_EQ(outcome.shares.size(), 12U);
  for (std::size_t edge = 0; edge < 6; ++edge) {
    EXPECT_NEAR(outcome.shares[2 * edge] + outcome.shares[2 * edge + 1], 1, 1e-5);
    // What an edge connects lies in one group of its relation.
    const RelationOutcome& relation = outcome.relations[static_cast<std::size_t>(outcome.strongest[edge])];
    EXPECT_GT(relation.group[static_cast<std::size_t>(graph.sources[edge])], 0);
    EXPECT_EQ(relation.group[static_cast<std::size_t>(graph.sources[edge])],
              relation.group[static_cast<std::size_t>(graph.targets[edge])]);
  }
}

TEST(DisentangleMethods, GraphsAtTheEdge) {
  RelationsObserver silent;
  for (const DisentangleMethod& method : disentangle_methods()) {
    SCOPED_TRACE(method.name);
    NamedGraph graph;
    graph.nodes = {"a", "b"};
    DisentangleOutcome outcome = take_apart(method, graph, {}, two_relations(), silent);
    EXPECT_TRUE(outcome.shares.empty());
    for (const RelationOutcome& relation : outcome.relations) {
      EXPECT_EQ(relation.group, (std::vector<std::int32_t>{0, 0}));
    }
    graph.sources = {1};
    graph.targets = {0};
    graph.directed = true;
    graph.weights = {2.5F};
    outcome = take_apart(method, graph, {}, two_relations(), silent);
    EXPECT_EQ(outcome.shares.size(), outcome.num_relations());
    for (const float share : outcome.shares) {
      EXPECT_TRUE(std::isfinite(share));
    }
  }
}

/// Asks for an end at the first chance.
class Impatient : public RelationsObserver {
 public:
  bool stop() override { return true; }
};

TEST(DisentangleMethods, StopWhereTheyAreAsked) {
  Impatient observer;
  for (const DisentangleMethod& method : disentangle_methods()) {
    EXPECT_THROW(take_apart(method, bow_tie(), {}, two_relations(), observer), StoppedEarly) << method.name;
  }
}

TEST(DisentangleMethods, RefuseWhatTheyDoNotTake) {
  RelationsObserver silent;
  EXPECT_THROW(disentangle_method("louvain"), UsageError);
  KnownRelations known{{"work"}, {0}, {1}};
  EXPECT_THROW(take_apart(disentangle_method("factorgcn"), bow_tie(), known, two_relations(), silent), UsageError);
  EXPECT_THROW(take_apart(disentangle_method("link-communities"), bow_tie(), {}, {}, silent), UsageError);
}

TEST(DisentangleMethods, GroupsAreNumberedByFallingSize) {
  RelationOutcome relation;
  relation.group = {4, 7, 7, 7, 4, 2, 9};
  relation.membership.assign(7, 0.5F);
  order_groups(relation, {false, false, false, false, false, false, true});
  EXPECT_EQ(relation.group, (std::vector<std::int32_t>{2, 1, 1, 1, 2, 3, 0}));
  EXPECT_EQ(relation.groups, 3);
  EXPECT_EQ(relation.membership[6], 0);
}

TEST(DisentangleMethods, GroupsForReceivingAreNumberedAsThoseForSending) {
  RelationOutcome relation;
  relation.group = {0, 0, 1, 1};
  relation.receiving_group = {1, 1, 1, 0};
  relation.membership = relation.receiving_membership = {1, 0.5F, 0.75F, 1};
  order_groups(relation, {false, false, false, true});
  EXPECT_EQ(relation.groups, 2);
  EXPECT_EQ(relation.group, (std::vector<std::int32_t>{2, 2, 1, 0}));
  EXPECT_EQ(relation.receiving_group, (std::vector<std::int32_t>{1, 1, 1, 0}));
  EXPECT_EQ(relation.receiving_membership, (std::vector<float>{1, 0.5F, 0.75F, 0}));
}

/// A method that puts all edges into one relation always agrees with itself, and is right no more often than chance.
TEST(DisentangleMethods, RepeatsThatAgreeBecauseThereIsNothingToDisagreeAboutMakeNothingCertain) {
  NamedGraph graph;
  graph.name = "everybody";
  for (std::int32_t node = 0; node < 12; ++node) {
    graph.nodes.push_back(std::to_string(node));
    for (std::int32_t other = 0; other < node; ++other) {
      graph.sources.push_back(other);
      graph.targets.push_back(node);
    }
  }
  DisentangleOptions options = two_relations();
  options.resamples = 3;
  RelationsObserver silent;
  const DisentangleOutcome outcome = take_apart(disentangle_method("link-communities"), graph, {}, options, silent);
  ASSERT_EQ(outcome.certainty.size(), graph.num_edges());
  for (const float certainty : outcome.certainty) {
    EXPECT_NEAR(certainty, 0.5, 0.3);
  }
}

}  // namespace
}  // namespace factorgcn
