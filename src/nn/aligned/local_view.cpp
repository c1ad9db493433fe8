// Libtorch's own operations on [P, K].
#include "nn/aligned/local_view.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Reduction.h>
#include <ATen/ops/binary_cross_entropy_with_logits.h>

#include <algorithm>

namespace factorgcn::aligned {
namespace {

/// 1 for the labels that a pair may have. In a graph without labels: all, which says nothing.
at::Tensor possible_labels(const PairGraphs& graphs, const at::Tensor& labels) {
  const at::Tensor of_graphs = labels.gt(0).logical_or(labels.gt(0).any(1, true).logical_not());
  return of_graphs.index_select(0, graphs.graph_of_pair);
}

at::Tensor only_possible(const at::Tensor& scores, const at::Tensor& possible) {
  constexpr double kImpossible = -1e9;
  return scores.masked_fill(possible.logical_not(), kImpossible);
}

}  // namespace

LocalView::LocalView(WeightMaker& maker, std::int64_t blocks, std::int64_t width, std::int64_t labels)
    : scorer_(maker, blocks, width, labels, "local_", /*sees_whole=*/false) {}

at::Tensor LocalView::guesses(const PairGraphs& graphs, const at::Tensor& labels, Moments moments) const {
  const at::Tensor scores = scorer_.scores(graphs, scorer_.context(graphs, moments));
  return only_possible(scores, possible_labels(graphs, labels)).softmax(1) *
         labels.gt(0).index_select(0, graphs.graph_of_pair);
}

LocalView::Taught LocalView::teach(const PairGraphs& graphs, const at::Tensor& scores, const at::Tensor& labels,
                                   Moments moments) const {
  const at::Tensor local = scorer_.scores(graphs, scorer_.context(graphs, moments));
  const at::Tensor possible = only_possible(local, possible_labels(graphs, labels));
  const at::Tensor missed = local.logsumexp({1}) - possible.logsumexp({1});
  const at::Tensor guessed = possible.detach().softmax(1) * labels.gt(0).index_select(0, graphs.graph_of_pair);
  const at::Tensor wanted = (guessed * graphs.multiplicity.unsqueeze(1)).clamp_max(1);
  const double pairs = static_cast<double>(std::max<std::int64_t>(scores.size(0), 1));
  // From scores, so that an edge which is sure and wrong learns, too.
  const at::Tensor apart = at::binary_cross_entropy_with_logits(scores, wanted, {}, {}, at::Reduction::Sum);
  return {missed.sum() / pairs, apart / pairs};
}

}  // namespace factorgcn::aligned
