// The maximisation step in closed form: x_ic = n_ic / sqrt(sum_i n_ic).
#include "relations/communities.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "relations/column_sums.h"
#include "relations/spectral_start.h"

namespace factorgcn::relations {
namespace {

constexpr double kLongest = 4, kStretch = 1.1;

/// x becomes what the counts say, or goes `length` times as far; no entry falls below a tenth of that.
void step_communities(const Links& links, const Table& counts, double length, Table& x) {
  std::vector<float> scales;
  for (const double sum : column_sums(links, counts)) {
    scales.push_back(sum > 0 ? static_cast<float>(1 / std::sqrt(sum)) : 0.0F);
  }
  const auto way = static_cast<float>(length);
  for_each_row(links, [&](std::int64_t row) {
    const float* from = counts.row(row);
    float* to = x.row(row);
    for (std::size_t column = 0; column < scales.size(); ++column) {
      const float best = from[column] * scales[column];
      to[column] = std::max(to[column] + way * (best - to[column]), 0.1F * best);
    }
  });
}

}  // namespace

double improve_communities(const Links& links, Table& x, Table& counts) {
  double likelihood = expected_counts(links, x, counts);
  for (const double sum : column_sums(links, x)) {
    likelihood -= sum * sum / 2;
  }
  step_communities(links, counts, 1, x);
  return likelihood;
}

Communities find_communities(const Links& links, const CommunityOptions& options) {
  Communities found;
  found.x = start_communities(links, options.communities, options.seed, options.purpose, options.directions);
  Table counts(links.nodes, options.communities);
  double length = 1, reached = -1e300;
  int small = 0;
  for (; found.rounds < options.rounds && !(options.stop && options.stop()); ++found.rounds) {
    double likelihood = expected_counts(links, found.x, counts);
    for (const double sum : column_sums(links, found.x)) {
      likelihood -= sum * sum / 2;
    }
    // A plain step never lowers the likelihood: after one that went too far, plain steps make up for it.
    length = likelihood < reached ? 1 : std::min(kLongest, length * kStretch);
    // The first rounds from a random start gain little as well.
    small = found.rounds > 20 && std::abs(likelihood - reached) < options.enough * links.total() ? small + 1 : 0;
    reached = likelihood;
    if (small == 3) {
      break;
    }
    step_communities(links, counts, length, found.x);
  }
  found.likelihood = reached;
  return found;
}

}  // namespace factorgcn::relations
