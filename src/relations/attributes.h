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

/// Each node's class by an attribute, from 0, as a relation's groups may follow them: numbers cut into `groups` classes
/// of as many nodes; nodes of which nothing is known are a class of their own. Empty where fewer than two classes have
/// two nodes, where half of the nodes are not known, and where there are more classes than `most`.
std::vector<std::int32_t> classes_to_follow(const NodeAttribute& attribute, int groups, int most);

}  // namespace factorgcn::relations
