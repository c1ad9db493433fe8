// Edges by their own looks alone: a second, small scorer that sees no more of a graph than what is around an edge, so
// that it cannot tell which labels the graph has. An edge of part k is in graphs with label k always, and with any
// other label only now and then: where the labels are not known, the likelihood of the labels that an edge may have is
// best where each edge has its true one (learning from candidate sets).
//
//   q     = softmax over all labels of the local scorer's scores
//   loss  = - mean over pairs of log(sum of q_k over the labels of the pair's graph)
//   agree = cross entropy of C against min(1, U q_k / sum of q over the labels of the graph), without gradients to q
//
// The whole scorer knows the labels, and every way to divide the edges among them is alike to it: `agree` is what it
// begins with, and it fades while swap, adversary and namer grow. Cost: a scorer of `blocks` blocks, two passes over
// [P, K].
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "nn/aligned/edge_scorer.h"

namespace factorgcn::aligned {

class FACTORGCN_API LocalView {
 public:
  /// `blocks`: how many steps from an edge its view reaches; 0: its ends' degrees and the walks between them.
  LocalView(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t labels);

  /// Scalars.
  struct Taught {
    at::Tensor loss, agree;
  };
  /// scores: the whole scorer's, C = sigmoid(scores), [P, K]; labels: [G, K], where they are. In graphs without labels
  /// edges belong to nothing.
  Taught teach(const PairGraphs& graphs, const at::Tensor& scores, const at::Tensor& labels, Moments moments) const;
  /// What an edge is taken for among the labels of its graph: [P, K], rows of sum 1 (0 in graphs without labels).
  at::Tensor guesses(const PairGraphs& graphs, const at::Tensor& labels, Moments moments) const;

 private:
  EdgeScorer scorer_;
};

}  // namespace factorgcn::aligned
