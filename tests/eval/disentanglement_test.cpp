// GED_E and C-Score against values worked out by hand and against a slow twin on dense matrices.
#include "factorgcn/eval/disentanglement.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error_text.h"
#include "eval/arbitrary.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

using Entries = std::vector<std::pair<int, int>>;

/// Owns the arrays that FactorGraphs points into.
struct Sample {
  std::int64_t num_nodes = 0;
  int num_factors = 1;
  std::vector<std::int32_t> sources, targets;
  std::vector<double> coefficients;

  Sample(std::int64_t nodes, int factors) : num_nodes(nodes), num_factors(factors) {}

  Sample& edge(int source, int target, const std::vector<double>& per_factor) {
    sources.push_back(source);
    targets.push_back(target);
    coefficients.insert(coefficients.end(), per_factor.begin(), per_factor.end());
    return *this;
  }
  FactorGraphs view() const { return {num_nodes, num_factors, sources, targets, coefficients}; }
};

struct TruePart {
  std::int32_t type = 0;
  std::vector<std::int32_t> sources, targets;

  TruePart(std::int32_t of_type, const Entries& directed) : type(of_type) {
    for (const auto& [source, target] : directed) {
      sources.push_back(source);
      targets.push_back(target);
    }
  }
  GroundTruth::Part view() const { return {type, sources, targets}; }
};

TruePart undirected(std::int32_t type, const Entries& edges) {
  Entries both;
  for (const auto& [a, b] : edges) {
    both.push_back({a, b});
    both.push_back({b, a});
  }
  return {type, both};
}

GroundTruth truth_of(int num_types, const std::vector<std::vector<TruePart>>& graphs) {
  GroundTruth truth;
  truth.type_names.assign(num_types, "type");
  for (const auto& parts : graphs) {
    truth.begin_graph();
    for (const TruePart& part : parts) {
      truth.add_part(part.type, part.sources, part.targets);
    }
  }
  return truth;
}

/// The definition, word by word: a dense matrix, all entries ranked, sets compared.
double slow_ged_e(const Sample& sample, int factor, const TruePart& part) {
  const int n = static_cast<int>(sample.num_nodes);
  std::vector<double> matrix(n * n, 0.0);
  for (std::size_t e = 0; e < sample.sources.size(); ++e) {
    matrix[sample.sources[e] * n + sample.targets[e]] += sample.coefficients[e * sample.num_factors + factor];
  }
  std::set<std::pair<int, int>> truth, kept;
  for (std::size_t e = 0; e < part.sources.size(); ++e) {
    if (part.sources[e] != part.targets[e]) {
      truth.insert({part.sources[e], part.targets[e]});
    }
  }
  std::vector<std::tuple<double, int, int, int>> ranking;  // -value, smaller node, larger node, backward
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      const double value = (matrix[i * n + j] + matrix[j * n + i]) / 2;
      if (i != j && value > 0) {
        ranking.push_back({-value, std::min(i, j), std::max(i, j), i > j});
      }
    }
  }
  std::sort(ranking.begin(), ranking.end());
  for (std::size_t rank = 0; rank < std::min(truth.size(), ranking.size()); ++rank) {
    const auto& [value, low, high, backward] = ranking[rank];
    kept.insert(backward ? std::pair(high, low) : std::pair(low, high));
  }
  std::vector<std::pair<int, int>> differing;
  std::set_symmetric_difference(truth.begin(), truth.end(), kept.begin(), kept.end(), std::back_inserter(differing));
  return static_cast<double>(differing.size());
}

/// Coefficients are multiples of 1/8: sums are exact and ties frequent. Parallel edges, self loops and zeros included.
Sample arbitrary_sample(int nodes, int factors) {
  Sample sample(nodes, factors);
  const int edges = pick(0, 25);
  for (int e = 0; e < edges; ++e) {
    const int source = pick(0, nodes), target = pick(0, nodes);
    std::vector<double> values;
    for (const int value : pick_many(factors, 0, 9)) {
      values.push_back(static_cast<double>(value) / 8);
    }
    sample.edge(source, target, values);
  }
  return sample;
}

TruePart arbitrary_part(int nodes, std::int32_t type) {
  Entries entries;
  const int count = pick(0, 9);
  for (int e = 0; e < count; ++e) {
    const int source = pick(0, nodes), target = pick(0, nodes);
    entries.push_back({source, target});
  }
  return pick(0, 2) == 0 ? TruePart(type, entries) : undirected(type, entries);
}

TEST(GedE, ByHand) {
  // Values of the pairs: 0-1: 0.9, 1-2: 0.5, 2-3: 0.8, 0-3: 0.1.
  Sample sample(4, 1);
  sample.edge(0, 1, {0.9F}).edge(1, 0, {0.9F}).edge(1, 2, {0.7F}).edge(2, 1, {0.3F}).edge(2, 3, {0.8F});
  sample.edge(3, 2, {0.8F}).edge(0, 3, {0.2F});
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {2, 3}}).view()), 0);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {1, 2}}).view()), 4);  // keeps 2-3 where 1-2 is true
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 3}}).view()), 4);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {1, 2}, {2, 3}, {0, 3}}).view()), 0);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 2}}).view()), 4);  // true entry where there is no edge
}

TEST(GedE, SelfLoopsDoNotCount) {
  Sample sample(3, 1);
  sample.edge(0, 0, {1}).edge(1, 1, {1}).edge(2, 2, {1}).edge(0, 1, {0.2F}).edge(1, 0, {0.2F});
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}}).view()), 0);
}

TEST(GedE, ZeroEntriesAreNotKept) {
  Sample sample(5, 1);
  sample.edge(0, 1, {0.5F}).edge(1, 0, {0.5F}).edge(3, 4, {0}).edge(4, 3, {0});
  // Wants 4 entries, 2 are there: both right, 2 missing. With 3-4 true its zero coefficient does not help.
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {1, 2}}).view()), 2);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {3, 4}}).view()), 2);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{1, 2}, {2, 3}}).view()), 6);
  EXPECT_EQ(ged_e(Sample(5, 1).view(), 0, undirected(0, {{1, 2}, {2, 3}}).view()), 4);
}

TEST(GedE, TiesGoToTheSmallerNodes) {
  Sample sample(4, 1);
  for (const auto& [a, b] : Entries{{2, 3}, {1, 3}, {0, 2}, {0, 1}}) {
    sample.edge(a, b, {0.5F}).edge(b, a, {0.5F});
  }
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {0, 2}}).view()), 0);
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}, {1, 3}}).view()), 4);
}

TEST(GedE, ParallelEdgesAddUp) {
  Sample sample(3, 1);
  sample.edge(0, 1, {0.6F}).edge(1, 0, {0.6F});
  sample.edge(1, 2, {0.3F}).edge(1, 2, {0.5F}).edge(2, 1, {0.5F});
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{1, 2}}).view()), 0);
}

TEST(GedE, ParallelEdgesAddUpToTheSameInAnyOrder) {
  // From the left, 1 + e + e is 1 and e + e + 1 is more than 1: unless summed in one order, 1-2 would outrank 0-1.
  const double e = std::ldexp(1.0, -53);
  Sample sample(3, 1);
  sample.edge(0, 1, {1}).edge(1, 0, {e}).edge(0, 1, {e});
  sample.edge(1, 2, {e}).edge(2, 1, {e}).edge(1, 2, {1});
  EXPECT_EQ(ged_e(sample.view(), 0, undirected(0, {{0, 1}}).view()), 0);
}

TEST(GedE, OddPartKeepsTheForwardDirectionOfTheLastPair) {
  Sample sample(3, 1);
  sample.edge(0, 1, {0.9F}).edge(1, 2, {0.5F});
  EXPECT_EQ(ged_e(sample.view(), 0, TruePart(0, {{0, 1}, {1, 0}, {1, 2}}).view()), 0);
  EXPECT_EQ(ged_e(sample.view(), 0, TruePart(0, {{0, 1}, {1, 0}, {2, 1}}).view()), 2);
}

TEST(GedE, RepeatedAndDiagonalEntriesOfThePartAreIgnored) {
  Sample sample(3, 1);
  sample.edge(0, 1, {0.9F}).edge(1, 2, {0.5F});
  EXPECT_EQ(ged_e(sample.view(), 0, TruePart(0, {{0, 1}, {1, 0}, {0, 1}, {2, 2}}).view()), 0);
  EXPECT_EQ(ged_e(sample.view(), 0, TruePart(0, {}).view()), 0);
}

TEST(GedE, Refuses) {
  Sample sample(3, 2);
  sample.edge(0, 1, {0.9F, 0.1F});
  const TruePart part = undirected(0, {{0, 1}});
  EXPECT_EQ(error_text([&] { ged_e(sample.view(), 2, part.view()); }), "ged_e: factor 2 is not among the 2 factors");
  EXPECT_EQ(error_text([&] { ged_e(sample.view(), -1, part.view()); }), "ged_e: factor -1 is not among the 2 factors");
  EXPECT_EQ(error_text([&] {
              ged_e(sample.view(), 0, undirected(0, {{0, 3}}).view());
            }),
            "ground truth: node 3 is not among the graph's 3 nodes");
  Sample outside = sample, short_of_values = sample, with_nan = sample, unequal = sample;
  outside.targets[0] = -2;
  EXPECT_EQ(error_text([&] { ged_e(outside.view(), 0, part.view()); }),
            "factor graphs: node -2 is not among the graph's 3 nodes");
  short_of_values.coefficients.pop_back();
  EXPECT_EQ(error_text([&] { ged_e(short_of_values.view(), 0, part.view()); }),
            "factor graphs: 1 coefficients, 1 edges x 2 factors need 2");
  with_nan.coefficients[1] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_text([&] { ged_e(with_nan.view(), 1, part.view()); }),
            "factor graphs: the coefficient of edge 0 in factor 1 is nan; coefficients must be finite");
  unequal.targets.push_back(1);
  EXPECT_EQ(error_text([&] { ged_e(unequal.view(), 0, part.view()); }),
            "factor graphs: 1 sources but 2 targets; every edge needs both");
}

RC_GTEST_PROP(GedEProperty, MatchesTheSlowTwin, ()) {
  const int nodes = pick(1, 8), factors = pick(1, 4);
  const Sample sample = arbitrary_sample(nodes, factors);
  const TruePart part = arbitrary_part(nodes, 0);
  for (int factor = 0; factor < factors; ++factor) {
    RC_ASSERT(ged_e(sample.view(), factor, part.view()) == slow_ged_e(sample, factor, part));
  }
}

RC_GTEST_PROP(GedEProperty, OrderOfEdgesDoesNotMatter, ()) {
  const int nodes = pick(2, 8);
  const Sample sample = arbitrary_sample(nodes, 1);
  const TruePart part = arbitrary_part(nodes, 0);
  std::vector<int> order(sample.sources.size());
  std::iota(order.begin(), order.end(), 0);
  RandomStream(static_cast<std::uint64_t>(pick(0, 1000000)), "test/edge order").shuffle(std::span<int>(order));
  Sample shuffled(nodes, 1);
  for (const int e : order) {
    shuffled.edge(sample.sources[e], sample.targets[e], {sample.coefficients[e]});
  }
  RC_ASSERT(ged_e(sample.view(), 0, part.view()) == ged_e(shuffled.view(), 0, part.view()));
}

RC_GTEST_PROP(ScorerProperty, SampleScoreIsTheCheapestAssignment, ()) {
  const int nodes = pick(2, 7), factors = pick(1, 5);
  const Sample sample = arbitrary_sample(nodes, factors);
  std::vector<TruePart> parts;
  const int num_parts = pick(1, 5);
  for (int p = 0; p < num_parts; ++p) {
    parts.push_back(arbitrary_part(nodes, p));
  }
  // Every order of the factors (and of "left out" where parts outnumber them) is tried.
  std::vector<int> choice(std::max(factors, num_parts));
  std::iota(choice.begin(), choice.end(), 0);
  double best = std::numeric_limits<double>::infinity();
  do {
    double cost = 0;
    for (int p = 0; p < num_parts; ++p) {
      const Sample nothing(nodes, 1);
      cost += choice[p] < factors ? slow_ged_e(sample, choice[p], parts[p]) : slow_ged_e(nothing, 0, parts[p]);
    }
    best = std::min(best, cost);
  } while (std::next_permutation(choice.begin(), choice.end()));

  DisentanglementScorer scorer(num_parts, factors);
  const auto matches = scorer.add(sample.view(), truth_of(num_parts, {parts}), 0);
  const DisentanglementScore score = scorer.score();
  RC_ASSERT(score.ged_e == best / num_parts);
  RC_ASSERT(score.ged_e_std == 0.0);
  RC_ASSERT(score.samples == 1);
  RC_ASSERT(static_cast<int>(matches.size()) == num_parts);
  double total = 0;
  for (int p = 0; p < num_parts; ++p) {
    RC_ASSERT(matches[p].type == p);
    total += matches[p].ged_e;
    if (matches[p].factor >= 0) {
      RC_ASSERT(matches[p].ged_e == slow_ged_e(sample, matches[p].factor, parts[p]));
    }
  }
  RC_ASSERT(total == best);
}

/// Two relations that overlap in 1-2; factor f shows relation order[f] (its edges 0.9, others 0.1), nothing for -1.
Sample two_relations(const std::vector<int>& order) {
  const std::vector<Entries> relations = {{{0, 1}, {1, 2}}, {{1, 2}, {2, 3}, {3, 4}}};
  std::set<std::pair<int, int>> edges;
  for (const Entries& relation : relations) {
    edges.insert(relation.begin(), relation.end());
  }
  Sample sample(5, static_cast<int>(order.size()));
  for (const auto& edge : edges) {
    std::vector<double> values;
    for (const int relation : order) {
      if (relation < 0) {
        values.push_back(0);
      } else {
        const Entries& shown = relations[relation];
        values.push_back(std::count(shown.begin(), shown.end(), edge) > 0 ? 0.9F : 0.1F);
      }
    }
    sample.edge(edge.first, edge.second, values).edge(edge.second, edge.first, values);
  }
  return sample;
}

std::vector<TruePart> two_true_parts() {
  return {undirected(0, {{0, 1}, {1, 2}}), undirected(1, {{1, 2}, {2, 3}, {3, 4}})};
}

TEST(DisentanglementScorer, PerfectFactors) {
  const GroundTruth truth = truth_of(2, {two_true_parts(), two_true_parts()});
  DisentanglementScorer scorer(2, 3);
  const Sample sample = two_relations({-1, 1, 0});
  for (std::int64_t graph = 0; graph < 2; ++graph) {
    const auto matches = scorer.add(sample.view(), truth, graph);
    ASSERT_EQ(matches.size(), 2);
    EXPECT_EQ(matches[0].type, 0);
    EXPECT_EQ(matches[0].factor, 2);
    EXPECT_EQ(matches[1].type, 1);
    EXPECT_EQ(matches[1].factor, 1);
  }
  const DisentanglementScore score = scorer.score();
  EXPECT_EQ(score.ged_e, 0);
  EXPECT_EQ(score.ged_e_std, 0);
  EXPECT_EQ(score.c_score, 1);
  EXPECT_EQ(score.samples, 2);
}

TEST(DisentanglementScorer, ConsistencyByHand) {
  // Type 0 meets factors 0, 0, 1, type 1 (absent from the last sample) meets 1, 1. Type 2 never occurs.
  const GroundTruth truth = truth_of(3, {two_true_parts(), two_true_parts(), {undirected(0, {{0, 1}, {1, 2}})}, {}});
  DisentanglementScorer scorer(3, 2);
  scorer.add(two_relations({0, 1}).view(), truth, 0);
  scorer.add(two_relations({0, 1}).view(), truth, 1);
  scorer.add(two_relations({1, 0}).view(), truth, 2);
  EXPECT_TRUE(scorer.add(two_relations({1, 0}).view(), truth, 3).empty());
  const DisentanglementScore score = scorer.score();
  EXPECT_DOUBLE_EQ(score.c_score, (2.0 / 3.0 + 1.0) / 2.0);
  EXPECT_EQ(score.ged_e, 0);
  EXPECT_EQ(score.samples, 3) << "a sample without parts does not count";
}

TEST(DisentanglementScorer, FewerFactorsThanParts) {
  // One factor showing relation 1: leaving relation 0 out costs its 4 entries, leaving relation 1 out 6 + 4 = 10.
  const GroundTruth truth = truth_of(2, {two_true_parts(), two_true_parts()});
  DisentanglementScorer scorer(2, 1);
  const auto matches = scorer.add(two_relations({1}).view(), truth, 0);
  EXPECT_EQ(matches[0].factor, -1);
  EXPECT_EQ(matches[0].ged_e, 4);
  EXPECT_EQ(matches[1].factor, 0);
  EXPECT_EQ(matches[1].ged_e, 0);
  EXPECT_EQ(scorer.score().ged_e, 2);
  EXPECT_EQ(scorer.score().c_score, 0.5) << "type 0 was never matched";
  // The other way round relation 1 is left out: 6 entries. Scores 2 and 3, mean 2.5, standard deviation 0.5.
  scorer.add(two_relations({0}).view(), truth, 1);
  EXPECT_EQ(scorer.score().ged_e, 2.5);
  EXPECT_EQ(scorer.score().ged_e_std, 0.5);
  EXPECT_EQ(scorer.score().c_score, 0.5);
}

/// A complete graph of `nodes` nodes whose coefficients are drawn, and one relation that holds some of its pairs.
Sample drawn_complete(int nodes, int factors, RandomStream& random) {
  Sample sample(nodes, factors);
  for (int first = 0; first < nodes; ++first) {
    for (int second = first + 1; second < nodes; ++second) {
      std::vector<double> values;
      for (int factor = 0; factor < factors; ++factor) {
        values.push_back(random.uniform());
      }
      sample.edge(first, second, values).edge(second, first, values);
    }
  }
  return sample;
}

TEST(DisentanglementScorer, ChanceOfOneFactorIsWhatCountingSays) {
  // m of P pairs, and m drawn ones: m^2 / P of them are expected to be the same, all others are wrong twice over, in
  // both directions.
  RandomStream random(1, "test");
  const Sample sample = drawn_complete(9, 1, random);
  const Entries pairs{{0, 1}, {0, 2}, {1, 2}, {3, 4}, {5, 6}, {6, 7}, {2, 8}, {1, 8}, {0, 8}};
  const GroundTruth truth = truth_of(1, {{undirected(0, pairs)}});
  DisentanglementScorer scorer(1, 1, {20000});
  scorer.add(sample.view(), truth, 0);
  const double m = 9, all = 36;
  EXPECT_NEAR(*scorer.score().ged_e_chance, 4 * m * (1 - m / all), 0.15);
}

TEST(DisentanglementScorer, RandomFactorsScoreWhatChanceSays) {
  const Entries one{{0, 1}, {0, 2}, {1, 2}, {2, 3}}, other{{4, 5}, {5, 6}, {3, 6}, {0, 6}, {1, 6}};
  constexpr int kGraphs = 400;
  GroundTruth truth = truth_of(2, std::vector(kGraphs, std::vector{undirected(0, one), undirected(1, other)}));
  RandomStream random(2, "test");
  DisentanglementScorer scorer(2, 3, ChanceDraws::for_samples(kGraphs));
  for (int graph = 0; graph < kGraphs; ++graph) {
    scorer.add(drawn_complete(7, 3, random).view(), truth, graph);
  }
  const DisentanglementScore score = scorer.score();
  EXPECT_NEAR(score.ged_e / *score.ged_e_chance, 1, 0.05);
  EXPECT_NEAR(*score.relation_auc, *score.relation_auc_chance, 0.03);
  EXPECT_GT(*score.relation_auc_chance, 0.55) << "the best of three factors is above one half by itself";
}

TEST(DisentanglementScorer, PerfectFactorsAreFarFromChanceAndTheSameEachTime) {
  const GroundTruth truth = truth_of(2, {two_true_parts()});
  const auto scored = [&] {
    DisentanglementScorer scorer(2, 2, ChanceDraws::for_samples(1));
    scorer.add(two_relations({0, 1}).view(), truth, 0);
    return scorer.score();
  };
  const DisentanglementScore score = scored();
  EXPECT_EQ(score.ged_e, 0);
  EXPECT_GT(*score.ged_e_chance, 0.5);
  EXPECT_EQ(*score.relation_auc, 1);
  EXPECT_LT(*score.relation_auc_chance, 0.95);
  EXPECT_EQ(*score.ged_e_chance, *scored().ged_e_chance);
  EXPECT_EQ(*score.relation_auc_chance, *scored().relation_auc_chance);
}

TEST(DisentanglementScorer, WhatCannotBeRankedHasNoAuc) {
  // One relation of all edges; then a graph without any edge.
  const GroundTruth truth = truth_of(1, {{undirected(0, {{0, 1}, {1, 2}})}, {undirected(0, {{0, 1}})}});
  DisentanglementScorer scorer(1, 2, {4});
  Sample whole(3, 2);
  for (const auto& [first, second] : Entries{{0, 1}, {1, 2}}) {
    whole.edge(first, second, {0.5, 0.25}).edge(second, first, {0.5, 0.25});
  }
  scorer.add(whole.view(), truth, 0);
  EXPECT_FALSE(scorer.score().relation_auc);
  EXPECT_EQ(*scorer.score().ged_e_chance, 0) << "all edges are always right";
  scorer.add(Sample(3, 2).view(), truth, 1);
  EXPECT_FALSE(scorer.score().relation_auc);
  EXPECT_EQ(scorer.score().samples, 2);
}

TEST(DisentanglementScorer, ChanceIsNotComputedUnasked) {
  const GroundTruth truth = truth_of(2, {two_true_parts()});
  DisentanglementScorer scorer(2, 2);
  scorer.add(two_relations({0, 1}).view(), truth, 0);
  EXPECT_FALSE(scorer.score().ged_e_chance || scorer.score().relation_auc);
}

TEST(DisentanglementScorer, NothingAdded) {
  const DisentanglementScore score = DisentanglementScorer(2, 2).score();
  EXPECT_EQ(score.ged_e, 0);
  EXPECT_EQ(score.ged_e_std, 0);
  EXPECT_EQ(score.c_score, 0);
  EXPECT_EQ(score.samples, 0);
}

TEST(DisentanglementScorer, Refuses) {
  EXPECT_EQ(error_text([] { DisentanglementScorer(2, 0); }), "disentanglement scorer: 0 factors; at least 1 is needed");
  const GroundTruth truth = truth_of(2, {two_true_parts()});
  DisentanglementScorer scorer(2, 2), too_few_types(1, 2);
  EXPECT_EQ(error_text([&] { scorer.add(two_relations({0}).view(), truth, 0); }),
            "disentanglement scorer: a sample of 1 factors where 2 were announced");
  EXPECT_EQ(error_text([&] {
              scorer.add(two_relations({0, 1}).view(), truth, 1);
            }),
            "disentanglement scorer: graph 1 is not in the ground truth, which has 1 graphs");
  EXPECT_EQ(error_text([&] {
              too_few_types.add(two_relations({0, 1}).view(), truth, 0);
            }),
            "disentanglement scorer: relation type 1 in graph 0 is not among the 1 types announced");
  EXPECT_EQ(scorer.score().samples, 0);
  EXPECT_EQ(too_few_types.score().samples, 0);
}

}  // namespace
}  // namespace factorgcn
