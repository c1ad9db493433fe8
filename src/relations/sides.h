// Direction: do nodes have other groups for sending than for receiving?
//
// Every node of a directed graph is taken twice, once with the edges that it sends and once with those that it
// receives. On this graph of two sides all steps work as on any other, and a relation's rate is theta_i theta'_j B_c
// z_ic z'_jc with memberships of their own on either side. Whether that says more of the graph than groups that hold
// for both, with directions left aside, is told by edges that were left out.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/relation_graph.h"
#include "relations/fit.h"

namespace factorgcn::relations {

/// Twice the nodes: edge i -> j joins i with nodes + j.
RelationGraph two_sides(const RelationGraph& graph);

/// The links of that graph.
Links two_sided_links(const RelationGraph& graph);

/// Bits of each left-out edge (left_out.h) by a model fitted to the others as `fit` says; of the links of `graph`, or
/// of its two sides. Cost: a fit.
FACTORGCN_API std::vector<double> bits_of_left_out(const RelationGraph& graph,
                                                   const std::vector<std::int64_t>& left_out, bool sides,
                                                   const FitOptions& fit);

struct SidesEvidence {
  std::int64_t left_out = 0;     // edges that were looked at
  double with = 0, without = 0;  // their mean bits
  bool help = false;             // by more than twice what chance makes of the difference
};

/// How many relations and groups each way has is told by the two fits. A tenth of the edges is left out; of small
/// graphs another tenth several times. Cost: two fits of each.
SidesEvidence weigh_sides(const RelationGraph& graph, FitOptions without, FitOptions with);

}  // namespace factorgcn::relations
