// Does a relation's partition agree with something known of the nodes?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/relations/relation_graph.h"

namespace factorgcn::relations {

struct AttributeMatch {
  int attribute = -1;  // the best of those that agree beyond chance; -1: none does
  double agreement = 0, chance = 0;
};

/// Numbers are cut into as many classes of equal size as the partition has groups. Beyond chance: more than the most
/// that any of the shuffled attributes reaches, and at least 0.1. Cost: O(shuffles x attributes x N).
AttributeMatch match_attribute(std::span<const std::int32_t> partition, int groups,
                               const std::vector<NodeAttribute>& attributes, std::uint64_t seed);

}  // namespace factorgcn::relations
