// All blocks of a network of disentangle layers as one operation, for batches of small graphs on a CPU.
//
//   block l: h = W x + b;  left, right = G h + g;  raw = A_k(h) for each factor k        (ops/factor_aggregate.h)
//            x' = activation(batch_norm(raw * n_graph^-1/2))                              batch norm, scale: where
//            asked
//   loss:    sum over the blocks that have a discriminator of its loss                    (ops/discriminator_weights.h)
//   ends:    what is read of the blocks (StackEnd)
//
// Equal to the composition of the other operations (nn/factor_gcn.cpp), which serves large graphs, GPUs and deeper
// discriminators. Here a block's steps are taken tile by tile, a tile being a few whole graphs whose values stay in the
// second-level cache; batch normalisation and activation are applied when the next block reads, with sums that the
// writing loop gathered; and the discriminator is judged and differentiated where its layer is computed. Nothing but
// raw, h and the gate tables is kept for the backward pass. The same bits for any number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/graph/graph_batch.h"
#include "factorgcn/ops/discriminator_weights.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {

/// Tensors of one block. d: width of one factor, D = K * d, F: columns of its input.
struct FACTORGCN_API StackBlock {
  at::Tensor weight, bias;            ///< [d, F], [d]
  at::Tensor gate_weight, gate_bias;  ///< [2 K, d], [2 K]: left above right
  DiscriminatorWeights judge;         ///< all undefined: this block is not judged
  bool judge_from_output = false;     ///< whether the discriminator's first convolution follows from raw, not from h
  at::Tensor gamma, beta;             ///< [D]; undefined: no batch normalisation
  at::Tensor mean, variance;          ///< [D], moments to normalise with; undefined: the batch's own
};

struct FACTORGCN_API StackInputs {
  Adjacency edges;
  at::Tensor graph_offsets;  ///< int64 [G + 1]
  at::Tensor x;              ///< [N, F]
  std::vector<StackBlock> blocks;
};

enum class StackEnd {
  kNodes,      ///< the last block's x', [N, D]
  kMeans,      ///< its mean over each graph's nodes, [G, D]
  kLevelSums,  ///< for each block the sum over each graph's nodes, [G, D] each
};

struct FACTORGCN_API StackOptions {
  double gate_scale = 6.0;
  EdgeNorm norm = EdgeNorm::kSource;
  bool size_norm = false;  ///< multiply rows by n_graph^-1/2
  double slope = 0.2;      ///< of the activation for negative values: 0 for ReLU, 1 for none
  double eps = 1e-5;       ///< of batch normalisation
  StackEnd end = StackEnd::kNodes;
};

struct FACTORGCN_API StackResult {
  std::vector<at::Tensor> ends;              ///< one, or one per block
  at::Tensor loss;                           ///< scalar; undefined where no block is judged
  std::vector<at::Tensor> means, variances;  ///< of each block's batch, biased; empty where there is no own one
};

/// Whether every graph is small enough for a tile (kMostTileNodes), and on the CPU.
FACTORGCN_API bool fits_tiles(const at::Tensor& graph_offsets);

/// Differentiable in x and in the blocks' weights. CPU only; graphs should fit tiles.
FACTORGCN_API StackResult disentangle_stack(const StackInputs& inputs, const StackOptions& options);

}  // namespace factorgcn
