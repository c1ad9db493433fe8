// Canonical labelling of small coloured graphs, by nauty. A build without nauty says so when asked.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/classic/plain_graph.h"

namespace factorgcn {

/// True where this build can label canonically.
FACTORGCN_API bool can_label_canonically();

/// An order of the nodes, by colour first, in which isomorphic coloured graphs look the same: renumbering nodes changes
/// neither the colours nor the edges between positions. The graph's own labels are not looked at. Safe to call in
/// parallel. Throws Error unless there is one colour a node and at most 20,000 nodes. Cost: memory for n^2 bits; time
/// is small for the graphs people have, exponential for some that were made to be hard.
FACTORGCN_API std::vector<std::int32_t> canonical_order(const PlainGraph& graph, std::span<const std::int64_t> colours);

}  // namespace factorgcn
