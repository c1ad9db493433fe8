// How far two partitions of the same nodes agree beyond chance.
#pragma once

#include <cstdint>
#include <span>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Adjusted mutual information (Vinh, Epps and Bailey 2010, mean of entropies): 1 where the partitions are the same, 0
/// on average where they have nothing to do with each other. Groups are counted from 0; a negative number leaves the
/// node out. 1 where both have one group, and for no nodes. Cost: O(N + the expectation's O(groups x groups x N)), for
/// which a formula stands in above 20,000 nodes.
FACTORGCN_API double adjusted_mutual_information(std::span<const std::int32_t> left,
                                                 std::span<const std::int32_t> right);

}  // namespace factorgcn
