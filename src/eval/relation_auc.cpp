// Each column is sorted once; an AUC is then a sum of ranks, for the true relations and for every shuffle of them.
#include "factorgcn/eval/relation_auc.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/assignment.h"

namespace factorgcn {
namespace {

/// Ranks from 1; ties share the mean of theirs.
std::vector<double> mean_ranks(std::int64_t count, const auto& score_of) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::int64_t left, std::int64_t right) { return score_of(left) < score_of(right); });
  std::vector<double> ranks(order.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first + 1;
    while (last < order.size() && score_of(order[last]) == score_of(order[first])) {
      ++last;
    }
    const double rank = (static_cast<double>(first + 1) + static_cast<double>(last)) / 2;
    for (; first < last; ++first) {
      ranks[static_cast<std::size_t>(order[first])] = rank;
    }
  }
  return ranks;
}

double auc_of_rank_sum(double rank_sum, double positives, double count) {
  if (positives == 0 || positives == count) {
    return 0.5;
  }
  return (rank_sum - positives * (positives + 1) / 2) / (positives * (count - positives));
}

/// Edges with their ranks in every column; scores any truth against them.
class RankedShares {
 public:
  RankedShares(std::span<const float> shares, int columns, int relations, RelationPairing pairing)
      : edges_(static_cast<std::int64_t>(shares.size()) / std::max(columns, 1)),
        columns_(columns),
        relations_(relations),
        pairing_(pairing) {
    for (int column = 0; column < columns; ++column) {
      ranks_.push_back(mean_ranks(
          edges_, [&](std::int64_t edge) { return shares[static_cast<std::size_t>(edge * columns + column)]; }));
    }
  }

  /// `row_of[e]` is the row of `truth` that counts for edge e.
  RelationAuc score(std::span<const std::uint8_t> truth, std::span<const std::int64_t> row_of) const {
    RelationAuc result;
    result.edges = edges_;
    result.positives.assign(static_cast<std::size_t>(relations_), 0);
    std::vector<double> sums(static_cast<std::size_t>(relations_) * columns_, 0);
    for (std::int64_t edge = 0; edge < edges_; ++edge) {
      const std::uint8_t* row = truth.data() + row_of[static_cast<std::size_t>(edge)] * relations_;
      for (int relation = 0; relation < relations_; ++relation) {
        if (row[relation] != 0) {
          ++result.positives[static_cast<std::size_t>(relation)];
          for (int column = 0; column < columns_; ++column) {
            sums[static_cast<std::size_t>(relation) * columns_ + column] +=
                ranks_[static_cast<std::size_t>(column)][static_cast<std::size_t>(edge)];
          }
        }
      }
    }
    pair_up(sums, result);
    return result;
  }

 private:
  void pair_up(const std::vector<double>& sums, RelationAuc& result) const {
    const auto edges = static_cast<double>(edges_);
    std::vector<double> costs(sums.size());
    for (int relation = 0; relation < relations_; ++relation) {
      const auto positives = static_cast<double>(result.positives[static_cast<std::size_t>(relation)]);
      for (int column = 0; column < columns_; ++column) {
        const std::size_t cell = static_cast<std::size_t>(relation) * columns_ + column;
        costs[cell] = -auc_of_rank_sum(sums[cell], positives, edges);
      }
    }
    if (pairing_ == RelationPairing::kSame) {
      result.columns.resize(static_cast<std::size_t>(relations_));
      std::iota(result.columns.begin(), result.columns.end(), 0);
    } else {
      // A relation left without a column is as good as chance.
      const std::vector<double> unmatched(static_cast<std::size_t>(relations_), -0.5);
      result.columns = assign(relations_, columns_, costs, unmatched).column_of_row;
    }
    double sum = 0;
    int scored = 0;
    for (int relation = 0; relation < relations_; ++relation) {
      const int column = result.columns[static_cast<std::size_t>(relation)];
      const std::int64_t positives = result.positives[static_cast<std::size_t>(relation)];
      if (positives == 0 || positives == edges_) {
        result.aucs.push_back(std::numeric_limits<double>::quiet_NaN());
        continue;
      }
      result.aucs.push_back(column < 0 ? 0.5 : -costs[static_cast<std::size_t>(relation) * columns_ + column]);
      sum += result.aucs.back();
      ++scored;
    }
    result.mean = scored > 0 ? sum / scored : std::numeric_limits<double>::quiet_NaN();
  }

  std::int64_t edges_;
  int columns_, relations_;
  RelationPairing pairing_;
  std::vector<std::vector<double>> ranks_;  // [columns][edges]
};

void check_relation_auc(std::span<const float> shares, int columns, std::span<const std::uint8_t> truth, int relations,
                        const RelationAucOptions& options) {
  require(columns >= 1 && relations >= 1, "relation AUC: ", columns, " columns and ", relations,
          " relations; both must be at least 1");
  require(shares.size() % columns == 0, "relation AUC: ", shares.size(), " shares cannot be laid out in ", columns,
          " columns");
  const std::size_t edges = shares.size() / columns;
  require(truth.size() == edges * relations, "relation AUC: ", truth.size(), " true values given, ", edges, " edges x ",
          relations, " relations need ", edges * relations);
  require(options.pairing == RelationPairing::kBest || columns == relations, "relation AUC: ", columns, " columns for ",
          relations, " relations; where each column is a relation there must be as many");
  const auto bad = std::find_if(shares.begin(), shares.end(), [](float share) { return !std::isfinite(share); });
  require(bad == shares.end(), "relation AUC: the share of edge ", (bad - shares.begin()) / columns, " in column ",
          (bad - shares.begin()) % columns, " is not a finite number");
}

}  // namespace

double ranking_auc(std::span<const float> scores, std::span<const std::uint8_t> positive) {
  require(scores.size() == positive.size(), "AUC: ", scores.size(), " scores for ", positive.size(), " truths");
  const auto count = static_cast<std::int64_t>(scores.size());
  const std::vector<double> ranks = mean_ranks(count, [&](std::int64_t at) { return scores[at]; });
  double rank_sum = 0, positives = 0;
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    rank_sum += positive[at] != 0 ? ranks[at] : 0;
    positives += positive[at] != 0 ? 1 : 0;
  }
  return auc_of_rank_sum(rank_sum, positives, static_cast<double>(count));
}

RelationAuc relation_auc(std::span<const float> shares, int columns, std::span<const std::uint8_t> truth, int relations,
                         const RelationAucOptions& options) {
  check_relation_auc(shares, columns, truth, relations, options);
  const RankedShares ranked(shares, columns, relations, options.pairing);
  std::vector<std::int64_t> row_of(shares.size() / columns);
  std::iota(row_of.begin(), row_of.end(), std::int64_t{0});
  RelationAuc result = ranked.score(truth, row_of);
  result.chance = result.chance_spread = std::numeric_limits<double>::quiet_NaN();
  if (options.shuffles > 0 && !std::isnan(result.mean)) {
    RandomStream random(options.seed, "relation_auc/shuffle");
    double sum = 0, squares = 0;
    for (int shuffle = 0; shuffle < options.shuffles; ++shuffle) {
      random.shuffle(std::span(row_of));
      const double mean = ranked.score(truth, row_of).mean;
      sum += mean;
      squares += mean * mean;
    }
    result.chance = sum / options.shuffles;
    result.chance_spread = std::sqrt(std::max(0.0, squares / options.shuffles - result.chance * result.chance));
  }
  return result;
}

}  // namespace factorgcn
