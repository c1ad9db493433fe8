// What one layer and its discriminator hand to the kernels in a training step (src/ops/cuda/layer_rows.h), without
// libtorch. gpu_chain_layers_test.cpp holds the launches against those of the operations.
#pragma once

#include <array>

#include "device_memory.h"
#include "ops/cuda/aggregate.h"
#include "ops/cuda/batch_norm.h"
#include "ops/cuda/dense.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/judge_graphs.h"
#include "random_graph.h"

namespace factorgcn::bench {

inline constexpr int kColumns = 64;  // of every layer, in and out

/// Memory for a map's gradient in parts.
inline void leave_partials(cuda::DenseBackward<float>& map) {
  map.grad_x = map.grad_bias_scale = nullptr;
  map.scale = map.joins_x = map.joins_bias_scale = nullptr;
  map.partials = values<float>(static_cast<std::size_t>(cuda::weight_partials(map.rows, map.in, map.out)));
  map.leaves_partials = true;
}

/// The sums of `blocks` parts of the gradient of a map [out, in] with its bias.
inline cuda::PartialSums<float> sums_of(const float* partials, int blocks, int in, int out) {
  cuda::PartialSums<float> sums;
  sums.partials = partials;
  sums.blocks = blocks;
  sums.stride = std::int64_t(out) * (in + 1);
  sums.count = 1;
  sums.maps[0].rows = out;
  sums.maps[0].columns = in;
  sums.maps[0].weight = values<float>(static_cast<std::size_t>(out) * in);
  sums.maps[0].bias = values<float>(static_cast<std::size_t>(out));
  return sums;
}
inline cuda::PartialSums<float> sums_of(const cuda::DenseBackward<float>& map) {
  return sums_of(map.partials, cuda::weight_ranges(map.rows, map.in, map.out), map.in, map.out);
}

class LayerLaunches {
 public:
  cuda::DenseForward<float> project;
  cuda::PassProblem<float> forward, back;
  cuda::BatchNorm<float> norm;
  cuda::DenseBackward<float> map_back, weights, gate_weights;
  // The discriminator's.
  cuda::PassProblem<float> judge, judge_back;
  const float* judged_rows = nullptr;
  float* parts = nullptr;
  cuda::JudgeGraphs<float> score;
  cuda::DenseBackward<float> second_back, join, first_weights, second_weights;
  /// To be added up: the layer's two maps, then its discriminator's two and its scores.
  std::array<cuda::PartialSums<float>, 5> sets;

  /// `number`: the layer's, from 0 on; `x`: its input, [nodes, kColumns].
  LayerLaunches(const RandomGraph& graph, int number, int factors, const float* x)
      : graph_(graph), number_(number), factors_(factors), width_(kColumns / factors), narrow_(width_ / 2) {
    hidden_ = table();
    gates_ = per_factor(2);
    gate_sum_ = per_factor();
    p_ = table();
    first_ = weight();
    first_bias_ = weight();
    second_ = weight();
    second_bias_ = weight();
    make_forward(x);
    make_judge();
    make_backward(x);
    make_norm();
  }

 private:
  float* table() const { return values<float>(static_cast<std::size_t>(graph_.nodes) * kColumns); }
  float* per_factor(std::size_t each = 1) const {
    return values<float>(static_cast<std::size_t>(graph_.nodes) * static_cast<std::size_t>(factors_) * each);
  }
  static float* weight() { return values<float>(std::size_t(kColumns) * kColumns); }  // or a bias: no smaller

  /// Each way the layer has two passes: its own and its discriminator's.
  enum PassOf { kOwn, kJudge };

  /// One table, [nodes, width] or for each factor.
  cuda::PassProblem<float> pass(bool by_target, PassOf of, const cuda::PassTable<float>& table) const {
    const EdgeList& edges = by_target ? graph_.by_target : graph_.by_source;
    cuda::PassProblem<float> problem;
    problem.rows = graph_.nodes;
    problem.edges = graph_.edges;
    problem.factors = factors_;
    problem.offsets = edges.offsets;
    problem.neighbours = edges.neighbours;
    problem.own_gate = by_target ? gates_ + factors_ : gates_;
    problem.their_gate = by_target ? gates_ : gates_ + factors_;
    problem.gate_stride = 2 * factors_;
    problem.own_weight = problem.their_weight = graph_.node_weights;
    problem.num_tables = 1;
    problem.tables[0] = table;
    problem.gate_result_stride = factors_;
    if (!by_target) {  // both gradients of a node's gates, side by side
      problem.gate_result = per_factor(2);
      problem.target_result = problem.gate_result + factors_;
      problem.gate_result_stride = 2 * factors_;
    }
    problem.may_slice = true;
    problem.long_rows = edges.long_rows(number_ * 2 + of);
    if (problem.long_rows.longest > 0) {
      problem.long_rows.sums = values<char>(cuda::long_row_sums(problem));
    }
    return problem;
  }

  cuda::DenseBackward<float> map(std::int64_t rows, int in, int out, const float* grad_y, const float* y,
                                 const float* x, const float* by, const float* bias, const float* bias_scale) const {
    cuda::DenseBackward<float> problem;
    problem.rows = rows;
    problem.in = in;
    problem.out = out;
    problem.grad_y = grad_y;
    problem.y = y;
    problem.x = x;
    problem.weight = by;
    problem.bias = bias;
    problem.bias_scale = bias_scale;
    return problem;
  }

  void make_forward(const float* x) {
    project.rows = graph_.nodes;
    project.in = kColumns;
    project.out = width_;
    project.x = x;
    project.weight = weight();
    project.bias = weight();
    project.y = hidden_;
    project.next_weight = weight();
    project.next_bias = weight();
    project.next_out = 2 * factors_;
    project.next_y = gates_;
    forward = pass(true, kOwn, {false, width_, hidden_, nullptr, table(), table()});
    forward.gate_result = gate_sum_;
    forward.slope_sum = per_factor();
    forward.row_map = {narrow_, first_, first_bias_, p_};
  }

  void make_judge() {
    float* const q = table();
    judge = pass(true, kJudge, {true, narrow_, p_, nullptr, table(), table()});
    judge.row_map = {width_, second_, second_bias_, q};

    judged_rows = q;
    score.graphs = 1;
    score.graph_offsets = graph_.graph_offsets;
    score.factors = factors_;
    score.width = width_;
    score.parts = cuda::segment_parts(1, graph_.nodes);
    parts = values<float>(static_cast<std::size_t>(score.parts) * kColumns);
    score.sums = parts;
    score.weight = weight();
    score.bias = weight();
    score.losses = values<double>(1);
    score.loss = values<float>(1);
    score.grad_means = weight();
    score.partials = weight();

    second_back = map(graph_.nodes * factors_, narrow_, width_, score.grad_means, q, judge.tables[0].result, second_,
                      second_bias_, gate_sum_);
    second_back.graph_offsets = graph_.graph_offsets;
    second_back.graphs = 1;
    second_back.factors = factors_;
    second_weights = second_back;
    leave_partials(second_weights);
    second_back.grad_x = table();
    second_back.grad_bias_scale = per_factor();
    judge_back = pass(false, kJudge, {true, narrow_, p_, second_back.grad_x, table(), judge.tables[0].slopes});
  }

  void make_backward(const float* x) {
    join = map(graph_.nodes * factors_, width_, narrow_, judge_back.tables[0].result, p_, forward.tables[0].result,
               first_, first_bias_, gate_sum_);
    first_weights = join;
    leave_partials(first_weights);
    join.grad_x = table();
    join.grad_bias_scale = per_factor();
    join.scale = values<float>(1);
    join.joins_x = table();
    join.joins_bias_scale = second_back.grad_bias_scale;

    back = pass(false, kOwn, {false, width_, hidden_, join.grad_x, table(), forward.tables[0].slopes});
    back.grad_gate_sum = join.grad_bias_scale;
    back.slope_sum = forward.slope_sum;
    back.gate_map = project.next_weight;
    back.other_gates = judge_back.gate_result;
    back.other_scale = join.scale;

    map_back =
        map(graph_.nodes, kColumns, width_, back.tables[0].result, nullptr, x, project.weight, project.bias, nullptr);
    weights = map_back;
    leave_partials(weights);
    map_back.grad_x = table();
    gate_weights = map(graph_.nodes, width_, 2 * factors_, back.gate_result, nullptr, hidden_, project.next_weight,
                       project.next_bias, nullptr);
    leave_partials(gate_weights);
    sets = {sums_of(weights), sums_of(gate_weights), sums_of(first_weights), sums_of(second_weights),
            sums_of(score.partials, cuda::judge_blocks(1), width_, factors_)};
  }

  void make_norm() {
    norm.rows = graph_.nodes;
    norm.columns = kColumns;
    norm.x = forward.tables[0].result;
    for (float** const column :
         {&norm.mean, &norm.variance, &norm.running_mean, &norm.running_variance, &norm.grad_gamma, &norm.grad_beta}) {
      *column = weight();
    }
    norm.gamma = weight();
    norm.beta = weight();
    norm.own_moments = true;
    norm.momentum = 0.1f;
    norm.eps = 1e-5f;
    norm.slope = 0;
    norm.partials = values<double>(static_cast<std::size_t>(cuda::batch_norm_partials(graph_.nodes, kColumns)));
    norm.y = table();
    norm.grad_y = table();
    norm.grad_x = const_cast<float*>(join.joins_x);
  }

  const RandomGraph& graph_;
  int number_, factors_, width_, narrow_;
  float *hidden_, *gates_, *gate_sum_, *p_;              // [N, d], [N, 2K], [N, K], [N, K, d / 2]
  float *first_, *first_bias_, *second_, *second_bias_;  // the discriminator's maps
};

}  // namespace factorgcn::bench
