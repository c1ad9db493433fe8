// How sure a result is: the same search on graphs from which some edges were left out, compared with the result.
#pragma once

#include <cstdint>
#include <vector>

#include "relations/fit.h"
#include "relations/session.h"

namespace factorgcn::relations {

struct Certainty {
  std::vector<float> shares;      // [E, K] mean over the result and the resamples, relations matched to the result's
  std::vector<double> stability;  // [K] mean adjusted mutual information; NaN where there was no resample
  int resamples = 0;
};

/// Each resample keeps nine edges of ten, starts anew and goes on from the result too: what it finds
/// anew counts unless it is clearly longer. Of a large graph the first starts anew and the others go on from the
/// result. `shares` are the result's, `from` the share of all work that is done.
Certainty resample(const Links& links, const RelationGraph& graph, const Partitions& result,
                   const std::vector<float>& shares, int groups, const Effort& effort, int resamples,
                   std::uint64_t seed, Session& session, double from);

}  // namespace factorgcn::relations
