// Where the nodes of a small graph are drawn.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct Point {
  double x = 0, y = 0;
};

/// Springs along edges, repulsion between all nodes, started on a circle: the same picture each time. Coordinates fill
/// the unit square. Cost: O(nodes^2) per round, some hundred rounds; meant for up to a few hundred nodes.
FACTORGCN_API std::vector<Point> spring_layout(std::int32_t nodes, std::span<const std::int32_t> edge_pairs);

}  // namespace factorgcn
