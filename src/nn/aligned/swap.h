// New graphs of parts that were found in others: a split that depends on where its edges stand cannot be found again
// somewhere else.
//
//   H_k: what factor k of a graph holds, without gradients (held_pairs() in split_losses.h)
//   new graph = sum over some labels k of pi_k(H_k of a graph that has label k), pi_k a permutation of its nodes
//   swap = cross entropy of the new graph's coefficients against the parts it is made of
//
// A new graph has as many parts as one of the batch's; its labels and, for each, a graph of the batch that has it are
// drawn at random. It has as many nodes as the largest of them. Only the network of the new graph is trained: the
// coefficients that made the parts are the target. Cost: sorting the new graphs' pairs; the network once more.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/aligned/pair_graphs.h"

namespace factorgcn::aligned {

struct FACTORGCN_API NewGraphs {
  PairGraphs graphs;
  at::Tensor parts;  ///< float [P, K]: 1 where part k lies on a pair
};

/// `graphs` in main memory, and so is what is returned. `held`: bool [P, K], what the factors hold; names: int64 [G,
/// K], which factor of graph g holds part k; labels: float [G, K]. The same (arguments, seed) give the same graphs.
FACTORGCN_API NewGraphs exchange_parts(const PairGraphs& graphs, const at::Tensor& held, const at::Tensor& names,
                                       const at::Tensor& labels, std::uint64_t seed);

}  // namespace factorgcn::aligned
