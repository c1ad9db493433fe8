// Which part of a graph each node goes to.
//
//   metis   few edges between parts (METIS, multilevel k-way); parts have about equally many nodes and edges together
//   hash    by a hash of the node's number: parts are equally large, and nearly all edges run between parts. Needs
//           nothing of the graph, so it serves where the graph fits no memory
//
// The same graph, number of parts and seed give the same parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_store.h"

namespace factorgcn {

/// The part of a node by hash: 0 .. parts - 1.
FACTORGCN_API std::int32_t hash_part(std::int64_t node, std::int64_t parts, std::uint64_t seed);

/// Why METIS cannot cut such a graph: it is not built in, or the graph is beyond its numbers. Empty: it can.
FACTORGCN_API std::string metis_misfit(std::int64_t nodes, std::int64_t edges);

/// The part of each node of the store's only graph. `method`: metis, hash, or auto: METIS where it can. No part is
/// empty. Throws UsageError for other methods, where there are more parts than nodes, and where METIS is asked for and
/// cannot. Cost of METIS: O(edges log parts) time, some 50 bytes an edge; of hash: O(nodes).
struct FACTORGCN_API PartAssignment {
  std::string method;  ///< that was used
  std::vector<std::int32_t> part_of;
};
FACTORGCN_API PartAssignment assign_parts(const GraphStore& graph, std::int64_t parts, const std::string& method,
                                      std::uint64_t seed);

}  // namespace factorgcn
