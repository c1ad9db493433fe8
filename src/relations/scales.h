// Where nothing says that groups of different relations cut across each other: partitions of different coarseness.
//
// In many real networks relations follow the same lines: a department and its teams. Then no overlap tells relations
// apart, and what is left is scale: a relation of few large groups beside one of many small ones. Each relation gets a
// partition of its own, found on the graph alone; shares are means over starts, which differ much.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "relations/model.h"

namespace factorgcn::relations {

struct Scales {
  Model model;                    // of the start with the best likelihood
  std::vector<float> shares;      // [E, K] mean over starts
  std::vector<double> stability;  // [K] mean agreement of the other starts' partitions with the best's
};

/// Groups of relation k of K, growing evenly in their logarithm.
std::vector<int> scale_sizes(int relations, std::int64_t nodes);

/// Cost: O(starts x links x groups of all relations) a round.
Scales find_scales(const Links& links, const RelationGraph& graph, int relations, int starts, std::uint64_t seed,
                   const std::function<bool()>& stop);

}  // namespace factorgcn::relations
