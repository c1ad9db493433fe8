// Step 2: communities that share members cannot belong to one relation, since there a node has one group. So the
// communities are dealt out to K relations with the least overlap inside relations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "relations/expected_counts.h"

namespace factorgcn::relations {

/// Overlaps of columns, [C, C] row-major with a diagonal of 0: the cosine of two communities' columns.
std::vector<double> overlaps(const Links& links, const Table& x);

/// The relation of each community. Relations may get different numbers of communities where `equal` is not set; each
/// gets one at least. Exchange search from random starts; cost: O(tries C^2 K) a sweep.
FACTORGCN_API std::vector<int> group_communities(const std::vector<double>& overlaps, int communities, int relations,
                                                 bool equal, std::uint64_t seed, const std::string& purpose,
                                                 int tries = 30);

}  // namespace factorgcn::relations
