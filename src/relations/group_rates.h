// Sums over groups, and the rates that follow from them: one step of expectation-maximisation on the rates alone.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "relations/partitions.h"

namespace factorgcn::relations {

/// log(exp(rate) - 1), what a link adds to the likelihood.
inline double log_link(double rate) {
  return rate < 0.02 ? std::log(rate) + rate / 2 : rate > 40 ? rate : std::log(std::expm1(rate));
}

/// Sums of activities in each group, and of their squares.
struct GroupTotals {
  std::vector<std::vector<double>> first, second;
  std::vector<std::vector<std::int64_t>> nodes;
  double all = 0, all_squares = 0;

  GroupTotals(const Links& links, const Partitions& partitions);

  double pairs(int relation, int group) const {
    return (first[relation][group] * first[relation][group] - second[relation][group]) / 2;
  }
  double all_pairs() const { return (all * all - all_squares) / 2; }
};

/// Rates from the links that groups account for. Cost: a pass over the links x relations.
void refit_rates(const Links& links, const GroupTotals& totals, Partitions& partitions);

/// The links' log-likelihood, without the sum of all rates. The same cost.
double links_likelihood(const Links& links, const Partitions& partitions);

}  // namespace factorgcn::relations
