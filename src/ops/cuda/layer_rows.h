// One layer with its discriminator on graphs of any size, as launches one after the other: what layer_rows.cpp and
// layer_rows_judge.cpp share.
#pragma once

#include <ATen/ops/empty.h>
#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <vector>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/cuda/beside.h"
#include "ops/cuda/dense.h"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/layer_inputs.h"
#include "ops/cuda/put_off_sums.h"

namespace factorgcn::cuda {

inline constexpr const char* kLayerRows = "layer_in_rows";  // the operation's name

/// What is kept of a layer for its backward pass. `out`, `gate_sum` and `p` are for the discriminator, which may read
/// them on its own stream long after the caller has dropped them: their memory must not be given to anyone before it
/// has ended.
struct KeptRows {
  at::Tensor hidden, gates;                            // [N, d], [N, 2K]
  at::Tensor out, gate_sum;                            // [N, K, d], [N, K]
  at::Tensor slopes, slope_sum;                        // likewise
  at::Tensor p, judge_p, judge_gate_sum, judge_gates;  // p, and the gradients of it, of the gate sum and the gates
  at::Tensor first_partials, second_partials, classifier_partials;  // and of its weights, still in parts

  std::vector<at::Tensor> list() const {
    return {hidden,  gates,          out,         gate_sum,       slopes,          slope_sum,          p,
            judge_p, judge_gate_sum, judge_gates, first_partials, second_partials, classifier_partials};
  }
  static KeptRows from(const torch::autograd::variable_list& saved) {
    const auto at = [&](int index) { return saved[LayerInputs::kTensors + index]; };
    return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), at(12)};
  }
};

/// What goes into a layer's backward pass over the edges, from the layers above and its discriminator together, and
/// what comes out of it.
struct JoinedGradient {
  at::Tensor out, gate_sum;  // [N, K, d]; [N, K], or undefined where there is no discriminator
};
struct MappedGradient {
  at::Tensor hidden, gates;  // [N, d], [N, 2K]
};

/// One layer's work, forward and backward, in one floating-point type. Used for a moment, then dropped.
template <class T>
struct RowsLayer {
  LayerInputs& in;
  cudaStream_t stream;

  at::TensorOptions options() const { return in.x.options(); }
  int width() const { return static_cast<int>(in.width()); }
  int factors() const { return static_cast<int>(in.factors()); }
  static T* place(const at::Tensor& tensor) { return tensor.defined() ? tensor.data_ptr<T>() : nullptr; }
  std::int64_t node_factors() const { return in.nodes() * in.factors(); }

  // The layer: layer_rows.cpp.
  void forward(KeptRows& kept, bool training) const;
  /// The gradients of all inputs, in their order; `scale` is the loss's own gradient, or undefined.
  torch::autograd::variable_list backward(const KeptRows& kept, const at::Tensor& grad_out, const at::Tensor& scale,
                                          bool wants_x, Taken* taken) const;

  // Its discriminator: layer_rows_judge.cpp.
  /// Memory for what judge() leaves to the backward pass.
  void make_room_to_judge(KeptRows& kept, bool training) const;
  /// `beside`: the stream this is asked of, to be marked, or null.
  void judge(const KeptRows& kept, const at::Tensor& loss, bool training, Beside* beside) const;
  /// Back through p = tanh(L1 out + l1 g).
  DenseBackward<T> judge_first(const KeptRows& kept) const;

  // What both are made of.

  /// y = tanh(x W^T + scale b).
  void dense(const at::Tensor& x, std::int64_t rows, const at::Tensor& weight, const at::Tensor& bias,
             const at::Tensor& bias_scale, bool tanh, const at::Tensor& y) const {
    run_dense(dense_problem(x, rows, weight, bias, bias_scale, tanh, y), stream);
  }

  static DenseForward<T> dense_problem(const at::Tensor& x, std::int64_t rows, const at::Tensor& weight,
                                       const at::Tensor& bias, const at::Tensor& bias_scale, bool tanh,
                                       const at::Tensor& y) {
    DenseForward<T> p;
    p.rows = rows;
    p.in = static_cast<int>(weight.size(1));
    p.out = static_cast<int>(weight.size(0));
    p.x = place(x);
    p.weight = place(weight);
    p.bias = place(bias);
    p.bias_scale = place(bias_scale);
    p.tanh = tanh;
    p.y = place(y);
    return p;
  }

  DenseBackward<T> dense_backward(const at::Tensor& grad_y, const at::Tensor& y, const at::Tensor& x, std::int64_t rows,
                                  const at::Tensor& weight, const at::Tensor& bias,
                                  const at::Tensor& bias_scale) const {
    DenseBackward<T> p;
    p.rows = rows;
    p.in = static_cast<int>(weight.size(1));
    p.out = static_cast<int>(weight.size(0));
    p.grad_y = place(grad_y);
    p.y = place(y);
    p.x = place(x);
    p.weight = place(weight);
    p.bias = place(bias);
    p.bias_scale = place(bias_scale);
    return p;
  }

  /// A map's weights' gradient is to be left in parts, in memory as new_partials() has it.
  static void leave_partials(DenseBackward<T>& p, const at::Tensor& partials) {
    p.partials = place(partials);
    p.leaves_partials = true;
  }
  at::Tensor new_partials(std::int64_t rows, const at::Tensor& weight) const {
    const auto in_columns = static_cast<int>(weight.size(1)), out_columns = static_cast<int>(weight.size(0));
    return at::empty({weight_partials(rows, in_columns, out_columns)}, options());
  }

  /// Gated sums over edges of a table: [N, d] or [N, K, d].
  Inputs gated(const at::Tensor& table, const at::Tensor& gates) const {
    return Inputs(kLayerRows, {table}, gates.narrow(1, 0, in.factors()), gates.narrow(1, in.factors(), in.factors()),
                  optional(in.source_weight), optional(in.target_weight),
                  {in.in_offsets, in.in_sources, in.out_offsets, in.out_targets, {}}, in.gate_scale);
  }

  /// Each way there are two passes over the edges: the layer's own and its discriminator's.
  enum PassOf { kOwn, kJudge };
  static_assert(kJudge + 1 == kLayerPasses);

  LongRows long_rows(const at::Tensor& lists, PassOf pass) const {
    return LongRowLists(lists, in.nodes(), in.in_sources.numel())
        .rows(static_cast<int>(in.layer) * kLayerPasses + pass);
  }

  /// tanh(W A + b g) of a pass's sums A can be left to the pass.
  static bool maps_in_pass(const at::Tensor& weight) { return can_map_rows(weight.size(1), weight.size(0)); }
  static RowMap<T> row_map(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& y) {
    return {static_cast<int>(weight.size(0)), place(weight), place(bias), place(y)};
  }

  void sum_forward(const at::Tensor& table, const at::Tensor& gates, const at::Tensor& result, const at::Tensor& slopes,
                   const at::Tensor& gate_sum, const at::Tensor& slope_sum, const RowMap<T>& row_map,
                   const LongRows& long_rows) const {
    const Inputs inputs = gated(table, gates);
    auto p = inputs.template problem<T>(true);
    p.may_slice = true;
    p.tables[0].result = place(result);
    p.tables[0].slopes = place(slopes);
    p.gate_result = place(gate_sum);
    p.slope_sum = place(slope_sum);
    p.row_map = row_map;
    inputs.run(p, slopes.defined() ? Pass::kSloped : Pass::kForward, long_rows, stream);
  }

  PassProblem<T> back_problem(const Inputs& inputs, const at::Tensor& grad_out, const at::Tensor& slopes,
                              const at::Tensor& grad_table, const at::Tensor& grad_gates) const {
    auto p = inputs.template problem<T>(false);
    p.may_slice = true;
    p.tables[0].grad_out = place(grad_out);
    p.tables[0].slopes = place(slopes);
    p.tables[0].result = place(grad_table);
    p.gate_result = place(grad_gates);
    p.target_result = p.gate_result + factors();
    p.gate_result_stride = 2 * factors();
    return p;
  }

  at::Tensor new_p() const { return at::empty({in.nodes(), in.factors(), in.narrow()}, options()); }

 private:
  /// h and the gates, in one launch where the kernel can and rows are few: its second map is not the faster one.
  void project(const KeptRows& kept) const;
  /// Where the caller has not done so for all layers.
  void find_long() const;
  JoinedGradient join(const KeptRows& kept, const at::Tensor& grad_out, const at::Tensor& scale) const;
  MappedGradient pass_back(const KeptRows& kept, const JoinedGradient& upstream, const at::Tensor& scale) const;
  /// Where the sums of the weights' gradients may be left, or null.
  std::shared_ptr<PutOffSums> put_off(const KeptRows& kept, const at::Tensor& scale, const Taken* taken) const;
  /// One map's partial sums; its gradients, new, are put behind the results.
  PartialSums<T> set_of(const at::Tensor& partials, int blocks, const at::Tensor& weight, const at::Tensor& bias,
                        const at::Tensor& scale, torch::autograd::variable_list& results) const;
  /// Those of all maps; `later`: to whom the gradients are promised, or null.
  PartialSumSets<T> sets_of(const KeptRows& kept, const at::Tensor& partials, const at::Tensor& gate_partials,
                            const at::Tensor& scale, PutOffSums* later, torch::autograd::variable_list& results) const;
  /// First what the layer's own backward pass waits for, then the sums of the weights' gradients.
  void judge_backward(const KeptRows& kept, const at::Tensor& slopes, const at::Tensor& sums, const at::Tensor& q,
                      const at::Tensor& grad_means, Beside* beside) const;
};

}  // namespace factorgcn::cuda
