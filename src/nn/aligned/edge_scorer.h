// Which factor each edge belongs to: a network over the whole graph, then a score for each pair of nodes that is
// connected. Positions of nodes are not seen, and both ends of a pair count alike.
//
//   x_i  = (pairs of i, their multiplicities' sum) / 5; blocks x = block(x_i + sum_j U_ij x_j)              (context)
//   s_ij = three-layer map of [x_i + x_j, |x_i - x_j|, x_i x_j, V mean(x), U_ij, w2 / 3, w3 / 10, w4 / 30, w2 > 0]
//   C_ij = sigmoid(s_ij), a column for each factor
//
// with U the multiplicities and w2, w3, w4 the walks between i and j of 2, 3 and 4 steps. One score is computed for a
// pair, so both directions of an edge have the same. Cost: N h^2 multiply-adds a block, 5 P h^2 for the scores.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "nn/aligned/pair_graphs.h"
#include "nn/aligned/parts.h"

namespace factorgcn::aligned {

class FACTORGCN_API EdgeScorer {
 public:
  /// `prefix`: of its weights' names. `sees_whole`: whether the graph's mean, V mean(x), is among what it sees.
  EdgeScorer(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors,
             const std::string& prefix = "", bool sees_whole = true);

  /// Features of every node: [N, width]; without blocks [N, 2].
  at::Tensor context(const PairGraphs& graphs, Moments moments) const;
  /// Scores of every pair, whose sigmoids are the coefficients: [P, factors].
  at::Tensor scores(const PairGraphs& graphs, const at::Tensor& context) const;
  /// In 0 .. 1: [P, factors].
  at::Tensor coefficients(const PairGraphs& graphs, Moments moments) const {
    return scores(graphs, context(graphs, moments)).sigmoid();
  }

 private:
  at::ScalarType type() const { return first_.weight.scalar_type(); }

  std::vector<Block> blocks_;
  bool sees_whole_;
  LinearMap whole_, first_, second_, last_;
};

}  // namespace factorgcn::aligned
