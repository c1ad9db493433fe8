// The principle taken at its word: in each relation a node belongs to one group and to no other.
//
// The same rates as in model.h with memberships of 0 and 1. What it takes to write such a description down can be
// counted: it is the measure by which numbers of relations and groups are chosen, and by which a graph is found to have
// none.
#pragma once

#include <cstdint>
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
  int told = -1;                  // the relation whose groups are described given classes; -1: none
  const std::vector<std::int32_t>* classes = nullptr;  // [N] those, owned by who put them here (told_groups.h)
  double bits = 0;                                     // description length, without what no description changes

  int relations() const { return static_cast<int>(groups_in.size()); }
};

/// Each node in its strongest group, rates fitted to that.
Partitions round_model(const Links& links, const Model& model);

/// Fits the rates to the groups and sets `bits`. Groups nobody is in are dropped. Cost: O(rounds x links x relations).
FACTORGCN_API void fit_rates(const Links& links, Partitions& partitions, int rounds = 5);

/// The description with no relation at all: a random graph with these degrees.
FACTORGCN_API Partitions no_relations(const Links& links);

/// The smooth model with these groups, to polish further: a node is in its own group for the most part.
Model soften(const Links& links, const Partitions& partitions);

}  // namespace factorgcn::relations
