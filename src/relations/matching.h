// Relations have no order: those of one attempt are matched with another's by the shares they give to edges.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn::relations {

/// The other attempt's relation for each of these; -1 where it has none. `shares` [E, relations], `others`
/// [E, other_relations]. Cost: O(E x relations x other_relations).
FACTORGCN_API std::vector<int> match_relations(const std::vector<float>& shares, int relations,
                                               const std::vector<float>& others, int other_relations);

/// Adds 1 where the relation that is strongest in an edge is so in the other attempt, too.
FACTORGCN_API void count_agreement(const std::vector<float>& shares, int relations, const std::vector<float>& others,
                                   int other_relations, const std::vector<int>& matched, std::vector<float>& agreement);

}  // namespace factorgcn::relations
