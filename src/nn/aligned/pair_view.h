// What the scorer sees of a pair of nodes i and j, its ends alike:
//
//   [x_i + x_j, |x_i - x_j|, x_i x_j, W_g, U_ij, w2 / 3, w3 / 10, w4 / 30, w2 > 0]
//
// with W_g a row of the pair's graph, U the multiplicity and w2, w3, w4 the walks of 2, 3 and 4 steps between them. In
// main memory one pass over the pairs, and on the way back one over the nodes' arcs, each row in a fixed order; on a
// GPU composed of libtorch's operations and gathers (gather.h). Cost: P D values written, D = 3 h + w + 5.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/aligned/pair_graphs.h"

namespace factorgcn::aligned {

/// Of a pair, beside its ends and its graph.
inline constexpr std::int64_t kPairColumns = 5;

/// context: [N, h]; whole: [G, w], or undefined for none. Returns [P, 3 h + w + 5]. Differentiable in both.
FACTORGCN_API at::Tensor pair_view(const PairGraphs& graphs, const at::Tensor& context, const at::Tensor& whole);

/// The same, composed on any device.
FACTORGCN_API at::Tensor composed_pair_view(const PairGraphs& graphs, const at::Tensor& context,
                                            const at::Tensor& whole);

}  // namespace factorgcn::aligned
