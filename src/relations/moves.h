// Nodes move from group to group, which gets out of places where the smooth fit settles.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "factorgcn/base/export.h"
#include "relations/partitions.h"

namespace factorgcn::relations {

struct MoveOptions {
  int sweeps = 20;    // visits of every node in every relation, at most; ends where none moves
  double enough = 0;  // or where no more than this share of the nodes' places change
  int closed_relation = -1, closed_group = -1;  // a group that its nodes must leave
  bool closed_alone = false;                    // and nobody else moves
  std::uint64_t seed = 0;
  std::string purpose;
  std::function<bool()> stop = {};  // may be empty; asked after each sweep
};

/// One node at a time in a random order; on large graphs some hundredths of the nodes at once, each as if the others
/// stayed. Rates are fitted after each sweep. Cost of a sweep: O(links x relations + nodes x groups).
FACTORGCN_API void move_nodes(const Links& links, Partitions& partitions, const MoveOptions& options);

/// Dissolves groups, the smallest first, as long as that makes the description shorter. Cost: a few sweeps a group.
FACTORGCN_API void dissolve_groups(const Links& links, Partitions& partitions, const MoveOptions& options);

/// The same for groups of less than a quarter of their relation's mean size, each tried once, whose nodes alone move:
/// what a search with more groups than there are leaves over. Cost: a few passes over the links a small group.
FACTORGCN_API void dissolve_small_groups(const Links& links, Partitions& partitions, const MoveOptions& options);

}  // namespace factorgcn::relations
