// Relation AUC against counting pairs and trying every assignment.
#include "factorgcn/eval/relation_auc.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error_text.h"
#include "eval/arbitrary.h"

namespace factorgcn {
namespace {

/// Every pair of a positive and a negative, looked at.
double auc_by_pairs(const std::vector<float>& shares, int columns, int column, const std::vector<std::uint8_t>& truth,
                    int relations, int relation) {
  const std::size_t edges = shares.size() / columns;
  double wins = 0, pairs = 0;
  for (std::size_t in = 0; in < edges; ++in) {
    for (std::size_t out = 0; out < edges; ++out) {
      if (truth[in * relations + relation] != 0 && truth[out * relations + relation] == 0) {
        const float a = shares[in * columns + column], b = shares[out * columns + column];
        wins += a > b ? 1 : a == b ? 0.5 : 0;
        pairs += 1;
      }
    }
  }
  return pairs == 0 ? 0.5 : wins / pairs;
}

TEST(RelationAuc, OneRankingByHand) {
  const std::vector<float> scores{0.9F, 0.8F, 0.8F, 0.1F};
  const std::vector<std::uint8_t> positive{1, 0, 1, 0};
  EXPECT_DOUBLE_EQ(ranking_auc(scores, positive), 0.875);  // three pairs won, one tie
  EXPECT_DOUBLE_EQ(ranking_auc(scores, std::vector<std::uint8_t>{1, 1, 1, 1}), 0.5);
  EXPECT_DOUBLE_EQ(ranking_auc({}, {}), 0.5);
}

TEST(RelationAuc, PairsColumnsWithRelations) {
  // Column 1 is relation 0 and the other way round; the last edge is in both relations.
  const std::vector<float> shares{0.1F, 0.9F, 0.2F, 0.8F, 0.9F, 0.1F, 0.8F, 0.2F, 0.5F, 0.5F};
  const std::vector<std::uint8_t> truth{1, 0, 1, 0, 0, 1, 0, 1, 1, 1};
  const RelationAuc best = relation_auc(shares, 2, truth, 2);
  EXPECT_EQ(best.columns, (std::vector<int>{1, 0}));
  EXPECT_DOUBLE_EQ(best.mean, 1);
  EXPECT_EQ(best.positives, (std::vector<std::int64_t>{3, 3}));
  EXPECT_EQ(best.edges, 5);
  RelationAucOptions same;
  same.pairing = RelationPairing::kSame;
  EXPECT_DOUBLE_EQ(relation_auc(shares, 2, truth, 2, same).mean, 0);
}

TEST(RelationAuc, FewerColumnsThanRelationsAndRelationsThatCannotBeScored) {
  const std::vector<float> shares{0.9F, 0.8F, 0.1F, 0.2F};
  // Relation 0 is the column's, relation 1 gets none, every edge is in relation 2.
  const std::vector<std::uint8_t> truth{1, 0, 1, 1, 1, 1, 0, 0, 1, 0, 1, 1};
  const RelationAuc result = relation_auc(shares, 1, truth, 3);
  EXPECT_EQ(result.columns[0], 0);
  EXPECT_EQ(result.columns[1], -1);
  EXPECT_DOUBLE_EQ(result.aucs[0], 1);
  EXPECT_DOUBLE_EQ(result.aucs[1], 0.5);
  EXPECT_TRUE(std::isnan(result.aucs[2]));
  EXPECT_DOUBLE_EQ(result.mean, 0.75);
  const RelationAuc nothing = relation_auc(shares, 1, std::vector<std::uint8_t>{1, 1, 1, 1}, 1);
  EXPECT_TRUE(std::isnan(nothing.mean) && std::isnan(nothing.chance));
}

TEST(RelationAuc, ChanceIsAboveOneHalfAndItsSpreadShrinks) {
  std::vector<float> shares;
  std::vector<std::uint8_t> truth;
  for (int edge = 0; edge < 60; ++edge) {
    const auto scattered = static_cast<float>((edge * 37) % 61);
    shares.insert(shares.end(), {scattered, 61 - scattered, static_cast<float>((edge * 17) % 61)});
    truth.insert(truth.end(), {static_cast<std::uint8_t>(edge % 3 == 0), static_cast<std::uint8_t>(edge % 3 == 1),
                               static_cast<std::uint8_t>(edge % 3 == 2)});
  }
  const RelationAuc result = relation_auc(shares, 3, truth, 3);
  EXPECT_GT(result.chance, 0.5);
  EXPECT_LT(result.chance, 0.65);
  EXPECT_GT(result.chance_spread, 0);
  EXPECT_EQ(relation_auc(shares, 3, truth, 3).chance, result.chance) << "the same seed";
  RelationAucOptions none;
  none.shuffles = 0;
  EXPECT_TRUE(std::isnan(relation_auc(shares, 3, truth, 3, none).chance));
}

TEST(RelationAuc, RefusesWhatDoesNotFit) {
  const std::vector<float> shares{1, 2, 3, 4};
  const std::vector<std::uint8_t> truth{1, 0, 1, 0};
  EXPECT_EQ(error_text([&] { relation_auc(shares, 3, truth, 2); }),
            "relation AUC: 4 shares cannot be laid out in 3 columns");
  EXPECT_EQ(error_text([&] { relation_auc(shares, 2, truth, 1); }),
            "relation AUC: 4 true values given, 2 edges x 1 relations need 2");
  EXPECT_EQ(error_text([&] {
              relation_auc(std::vector<float>{1, NAN}, 1, std::vector<std::uint8_t>{1, 0}, 1);
            }),
            "relation AUC: the share of edge 1 in column 0 is not a finite number");
  EXPECT_EQ(error_text([&] { relation_auc(shares, 0, truth, 1); }),
            "relation AUC: 0 columns and 1 relations; both must be at least 1");
  EXPECT_EQ(error_text([&] { ranking_auc(shares, std::vector<std::uint8_t>{1}); }), "AUC: 4 scores for 1 truths");
}

RC_GTEST_PROP(RelationAucProperty, MatchesPairsAndEveryAssignment, ()) {
  const int edges = pick(2, 25), columns = pick(1, 4), relations = pick(1, 4);
  std::vector<float> shares;
  for (const int value : pick_many(edges * columns, 0, 6)) {
    shares.push_back(static_cast<float>(value));
  }
  std::vector<std::uint8_t> truth;
  for (const int value : pick_many(edges * relations, 0, 2)) {
    truth.push_back(static_cast<std::uint8_t>(value));
  }
  RelationAucOptions options;
  options.shuffles = 0;
  const RelationAuc result = relation_auc(shares, columns, truth, relations, options);
  // All ways to pair: permutations of columns, with as many empty ones as relations may lack.
  std::vector<int> order(static_cast<std::size_t>(std::max(columns, relations)));
  std::iota(order.begin(), order.end(), 0);
  double best = -1;
  do {
    double sum = 0;
    for (int relation = 0; relation < relations; ++relation) {
      sum +=
          order[relation] < columns ? auc_by_pairs(shares, columns, order[relation], truth, relations, relation) : 0.5;
    }
    best = std::max(best, sum);
  } while (std::next_permutation(order.begin(), order.end()));
  double sum = 0;
  for (int relation = 0; relation < relations; ++relation) {
    sum += std::isnan(result.aucs[relation]) ? 0.5 : result.aucs[relation];
  }
  RC_ASSERT(std::abs(sum - best) < 1e-9);
}

}  // namespace
}  // namespace factorgcn
