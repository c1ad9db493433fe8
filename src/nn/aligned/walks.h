// How many walks of a few steps lead from one end of a pair to the other: with A the pairs' adjacency matrix of 0 and
// 1, the entries of A^2, A^3 and A^4 that lie on pairs.
//
// From each node the walks of two and three steps are counted on the nodes they reach, so nothing is as large as all
// pairs of nodes. Cost, for each node: the edges within three steps of it.
#pragma once

#include <ATen/core/Tensor.h>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn::aligned {

/// `arcs`: each pair in both directions; graph_offsets: int64 [G + 1], nodes of graph g; left, right, pair_offsets as
/// in PairGraphs. Float [P, 3]. In main memory.
FACTORGCN_API at::Tensor walk_counts(const Adjacency& arcs, const at::Tensor& graph_offsets, const at::Tensor& left,
                                     const at::Tensor& right);

}  // namespace factorgcn::aligned
