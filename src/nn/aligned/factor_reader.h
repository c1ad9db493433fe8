// Reads factor graphs one by one, each from its structure alone.
//
//   x_i = (sum_j C_ij) / 3; blocks x = block(x_i + sum_j C_ij x_j); mean over the graph's nodes
//
// Any choice of (graph, factor) is laid side by side as one batch, a "shelf": label k is read from factor k of all
// graphs, the adversary and the namer read the factors of labels that are present. Cost: a block's over the nodes of
// all pieces.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "nn/aligned/pair_graphs.h"
#include "nn/aligned/parts.h"

namespace factorgcn::aligned {

struct Piece {
  std::int64_t graph, factor;
};

/// Factor k of graph g where labels[g, k] is above 0; float [G, K] in main memory.
FACTORGCN_API std::vector<Piece> present_pieces(const at::Tensor& labels);

struct FACTORGCN_API FactorShelf {
  Adjacency arcs;            ///< of all pieces
  at::Tensor graph_offsets;  ///< int64 [pieces + 1]; nodes of each
  at::Tensor places;         ///< int64 [arcs]; where an arc's coefficient lies among [P, K] coefficients
};

/// `graphs` in main memory; the shelf is put together there and sent to `device`.
FACTORGCN_API FactorShelf shelve(const PairGraphs& graphs, std::int64_t factors, std::span<const Piece> pieces,
                                 at::Device device);

/// Every factor of every graph, factor by factor; put together where the graphs are.
FACTORGCN_API FactorShelf shelve_all(const PairGraphs& graphs, std::int64_t factors);

class FACTORGCN_API FactorReader {
 public:
  FactorReader(WeightMaker& maker, const std::string& name, std::int64_t blocks, std::int64_t width);

  /// coefficients: [P, K]. Returns [pieces, width].
  at::Tensor read(const FactorShelf& shelf, const at::Tensor& coefficients, Moments moments) const;

 private:
  std::vector<Block> blocks_;
};

}  // namespace factorgcn::aligned
