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

/// What is known of a pair beside its ends.
constexpr std::int64_t kPairColumns = 5;

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

EdgeScorer::EdgeScorer(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t factors) {
  for (std::int64_t index = 0; index < blocks; ++index) {
    blocks_.push_back(make_block(maker, "context" + std::to_string(index + 1), index == 0 ? 2 : width, width));
  }
  whole_ = maker.linear("whole", width, width);
  first_ = maker.linear("score1", 4 * width + kPairColumns, width);
  second_ = maker.linear("score2", width, width);
  last_ = maker.linear("score3", width, factors);
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
  const at::Tensor whole = linear(whole_, segment_mean(context, graphs.graph_offsets));
  const at::Tensor known = at::cat({left + right, (left - right).abs(), left * right,
                                    gather_rows(whole, graphs.graph_of_pair, {graphs.pair_offsets, {}}),
                                    pair_columns(graphs, type())},
                                   1);
  const at::Tensor first = activate(linear(first_, known), Activation::kRelu);
  const at::Tensor second = activate(linear(second_, first), Activation::kRelu);
  return linear(last_, second);
}

}  // namespace factorgcn::aligned
