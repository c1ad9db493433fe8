// Where the search for communities begins: random memberships, smoothed over the links.
//
// From memberships that are pure noise the first rounds of fitting gain next to nothing, on a large graph for hundreds
// of rounds. So noise is first passed through a filter that keeps the slow directions of the graph, in which
// communities lie, and damps the bulk of fast ones: a Chebyshev polynomial of the links' matrix, D^-1/2 A D^-1/2 with
// degrees raised by their mean (which keeps hubs from being directions of their own).
#pragma once

#include <cstdint>
#include <string>

#include "relations/expected_counts.h"

namespace factorgcn::relations {

/// Memberships x [N, communities], all above 0, with rates that give each node its degree.
/// Cost: a score of passes over the links.
Table start_communities(const Links& links, int communities, std::uint64_t seed, const std::string& purpose);

}  // namespace factorgcn::relations
