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

/// How much work may be done, from the size of the graph: large graphs need fewer rounds and have fewer places to get
/// stuck in, and single moves are made by one thread. From kManyLinks on all is the same, so that time grows with
/// links.
struct Effort {
  int starts = 0;
  int community_rounds = 0, polish_rounds = 0, sweeps = 0;
  int resamples = 0, random_graphs = 0;
};
Effort usual_effort(std::int64_t links);

struct FitOptions {
  int relations = 0, groups = 0;
  Effort effort;
  std::uint64_t seed = 0;
  std::function<bool()> stop = {};
};

/// Start number `start`, the same for the same seed.
Partitions fit_once(const Links& links, const FitOptions& options, int start);

/// The best of all starts, the earlier one where two are as good. Starts run beside each other.
Partitions fit_best(const Links& links, const FitOptions& options);

/// The smooth model from there, for shares and memberships.
Model finish(const Links& links, const Partitions& partitions, const Effort& effort,
             const std::function<bool()>& stop = {});

}  // namespace factorgcn::relations
