// The paper's synthetic data: graphs laid over each other, to be taken apart again.
//
// K' predefined graphs: Turan(5,2), house-X, balanced tree (branching 3, height 2), 3x3 grid, 3-cube, octahedron, in
// this order. A sample is ceil(K'/2) distinct ones, each padded to 15 nodes and permuted, their adjacency matrices
// added. Edges are the non-zero entries plus self loops; an edge weighs as much as its entry, a self loop 1; a node's
// feature is its row of the summed matrix; the label says which graphs are in; the parts are kept as ground truth.
#pragma once

#include <cstdint>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct DatasetEntry;

struct FACTORGCN_API SyntheticOptions {
  int factors = 4;  ///< K', 2 .. 6
  std::int64_t train = 14000;
  std::int64_t validation = 2000;
  std::int64_t test = 4000;
  int nodes = 15;  ///< nodes per sample; at least the largest predefined graph used
  std::uint64_t seed = 0;
};

/// The same data for the same options on every machine. Sample i depends on the seed and i alone.
FACTORGCN_API Dataset make_synthetic(const SyntheticOptions& options);

/// The data set by name, with the settings that may be chosen (data/registry.h).
FACTORGCN_API DatasetEntry synthetic_entry();

}  // namespace factorgcn
