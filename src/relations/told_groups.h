// Something known of the nodes, taken as what one relation's groups are likely to be.
//
// A relation whose groups follow a department takes few bits to describe once the departments are known: each node's
// group is told given its class, as far as classes and groups go together, and nodes whose links say otherwise leave.
// Where edges are few this finds relations that edges alone do not show. Whether it does is told by edges that were
// left out (left_out.h), so an attribute that has nothing to do with the edges stays outside.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"
#include "relations/fit.h"

namespace factorgcn::relations {

/// Each node's class, from 0; nodes of which nothing is known are a class of their own.
using Classes = std::vector<std::int32_t>;

/// Nats that it takes to say the groups given the classes, each class's shares being learnt on the way
/// (Krichevsky-Trofimov).
FACTORGCN_API double told_nats(const std::int32_t* group, const Classes& classes, int groups);

/// The shortest of: `found` as it is, and with the classes as a relation's groups to begin with, in the place of each
/// relation and, where `may_add` says so, beside them or alone. Cost: some sweeps over the links for each.
FACTORGCN_API Partitions with_told_groups(const Links& links, const Partitions& found, const Classes& classes,
                                          bool may_add, std::uint64_t seed);

/// The attribute that says most of edges that were left out.
struct ToldEvidence {
  int attribute = -1;            // -1: none of them helps
  std::int64_t left_out = 0;     // edges that were looked at
  double with = 0, without = 0;  // their mean bits by the best attribute that was looked at
  int best = -1;                 // that one; -1: none made a description shorter
};

/// `classes` of each attribute, empty where it cannot be one. It must save more bits than chance makes of the
/// difference two and a half times over, and a little more for each further attribute that is tried: beside no
/// attribute, and beside the same one with the nodes shuffled, which helps too where relations were fitted that are not
/// there. Cost: a fit of nine tenths of the edges for each tenth, and for each attribute some sweeps.
FACTORGCN_API ToldEvidence weigh_attributes(const RelationGraph& graph, const std::vector<Classes>& classes,
                                            bool may_add, const FitOptions& fit);

}  // namespace factorgcn::relations
