// Where the search for communities begins: random memberships, smoothed over the links.
//
// From memberships that are pure noise the first rounds of fitting gain next to nothing, on a large graph for hundreds
// of rounds. So noise is first passed through a filter that keeps the slow directions of the graph, in which
// communities lie, and damps the bulk of fast ones (link_operator.h); or it is mixed from those directions where they
// are known already (spectrum.h).
#pragma once

#include <cstdint>
#include <string>

#include "relations/expected_counts.h"

namespace factorgcn::relations {

/// Memberships x [N, communities], all above 0, with rates that give each node its degree. `directions` may be null.
/// Cost: a score of passes over the links, none where directions are given.
Table start_communities(const Links& links, int communities, std::uint64_t seed, const std::string& purpose,
                        const Table* directions = nullptr);

}  // namespace factorgcn::relations
