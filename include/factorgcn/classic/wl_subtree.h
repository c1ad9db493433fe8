// The features of the Weisfeiler-Lehman subtree kernel (Shervashidze et al., JMLR 2011).
//
// Each round gives every node a new label that stands for its own label and the sorted labels of its neighbours. A
// feature counts how many nodes of a graph carry a label in a round; the kernel is the product of these counts, summed
// over the rounds 0 .. h. Labels are compared in full, never by a hash alone, so equal counts mean equal refinements.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/classic/plain_graph.h"
#include "factorgcn/classic/sparse_features.h"

namespace factorgcn {

struct FACTORGCN_API WlFeatures {
  SparseFeatures counts;                      ///< columns are numbered round after round
  std::vector<std::int64_t> columns_through;  ///< of each round h: columns of the rounds 0 .. h

  /// Counts of the rounds 0 .. h.
  SparseFeatures through(std::int64_t rounds) const {
    return first_columns(counts, columns_through.at(static_cast<std::size_t>(rounds)));
  }
};

/// Rounds 0 .. `rounds`, labels shared by all graphs. The same for any number of threads.
/// Cost: O(rounds (N + E log E)), memory for one round's labels of all edges.
FACTORGCN_API WlFeatures wl_features(std::span<const PlainGraph> graphs, int rounds);

}  // namespace factorgcn
