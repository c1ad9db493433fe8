// The two orders of an edge list, as raw arrays: shared by one graph's adjacency and the store of many graphs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/error.h"

namespace factorgcn {

/// The arrays of graph/adjacency.h; Position is the type in which in_to_out is kept.
template <class Position>
struct EdgeOrders {
  std::int64_t num_nodes;
  std::int64_t num_edges;
  const std::int64_t* in_offsets;
  const std::int32_t* in_sources;
  const std::int64_t* out_offsets;
  const std::int32_t* out_targets;
  const Position* in_to_out;
};

/// Puts each edge in its place in both orders, keeping the list's order inside a node: the second half of a counting
/// sort. in_next[v] and out_next[v] hold the first place of node v and are moved on. Ids must be in range.
template <class Position>
void place_edges(std::span<const std::int32_t> source, std::span<const std::int32_t> target, std::int64_t* in_next,
                 std::int64_t* out_next, std::int32_t* in_sources, std::int32_t* out_targets, Position* in_to_out) {
  for (std::size_t edge = 0; edge < source.size(); ++edge) {
    const std::int64_t in_place = in_next[target[edge]]++;
    const std::int64_t out_place = out_next[source[edge]]++;
    in_sources[in_place] = source[edge];
    out_targets[out_place] = target[edge];
    in_to_out[in_place] = static_cast<Position>(out_place);
  }
}

/// Throws Error unless offsets rise from 0 to the number of edges. `describe()` names the graph.
template <class Describe>
void check_offsets(const std::int64_t* offsets, std::int64_t count, std::int64_t last, const char* what,
                   const Describe& describe) {
  require(offsets[0] == 0, describe(), ": ", what, " starts at ", offsets[0], "; it must start at 0");
  for (std::int64_t index = 0; index < count; ++index) {
    if (offsets[index + 1] < offsets[index]) {
      fail(describe(), ": ", what, " falls from ", offsets[index], " to ", offsets[index + 1], " at ", index + 1,
           "; it must not fall");
    }
  }
  require(offsets[count] == last, describe(), ": ", what, " ends at ", offsets[count], "; it must end at ", last);
}

/// Throws Error unless both orders hold the same edges and in_to_out leads from one to the other. `seen` is scratch.
template <class Position, class Describe>
void check_edge_orders(const EdgeOrders<Position>& orders, std::vector<char>& seen, const Describe& describe) {
  check_offsets(orders.in_offsets, orders.num_nodes, orders.num_edges, "in_offsets", describe);
  check_offsets(orders.out_offsets, orders.num_nodes, orders.num_edges, "out_offsets", describe);
  seen.assign(static_cast<std::size_t>(orders.num_edges), 0);
  for (std::int64_t target = 0; target < orders.num_nodes; ++target) {
    for (std::int64_t edge = orders.in_offsets[target]; edge < orders.in_offsets[target + 1]; ++edge) {
      const std::int64_t source = orders.in_sources[edge];
      const std::int64_t place = orders.in_to_out[edge];
      if (source < 0 || source >= orders.num_nodes) {
        fail(describe(), ": in_sources holds node ", source, " at ", edge, "; ids must be in 0 .. ",
             orders.num_nodes - 1);
      }
      if (place < orders.out_offsets[source] || place >= orders.out_offsets[source + 1]) {
        fail(describe(), ": in_to_out leads from edge ", edge, " to ", place, ", which is no out-edge of its source ",
             source);
      }
      if (orders.out_targets[place] != target) {
        fail(describe(), ": in_to_out leads from edge ", edge, " into node ", target, " to an edge into node ",
             orders.out_targets[place]);
      }
      if (seen[static_cast<std::size_t>(place)]) {
        fail(describe(), ": in_to_out holds ", place, " twice; it must be a permutation");
      }
      seen[static_cast<std::size_t>(place)] = 1;
    }
  }
}

}  // namespace factorgcn
