// How many relations, of how many groups? The shortest description decides.
//
// Numbers of groups are tried upwards for each number of relations until descriptions get longer again; one relation
// more is tried as long as that pays. No relation at all is always among the candidates.
//
// On large graphs a fit takes too long for that. There the spectrum says how many groups there are in all (spectrum.h),
// which leaves one number of groups for each number of relations and its neighbours; those are fitted quickly, and what
// is best is fitted in full.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/relations/disentangled.h"
#include "factorgcn/relations/options.h"
#include "relations/fit.h"
#include "relations/session.h"

namespace factorgcn::relations {

struct Selection {
  std::vector<RelationsCandidate> candidates;
  Partitions best;   // of all with a relation
  Partitions none;   // the description without
  double one = 0;    // bits with one relation; NaN where it was not tried
  int groups = 0;    // as asked for by the best candidate
  std::string note;  // how sizes were chosen, where that needs saying
};

/// With sizes given only those are tried, and one relation beside them, which says whether several are needed.
/// `share` of all work is foreseen for this, the first.
Selection select_sizes(const Links& links, const DisentangleOptions& options, const Effort& effort, Session& session,
                       double share);

}  // namespace factorgcn::relations
