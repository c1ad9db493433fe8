// Takes one graph apart: which edge belongs to which hidden relation, from the edges alone or with a few known ones.
//
// The principle: in one relation every node belongs to one group (one workplace, one family, one club), while groups of
// different relations overlap freely. Links are counts with rates that follow from groups; relations, groups and rates
// are those with the shortest description of the graph. Where relations follow the same lines nothing in the edges
// tells them apart but scale, and the verdict says so.
//
// Deterministic for the seed and the options, for any number of threads. Cost: O(edges x groups of all relations) a
// round, some hundred rounds for each pair of sizes that is tried; memory: two dozen bytes an edge and 16 floats a node
// for each 16 groups, four times.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/relations/disentangled.h"
#include "factorgcn/relations/options.h"
#include "factorgcn/relations/progress.h"
#include "factorgcn/relations/relation_graph.h"

namespace factorgcn {

/// Throws UsageError for options out of range, Error for a graph that check_relation_graph() refuses, StoppedEarly
/// where the observer asks for it. With known edges the first relations are the known ones, in their order.
FACTORGCN_API Disentangled disentangle(const RelationGraph& graph, const DisentangleOptions& options,
                                       const KnownEdges& known, const std::vector<NodeAttribute>& attributes,
                                       RelationsObserver& observer);

/// The same without known edges, attributes and an observer.
FACTORGCN_API Disentangled disentangle(const RelationGraph& graph, const DisentangleOptions& options = {});

}  // namespace factorgcn
