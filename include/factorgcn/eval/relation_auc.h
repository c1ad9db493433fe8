// How well shares of edges tell true relations apart: one AUC per relation, chance beside it.
//
// The AUC of relation l under column k is how often an edge of l has a greater share in k than an edge that is not of
// l; ties count half. Relations and columns are paired one to one so that the sum of AUCs is greatest. That choice
// lifts pure chance above 0.5: what shuffled edges reach is measured and stands beside the score.
// An edge may be in several relations or in none. Cost: O(K E log E + (1 + shuffles) K L E).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// How often one of `positive` is ranked before one that is not; 0.5 where there are none of one kind.
/// Cost: O(n log n).
FACTORGCN_API double ranking_auc(std::span<const float> scores, std::span<const std::uint8_t> positive);

/// How columns of shares are paired with relations.
enum class RelationPairing {
  kBest,  ///< the best one-to-one assignment: nobody said which column is which relation
  kSame,  ///< column l is relation l: known edges named the columns
};

struct FACTORGCN_API RelationAucOptions {
  RelationPairing pairing = RelationPairing::kBest;
  int shuffles = 20;  ///< of the edges, to measure chance; 0: chance stays not known
  std::uint64_t seed = 0;
};

struct FACTORGCN_API RelationAuc {
  double mean = 0;                      ///< over the relations that some edges are in and some are not
  double chance = 0;                    ///< the same of shuffled edges, mean; NaN where not measured
  double chance_spread = 0;             ///< its standard deviation from shuffle to shuffle
  std::vector<double> aucs;             ///< [L]; 0.5 without a column, NaN where all edges or none are in the relation
  std::vector<int> columns;             ///< [L] the column of each relation, -1 where there are fewer columns
  std::vector<std::int64_t> positives;  ///< [L] edges in each relation
  std::int64_t edges = 0;
};

/// `shares` is row-major [E, columns] and finite, `truth` row-major [E, relations] of 0 and 1. `mean` is NaN where no
/// relation can be scored.
FACTORGCN_API RelationAuc relation_auc(std::span<const float> shares, int columns, std::span<const std::uint8_t> truth,
                                       int relations, const RelationAucOptions& options = {});

}  // namespace factorgcn
