// One graph whose plain edges hide several planted relations: what taking relations apart is tested on.
//
// In each of K relations every node belongs to one group, drawn anew. A pair of nodes is joined in a relation with
// probability `inside` where they share a group and `outside` where they do not; the graph has an edge where any
// relation joins. Groups can be of unequal size, and nodes can have degrees with a heavy tail. The edges' true
// relations are kept as ground truth. There is nothing to predict: the task is none.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"

namespace factorgcn {

struct DatasetEntry;

struct FACTORGCN_API RelationsOptions {
  std::int64_t nodes = 200;
  int relations = 3;       ///< K
  int groups = 5;          ///< of each relation
  double inside = 0.25;    ///< probability of an edge inside a group
  double outside = 0.005;  ///< and between groups
  double unequal = 0;      ///< group r is drawn with probability ~ (r + 1)^-unequal: 0, all alike
  /// Exponent of a power law that nodes' propensities follow in all relations (mean 1; an edge's probability is
  /// multiplied by both ends'): about 2.5 is a network with hubs; 0, all alike.
  double degree_exponent = 0;
  std::uint64_t seed = 0;
};

/// The graph as plain lists: each joined pair once, the smaller node first, in rising order.
struct FACTORGCN_API PlantedRelations {
  std::int64_t nodes = 0;
  int relations = 0;
  std::vector<std::int32_t> sources, targets;  ///< [E]
  std::vector<std::uint8_t> truth;             ///< [E, K], 1 where the relation joins the pair
  std::vector<std::int32_t> groups;            ///< [K, N]
};

/// Cost: O(K (N + edges) + edges log edges); nothing is done for pairs that are not joined. Throws UsageError for
/// options out of range and where the expected number of edges does not fit.
FACTORGCN_API PlantedRelations plant_relations(const RelationsOptions& options);

/// The same as a data set, with self loops and degrees as node types.
FACTORGCN_API Dataset make_relations(const RelationsOptions& options);

/// The data set by name, with the settings that may be chosen (data/registry.h).
FACTORGCN_API DatasetEntry relations_entry();

}  // namespace factorgcn
