// The principle taken at its word: in each relation a node belongs to one group and to no other.
//
// The same rates as in model.h with memberships of 0 and 1. Nodes move from group to group one at a time, which gets
// out of places where the smooth fit settles, and what it takes to write such a description down can be counted: it is
// the measure by which numbers of relations and groups are chosen, and by which a graph is found to have none.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "relations/model.h"

namespace factorgcn::relations {

struct Partitions {
  std::vector<int> groups_in;             // [K] groups of each relation, empty ones included
  std::vector<std::int32_t> group;        // [K, N], from 0 in each relation
  std::vector<std::vector<double>> rate;  // [K][groups]
  double background = 0;
  std::vector<float> activities;  // [N]
  double bits = 0;                // description length, without what no description changes

  int relations() const { return static_cast<int>(groups_in.size()); }
};

/// Each node in its strongest group, rates fitted to that.
Partitions round_model(const Links& links, const Model& model);

struct MoveOptions {
  int sweeps = 20;      // visits of every node in every relation, at most; ends where none moves
  bool sample = false;  // moves are drawn with their probabilities instead of the best being taken
  int closed_relation = -1, closed_group = -1;  // a group that its nodes must leave
  std::uint64_t seed = 0;
  std::string purpose;
  std::function<void(const Partitions&)> after_sweep = {};  // may be empty
};

/// One node at a time. Cost of a sweep: O(links x relations); single thread.
FACTORGCN_API void move_nodes(const Links& links, Partitions& partitions, const MoveOptions& options);

/// Fits the rates to the groups and sets `bits`. Groups nobody is in are dropped. Cost: O(rounds x links x relations).
FACTORGCN_API void fit_rates(const Links& links, Partitions& partitions, int rounds = 5);

/// Dissolves groups, the smallest first, as long as that makes the description shorter. Cost: a few sweeps a group.
FACTORGCN_API void dissolve_groups(const Links& links, Partitions& partitions, const MoveOptions& options);

/// The description with no relation at all: a random graph with these degrees.
FACTORGCN_API Partitions no_relations(const Links& links);

/// The smooth model with these groups, to polish further: a node is in its own group for the most part.
Model soften(const Links& links, const Partitions& partitions);

}  // namespace factorgcn::relations
