// The published discriminator's weights, and its loss as ops/disentangle_stack.h and ops/layer_tiles.h take it.
//
//   p1[i,k,:] = tanh(A_k(L1 h))                      A_k: the gated sum of ops/factor_aggregate.h
//             = tanh(L1w out[i,k,:] + L1b g[i,k])    where the layer's output is given instead of h
//   p2[i,k,:] = tanh(L2w A_k(p1) + L2b g[i,k])       g: the gate sums
//   r[g,k,:]  = tanh(mean over the graph's nodes of p2)
//   loss      = mean over graphs and factors of the cross entropy of C r_k against the label k
//
// The loss is a scalar, so its gradient is known up to one factor as soon as it is computed: both are taken in one walk
// over tiles of whole graphs whose values never leave the cache, and the backward pass only scales. Equal to the
// composition of the other operations (nn/discriminator.cpp), which serves graphs that are too large for a tile.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Weights of the two convolutions and the classifier; m is the narrow width.
struct FACTORGCN_API DiscriminatorWeights {
  at::Tensor first_weight, first_bias;            ///< [m, d], [m]
  at::Tensor second_weight, second_bias;          ///< [d, m], [d]
  at::Tensor classifier_weight, classifier_bias;  ///< [K, d], [K]
};

/// Graphs of more nodes than this do not fit a tile.
inline constexpr std::int64_t kMostTileNodes = 2048;

}  // namespace factorgcn
