// Composed of the library's operations: dense maps, sums over segments, and what is seen of a pair.
#include "nn/aligned/edge_scorer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/aligned/pair_view.h"

namespace factorgcn::aligned {
namespace {

/// What is known of a node at first.
constexpr std::int64_t kNodeColumns = 2;

/// The multiplicity of each arc's pair.
at::Tensor arc_weights(const PairGraphs& graphs, at::ScalarType type) {
  return graphs.multiplicity.to(type).index_select(0, graphs.pair_of_arc);
}

}  // namespace

EdgeScorer::EdgeScorer(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors,
                       const std::string& prefix, bool sees_whole)
    : sees_whole_(sees_whole) {
  for (std::int64_t index = 0; index < blocks; ++index) {
    blocks_.push_back(
        make_block(maker, prefix + "context" + std::to_string(index + 1), index == 0 ? kNodeColumns : width, width));
  }
  const std::int64_t context = blocks == 0 ? kNodeColumns : width;
  if (sees_whole) {
    whole_ = maker.linear(prefix + "whole", context, width);
  }
  first_ = maker.linear(prefix + "score1", 3 * context + (sees_whole ? width : 0) + kPairColumns, width);
  second_ = maker.linear(prefix + "score2", width, width);
  last_ = maker.linear(prefix + "score3", width, factors);
}

at::Tensor EdgeScorer::context(const PairGraphs& graphs, Moments moments) const {
  NodeWeights weights;
  weights.edge = arc_weights(graphs, type());
  const at::Tensor degrees = graphs.arcs.in_offsets.diff().to(type());
  const at::Tensor sums = segment_sum(weights.edge.unsqueeze(1), graphs.arcs.in_offsets).squeeze(1);
  at::Tensor x = at::stack({degrees, sums}, 1) / 5;
  for (const Block& block : blocks_) {
    x = finish_block(block, x + neighbour_sum(graphs.arcs, x, weights), moments);
  }
  return x;
}

at::Tensor EdgeScorer::scores(const PairGraphs& graphs, const at::Tensor& context) const {
  const at::Tensor whole = sees_whole_ ? linear(whole_, segment_mean(context, graphs.graph_offsets)) : at::Tensor();
  const at::Tensor first = activate(linear(first_, pair_view(graphs, context, whole)), Activation::kRelu);
  const at::Tensor second = activate(linear(second_, first), Activation::kRelu);
  return linear(last_, second);
}

}  // namespace factorgcn::aligned
