// All steps for one number of relations and groups: communities, grouping, polish, moves of nodes; from several starts,
// of which the shortest description counts.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "relations/partitions.h"

namespace factorgcn::relations {

inline constexpr std::int64_t kFewLinks = 20'000, kManyLinks = 80'000;

/// How much work may be done, from the size of the graph. From kManyLinks on all is the same, so that time grows with
/// links.
struct Effort {
  int starts = 0;
  int community_rounds = 0, polish_rounds = 0, sweeps = 0;
  double settled = 0;  // share of nodes' places: when no more change in a sweep, it was the last
  int resamples = 0, random_graphs = 0;
};
Effort usual_effort(std::int64_t links);

/// Enough to tell good sizes from bad ones on a large graph, starting from its spectrum's directions.
Effort quick_effort();

struct FitOptions {
  int relations = 0, groups = 0;
  Effort effort;
  std::uint64_t seed = 0;
  std::function<bool()> stop = {};
  const Table* directions = nullptr;  // of a spectrum, to start from; may be null
};

/// Start number `start`, the same for the same seed.
Partitions fit_once(const Links& links, const FitOptions& options, int start);

/// The best of all starts, the earlier one where two are as good. Starts run beside each other.
Partitions fit_best(const Links& links, const FitOptions& options);

/// The smooth model from there, for shares and memberships.
Model finish(const Links& links, const Partitions& partitions, const Effort& effort,
             const std::function<bool()>& stop = {});

}  // namespace factorgcn::relations
