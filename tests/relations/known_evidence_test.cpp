// The kinds of evidence that known edges give, and how they are weighed.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>

#include "relations/end_shares.h"
#include "relations/known_averaging.h"
#include "relations/layer_models.h"
#include "relations/modularity.h"
#include "relations/small_graphs.h"

namespace factorgcn {
namespace {

KnownEdges arbitrary_known(const RelationGraph& graph, int relations) {
  KnownEdges known;
  known.relations = relations;
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (edge == 0 || pick(0, 2) == 0) {
      known.edges.push_back(edge);
      for (int relation = 0; relation < relations; ++relation) {
        known.truth.push_back(static_cast<std::uint8_t>(pick(0, 2)));
      }
    }
  }
  return known;
}

RC_GTEST_PROP(KnownEvidence, WhatEndsSayOfALeftOutEdgeIsWhatTheySayWithoutIt, ()) {
  const RelationGraph graph = arbitrary_graph(false);
  const int relations = pick(1, 4);
  const KnownEdges known = arbitrary_known(graph, relations);
  const auto which = pick(0, 2) == 0 ? relations::EndEdges::kAll : relations::EndEdges::kOfThatWay;
  const relations::Answer whole = relations::end_shares(graph, known, which);
  const auto out = static_cast<std::size_t>(pick(0, static_cast<int>(known.edges.size())));
  KnownEdges fewer = known;
  fewer.edges.erase(fewer.edges.begin() + static_cast<std::ptrdiff_t>(out));
  const auto first = fewer.truth.begin() + static_cast<std::ptrdiff_t>(out) * relations;
  fewer.truth.erase(first, first + relations);
  const relations::Answer without = relations::end_shares(graph, fewer, which);
  for (int relation = 0; relation < relations; ++relation) {
    const double expected = without.predicted[static_cast<std::size_t>(known.edges[out] * relations + relation)];
    RC_ASSERT(std::abs(whole.left_out[out * relations + relation] - expected) < 1e-5);
    RC_ASSERT(expected > 0 && expected < 1);
  }
}

RC_GTEST_PROP(KnownEvidence, LayerModelsKeepWhatIsKnownAndGiveEveryOtherEdgeARelation, ()) {
  const RelationGraph graph = arbitrary_graph(false);
  const int relations = pick(1, 4);
  const KnownEdges known = arbitrary_known(graph, relations);
  std::vector<char> used(known.edges.size(), 1);
  used[0] = 0;
  for (const auto model : {relations::configuration_models, relations::community_models, relations::crowding_model}) {
    const std::vector<float> found = model(graph, known, used);
    RC_ASSERT(found.size() == static_cast<std::size_t>(graph.edges() * relations));
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      const auto at = std::find(known.edges.begin(), known.edges.end(), edge) - known.edges.begin();
      const bool told = at < static_cast<std::ptrdiff_t>(used.size()) && used[static_cast<std::size_t>(at)] != 0;
      double sum = 0;
      for (int relation = 0; relation < relations; ++relation) {
        const float value = found[static_cast<std::size_t>(edge * relations + relation)];
        // In brackets of their own: rapidcheck takes an expression apart, and then both sides of || are looked at.
        RC_ASSERT((!told || value == known.truth[static_cast<std::size_t>(at) * relations + relation]));
        RC_ASSERT(value >= 0 && value <= 1.0001F);
        sum += value;
      }
      RC_ASSERT(told || sum > 0.999);  // an edge is there, so some relation has it
    }
  }
}

TEST(KnownEvidence, WhatANodeSendsSaysNothingOfWhatItReceivesWhereWaysAreApart) {
  // 0 -> 1 is known to be in the relation; 2 -> 0 and 0 -> 2 are not known.
  const RelationGraph graph{.nodes = 3, .sources = {0, 2, 0}, .targets = {1, 0, 2}, .directed = true};
  const KnownEdges known{.relations = 1, .edges = {0}, .truth = {1}};
  const relations::Answer all = relations::end_shares(graph, known);
  const relations::Answer ways = relations::end_shares(graph, known, relations::EndEdges::kOfThatWay);
  EXPECT_FLOAT_EQ(all.predicted[1], all.predicted[2]);
  EXPECT_LT(ways.predicted[1], ways.predicted[2]);
  EXPECT_FLOAT_EQ(ways.predicted[2], all.predicted[2]);
}

TEST(KnownEvidence, CrowdedPlacesHaveEdgesOfSeveralRelations) {
  // Two groups of four, all joined, and one edge between them; one edge of each relation is known.
  RelationGraph graph{.nodes = 8};
  for (std::int32_t group = 0; group < 8; group += 4) {
    for (std::int32_t a = group; a < group + 4; ++a) {
      for (std::int32_t b = group; b < a; ++b) {
        graph.sources.push_back(a);
        graph.targets.push_back(b);
      }
    }
  }
  graph.sources.push_back(3);
  graph.targets.push_back(4);
  const KnownEdges known{.relations = 2, .edges = {0, 1}, .truth = {1, 0, 0, 1}};
  const std::vector<float> found = relations::crowding_model(graph, known, {1, 1});
  EXPECT_GT(found[2 * 2], found[2 * 12] + 0.05F);
  EXPECT_FLOAT_EQ(found[2 * 2], found[2 * 2 + 1]);  // relations differ by their shares alone
}

TEST(KnownEvidence, AnswersAreBroughtToTheScaleOnWhichTheySayMost) {
  KnownEdges known{.relations = 1, .edges = {}, .truth = {}};
  relations::Answer bold;
  for (int at = 0; at < 2000; ++at) {
    known.edges.push_back(at);
    known.truth.push_back(at % 2 == 0 ? 1 : 0);
    const bool right = at / 2 % 4 < 3;  // three of four, said with values of 5 and -5
    bold.left_out.push_back((at % 2 == 0) == right ? 5 : -5);
    bold.predicted.push_back(static_cast<float>(bold.left_out.back()));
  }
  bold.predicted.insert(bold.predicted.end(), {5, -5});  // of edges that are not known
  relations::Answer shy = bold, wrong = bold;
  for (std::size_t at = 0; at < bold.left_out.size(); ++at) {
    shy.left_out[at] = 0.5 + bold.left_out[at] / 1000;
    wrong.left_out[at] = -bold.left_out[at];
  }
  for (std::size_t at = 0; at < bold.predicted.size(); ++at) {
    shy.predicted[at] = 0.5F + bold.predicted[at] / 1000;
    wrong.predicted[at] = -bold.predicted[at];
  }
  relations::scale_answer(known, {0.5}, bold);
  relations::scale_answer(known, {0.5}, shy);
  relations::scale_answer(known, {0.5}, wrong);
  EXPECT_NEAR(bold.predicted[2000], shy.predicted[2000], 1e-4);
  EXPECT_NEAR(bold.predicted[2000], 0.75, 0.03);
  EXPECT_FLOAT_EQ(wrong.predicted[2000], 0.5F);
  relations::Answer mean = shy;
  for (double& value : mean.left_out) {
    value = 0.5 + (value - 0.5) / 3;
  }
  for (float& value : mean.predicted) {
    value = 0.5F + (value - 0.5F) / 3;
  }
  relations::scale_mean(known, {0.5}, mean);
  EXPECT_NEAR(mean.predicted[2000], 0.75, 0.02);
}

TEST(KnownEvidence, ModularityFindsTwoTrianglesAndLooksAtWeights) {
  const std::vector<std::int32_t> sources{0, 0, 1, 3, 3, 4, 2}, targets{1, 2, 2, 4, 5, 5, 3};
  EXPECT_EQ(relations::modularity_communities(6, sources, targets, std::vector<double>(7, 1.0)),
            (std::vector<std::int32_t>{0, 0, 0, 1, 1, 1}));
  const auto weighted = relations::modularity_communities(6, sources, targets, {0, 0, 0, 1, 1, 1, 9});
  EXPECT_EQ(weighted[2], weighted[3]);
  EXPECT_NE(weighted[0], weighted[1]);
}

/// `right` says what is known with so much certainty, the other the opposite of it.
std::vector<relations::Answer> two_answers(const KnownEdges& known, double right) {
  std::vector<relations::Answer> answers(2);
  for (const std::uint8_t truth : known.truth) {
    answers[0].left_out.push_back(truth != 0 ? right : 1 - right);
    answers[1].left_out.push_back(truth != 0 ? 1 - right : right);
  }
  answers[0].predicted = {1.0F};
  answers[1].predicted = {0.0F};
  return answers;
}

TEST(KnownEvidence, TheAnswerThatIsRightCountsTheMoreTheMoreIsKnown) {
  double before = 0.5;
  for (const int count : {1, 4, 16, 64}) {
    KnownEdges known{.relations = 1, .edges = {}, .truth = {}};
    for (int at = 0; at < count; ++at) {
      known.edges.push_back(at);
      known.truth.push_back(static_cast<std::uint8_t>(at % 2));
    }
    const relations::Answer mean = relations::average_answers(known, {0.5}, two_answers(known, 0.6));
    EXPECT_GT(mean.predicted[0], before) << count;
    before = mean.predicted[0];
  }
  EXPECT_GT(before, 0.99);
}

TEST(KnownEvidence, WhereAnswersAreAsGoodWeightsGivenBeforehandCount) {
  const KnownEdges known{.relations = 1, .edges = {0, 1}, .truth = {1, 0}};
  std::vector<relations::Answer> answers = two_answers(known, 0.5);
  answers[0].weight = 3;
  EXPECT_NEAR(relations::average_answers(known, {0.5}, answers).predicted[0], 0.75, 1e-6);
}

}  // namespace
}  // namespace factorgcn
