// METIS behind one function: partition/metis calls it, partition/no_metis says that it is missing.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/graph/graph_store.h"

namespace factorgcn {

/// See metis_misfit().
std::string metis_limits(std::int64_t nodes, std::int64_t edges);

/// The part of each node of the store's only graph; parts may be empty. `parts` is at least 2.
std::vector<std::int32_t> metis_parts(const GraphStore& graph, std::int64_t parts, std::uint64_t seed);

}  // namespace factorgcn
