// A model's factor graphs as a file that other programs read: every edge's coefficient in every factor.
//
// An undirected edge is one row, its ends in the order in which the source had them (a source that lists both
// directions gets both rows back in a table), and its coefficient in a factor is the mean of its two directions', as
// in the scores and on the page. Tables (csv, tsv) have a row per edge and layer, other formats an edge with the
// coefficients of all layers asked for. Self loops that were added for training are no edges of the user's and are left
// out.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/predict.h"

namespace factorgcn {

struct FACTORGCN_API FactorFileOptions {
  std::vector<int> layers{1};        ///< from 1
  std::vector<std::int64_t> graphs;  ///< in this order; empty: all
  /// Edges whose coefficient reaches this in no factor (of a layer, in tables) are left out.
  /// A float as coefficients are, so that one that was read from such a file keeps its own edge.
  float threshold = 0;
  bool strongest = false;        ///< the strongest factor and its coefficient in place of all coefficients
  bool both_directions = false;  ///< every direction an edge of its own, with its own coefficients
  bool added_self_loops = false;
  BatchDone on_batch;  ///< called within large graphs, too, so that who waits for one can end it
};

struct FACTORGCN_API FactorFileCounts {
  std::int64_t graphs = 0, edges = 0;  ///< edges in the data, as counted above
  std::int64_t rows = 0;               ///< rows, or edges, in the file
  bool directed = false;
};

/// Columns behind graph, source and target:
///
///   layer                    tables: the layer, from 1
///   factor_1, factor_2 ...   coefficients, 0 to 1; other formats with several layers: layer_1_factor_1 ...
///   factor, coefficient      in their place with `strongest`
///   relation                 the edge's true relations, joined by ";", where the data set knows them
///
/// Other formats also hold each node's class, where it is known. Throws UsageError where the model has no factor
/// graphs or no such layer. Cost: a forward pass per layer, O(edges log edges); memory for one batch of edges x
/// factors.
FACTORGCN_API FactorFileCounts write_factors(const std::filesystem::path& path, const LoadedRun& run,
                                             const FactorFileOptions& options = {});

}  // namespace factorgcn
