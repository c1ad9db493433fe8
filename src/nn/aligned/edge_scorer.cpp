// Composed of the library's operations: gathers to pairs, dense maps, sums over segments.
#include "nn/aligned/edge_scorer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/stack.h>

#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/aligned/gather.h"

namespace factorgcn::aligned {
namespace {

/// What is known of a node at first, and of a pair beside its ends.
constexpr std::int64_t kNodeColumns = 2, kPairColumns = 5;

at::Tensor pair_columns(const PairGraphs& graphs, at::ScalarType type) {
  const at::Tensor multiplicity = graphs.multiplicity.to(type), walks = graphs.walks.to(type);
  const at::Tensor two = walks.select(1, 0);
  return at::stack({multiplicity, two / 3, walks.select(1, 1) / 10, walks.select(1, 2) / 30, two.gt(0).to(type)}, 1);
}

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
  const std::int64_t pairs = graphs.num_pairs();
  const at::Tensor ends = gather_rows(context, graphs.ends, {graphs.arcs.in_offsets, graphs.end_of_arc});
  const at::Tensor left = ends.narrow(0, 0, pairs), right = ends.narrow(0, pairs, pairs);
  std::vector<at::Tensor> known{left + right, (left - right).abs(), left * right};
  if (sees_whole_) {
    const at::Tensor whole = linear(whole_, segment_mean(context, graphs.graph_offsets));
    known.push_back(gather_rows(whole, graphs.graph_of_pair, {graphs.pair_offsets, {}}));
  }
  known.push_back(pair_columns(graphs, type()));
  const at::Tensor first = activate(linear(first_, at::cat(known, 1)), Activation::kRelu);
  const at::Tensor second = activate(linear(second_, first), Activation::kRelu);
  return linear(last_, second);
}

}  // namespace factorgcn::aligned
