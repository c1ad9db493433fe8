// The discriminator on one tile: its loss and, since that is a scalar, at once the gradient of it.
//
// See ops/discriminator_weights.h for the formulas. All values lie in the thread's scratch memory.
#pragma once

#include <cstdint>

#include "ops/cpu/label_loss.h"
#include "ops/cpu/packed_map.h"
#include "ops/cpu/scratch.h"
#include "ops/cpu/tiles.h"

namespace factorgcn::cpu {

template <class T>
struct DiscriminatorMaps {
  PackedMap<T> first, second, classifier;
  bool from_output = false;  // the first convolution follows from the layer's output instead of h

  std::int64_t width() const { return first.in; }
  std::int64_t narrow() const { return first.out; }
  std::int64_t factors() const { return classifier.out; }
  void reserve(PartialSums<T>& sums) {
    sums.add(first);
    sums.add(second);
    sums.add(classifier);
  }
};

/// What judging a tile reads, and where its gradients go.
template <class T>
struct TileCase {
  Tile tile;
  TileEdges<T> edges;                           // with gates; those by source only where gradients are wanted
  const std::int64_t* graph_offsets = nullptr;  // of the whole batch
  std::int64_t graphs = 0;                      // of the whole batch
  const T* x = nullptr;                         // the tile's rows: h [n, d], or the layer's output [n, K, d]
  const T* gate_sum = nullptr;                  // the tile's rows, [n, K]
  T* grad_x = nullptr;                          // as x; may be null where x is the layer's output
  T* grad_sums = nullptr;                       // from_output: where the gradient of the first sums goes, [n, K, m]
  T* block_sums = nullptr;                      // gradients of the weights; null: the loss alone is wanted
};

template <class T>
struct TileJudgement {
  double loss = 0;  // summed over graphs and factors
  // In scratch memory:
  T* dots = nullptr;                 // for tile_gate_backward
  T* grad_gate_sum = nullptr;        // through the second convolution's bias, [n, K]
  T* grad_gate_sum_first = nullptr;  // from_output: through the first one's
};

/// Multiplies groups of `columns` values by their node's weight, where there is one.
template <class T>
void weigh_rows(const TileEdges<T>& edges, std::int64_t columns, T* values) {
  if (edges.target_weight == nullptr) {
    return;
  }
  for (std::int64_t node = edges.node_begin; node < edges.node_end; ++node, values += columns) {
    for (std::int64_t c = 0; c < columns; ++c) {
      values[c] *= edges.target_weight[node];
    }
  }
}

template <class T>
class TileJudge {
 public:
  TileJudge(const DiscriminatorMaps<T>& maps, const TileCase<T>& given, Scratch& scratch)
      : maps_(maps), case_(given), scratch_(scratch), kernel_(kernels().of<T>()) {}

  TileJudgement<T> run() {
    convolve();
    judge();
    if (case_.block_sums != nullptr) {
      judge_backward();
      convolve_backward();
    }
    return result_;
  }

 private:
  std::int64_t nodes() const { return case_.tile.nodes(); }
  std::int64_t rows() const { return nodes() * maps_.factors(); }
  const std::int64_t* offsets() const { return case_.graph_offsets + case_.tile.graph_begin; }
  T* take(std::int64_t count) { return scratch_.take<T>(count); }

  DenseProblem<T> first_problem() const {
    DenseProblem<T> p = maps_.first.problem();
    p.x = case_.x;
    p.bias_scale = maps_.from_output ? case_.gate_sum : nullptr;
    return p;
  }
  DenseProblem<T> second_problem() const {
    DenseProblem<T> p = maps_.second.problem();
    p.x = sums_;
    p.bias_scale = case_.gate_sum;
    return p;
  }
  TileTable<T> table(bool each, const T* x, T* out) const {
    TileTable<T> t;
    t.each = each;
    t.width = maps_.narrow();
    t.x = x;
    t.out = out;
    return t;
  }

  void convolve() {
    const std::int64_t m = maps_.narrow();
    p1_ = take(rows() * m);
    DenseProblem<T> first = first_problem();
    if (maps_.from_output) {
      first.tanh = true;
      first.y = p1_;
      kernel_.dense_rows(first, 0, rows());
    } else {
      mapped_ = first.y = take(nodes() * m);
      kernel_.dense_rows(first, 0, nodes());
      kernel_.tile_sum(case_.edges, table(false, mapped_, p1_));
      kernel_.tanh_values(p1_, p1_, rows() * m);
    }
    sums_ = take(rows() * m);
    kernel_.tile_sum(case_.edges, table(true, p1_, sums_));
    DenseProblem<T> second = second_problem();
    second.tanh = true;
    second.y = p2_ = take(rows() * maps_.width());
    kernel_.dense_rows(second, 0, rows());
  }

  /// From p2 to the loss and the gradient of each graph's scores.
  void judge() {
    const std::int64_t k = maps_.factors(), columns = k * maps_.width(), graphs = case_.tile.graphs();
    means_ = take(graphs * columns);
    kernel_.pool_graphs(p2_, offsets(), graphs, columns, true, means_);
    kernel_.tanh_values(means_, means_, graphs * columns);
    DenseProblem<T> p = maps_.classifier.problem();
    p.x = means_;
    p.y = take(graphs * k * k);
    kernel_.dense_rows(p, 0, graphs * k);
    const T share = T(1) / static_cast<T>(case_.graphs * k);
    grad_logits_ = take(graphs * k * k);
    for (std::int64_t row = 0; row < graphs * k; ++row) {
      result_.loss += label_loss(p.y + row * k, k, row % k, share, grad_logits_ + row * k);
    }
  }

  /// From the scores' gradient to that of p2 before its tanh, which takes p2's place.
  void judge_backward() {
    const std::int64_t k = maps_.factors(), columns = k * maps_.width(), graphs = case_.tile.graphs();
    dense_scratch_ = take(kDenseTileRows * std::max(maps_.width(), k));
    DenseProblem<T> p = maps_.classifier.problem();
    p.x = means_;
    p.grad_y = grad_logits_;
    T* const grad_means = p.grad_x = take(graphs * columns);
    maps_.classifier.backward_rows(p, graphs * k, case_.block_sums, dense_scratch_);
    kernel_.tanh_backward(means_, grad_means, grad_means, graphs * columns);
    kernel_.pooled_tanh_backward(p2_, grad_means, offsets(), graphs, columns, p2_);
  }

  void convolve_backward() {
    const std::int64_t k = maps_.factors(), m = maps_.narrow();
    DenseProblem<T> second = second_problem();
    second.grad_y = p2_;
    T* const grad_sums = second.grad_x = take(rows() * m);
    result_.grad_gate_sum = second.grad_bias_scale = take(rows());
    maps_.second.backward_rows(second, rows(), case_.block_sums, dense_scratch_);
    weigh_rows(case_.edges, k * m, grad_sums);

    result_.dots = take(case_.edges.edges() * k);
    TileTable<T> each = table(true, p1_, nullptr);
    each.grad_out = grad_sums;
    T* const grad_p1 = each.grad_x = case_.grad_sums != nullptr ? case_.grad_sums : take(rows() * m);
    kernel_.tile_sum_backward(case_.edges, each, false, result_.dots);
    kernel_.tanh_backward(p1_, grad_p1, grad_p1, rows() * m);

    DenseProblem<T> first = first_problem();
    first.grad_x = case_.grad_x;
    if (maps_.from_output) {
      first.grad_y = grad_p1;
      result_.grad_gate_sum_first = first.grad_bias_scale = take(rows());
      maps_.first.backward_rows(first, rows(), case_.block_sums, dense_scratch_);
      return;
    }
    weigh_rows(case_.edges, k * m, grad_p1);
    TileTable<T> shared = table(false, mapped_, nullptr);
    shared.grad_out = grad_p1;
    first.grad_y = shared.grad_x = take(nodes() * m);
    kernel_.tile_sum_backward(case_.edges, shared, true, result_.dots);
    maps_.first.backward_rows(first, nodes(), case_.block_sums, dense_scratch_);
  }

  const DiscriminatorMaps<T>& maps_;
  const TileCase<T>& case_;
  Scratch& scratch_;
  const KernelSet<T>& kernel_;
  TileJudgement<T> result_;
  T *mapped_ = nullptr, *p1_ = nullptr, *sums_ = nullptr, *p2_ = nullptr, *means_ = nullptr, *grad_logits_ = nullptr,
    *dense_scratch_ = nullptr;
};

}  // namespace factorgcn::cpu
