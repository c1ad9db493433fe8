// layer_in_rows on the GPU: a layer and its discriminator on graphs of any size, as one chain of few launches.
//
// Forward: h, gates, then one pass over the edges. The discriminator's loss is a scalar, so its gradient is computed
// along with it, on a second stream, and only scaled in the backward pass:
//
//   p = tanh(L1 out + l1 g),  q = tanh(L2 A(p) + l2 g),  judge_graphs(mean of q)  and back to p,
//
// with A the gated sum and g the sum of the gates. p and q are found by the passes that sum what they map, p by the
// layer's own, where the maps are small. Backward: the last of these maps back adds its result to what comes
// from the layers above, one pass over the edges takes it through the gates as well, and the weights' partial sums are
// added in one launch at the end, or left to the end of the step (put_off_sums.h).
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/cuda/aggregate_inputs.h"
#include "ops/cuda/beside.h"
#include "ops/cuda/dense.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/judge_graphs.h"
#include "ops/cuda/layer_inputs.h"
#include "ops/cuda/put_off_sums.h"
#include "ops/layer_tiles_schema.h"

namespace factorgcn::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "layer_in_rows";

template <class T>
T* place(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

/// What is kept of a layer for its backward pass. `out`, `gate_sum` and `p` are for the discriminator, which may read
/// them on its own stream long after the caller has dropped them: their memory must not be given to anyone before it
/// has ended.
struct Kept {
  at::Tensor hidden, gates;                            // [N, d], [N, 2K]
  at::Tensor out, gate_sum;                            // [N, K, d], [N, K]
  at::Tensor slopes, slope_sum;                        // likewise
  at::Tensor p, judge_p, judge_gate_sum, judge_gates;  // p, and the gradients of it, of the gate sum and the gates
  at::Tensor first_partials, second_partials, classifier_partials;  // and of its weights, still in parts

  std::vector<at::Tensor> list() const {
    return {hidden,  gates,          out,         gate_sum,       slopes,          slope_sum,          p,
            judge_p, judge_gate_sum, judge_gates, first_partials, second_partials, classifier_partials};
  }
  static Kept from(const variable_list& saved) {
    const auto at = [&](int index) { return saved[LayerInputs::kTensors + index]; };
    return {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7), at(8), at(9), at(10), at(11), at(12)};
  }
};

/// One layer's work, forward and backward, in one floating-point type.
template <class T>
struct RowsLayer {
  LayerInputs& in;
  cudaStream_t stream;

  at::TensorOptions options() const { return in.x.options(); }
  int width() const { return static_cast<int>(in.width()); }
  int factors() const { return static_cast<int>(in.factors()); }
  std::int64_t node_factors() const { return in.nodes() * in.factors(); }

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
    p.x = place<T>(x);
    p.weight = place<T>(weight);
    p.bias = place<T>(bias);
    p.bias_scale = place<T>(bias_scale);
    p.tanh = tanh;
    p.y = place<T>(y);
    return p;
  }

  /// h and the gates, in one launch where the kernel can and rows are few: its second map is not the faster one.
  void project(const Kept& kept) const {
    constexpr std::int64_t kFewRows = 1 << 16;
    auto p = dense_problem(in.x, in.nodes(), in.weight, in.bias, {}, false, kept.hidden);
    const bool together = in.nodes() <= kFewRows && can_follow(width(), 2 * factors());
    if (together) {
      p.next_weight = place<T>(in.gate_weight);
      p.next_bias = place<T>(in.gate_bias);
      p.next_out = 2 * factors();
      p.next_y = place<T>(kept.gates);
    }
    run_dense(p, stream);
    if (!together) {
      dense(kept.hidden, in.nodes(), in.gate_weight, in.gate_bias, {}, false, kept.gates);
    }
  }

  DenseBackward<T> dense_backward(const at::Tensor& grad_y, const at::Tensor& y, const at::Tensor& x, std::int64_t rows,
                                  const at::Tensor& weight, const at::Tensor& bias,
                                  const at::Tensor& bias_scale) const {
    DenseBackward<T> p;
    p.rows = rows;
    p.in = static_cast<int>(weight.size(1));
    p.out = static_cast<int>(weight.size(0));
    p.grad_y = place<T>(grad_y);
    p.y = place<T>(y);
    p.x = place<T>(x);
    p.weight = place<T>(weight);
    p.bias = place<T>(bias);
    p.bias_scale = place<T>(bias_scale);
    return p;
  }

  /// A map's weights' gradient is to be left in parts, in memory as new_partials() has it.
  static void leave_partials(DenseBackward<T>& p, const at::Tensor& partials) {
    p.partials = place<T>(partials);
    p.leaves_partials = true;
  }
  at::Tensor new_partials(std::int64_t rows, const at::Tensor& weight) const {
    const auto in_columns = static_cast<int>(weight.size(1)), out_columns = static_cast<int>(weight.size(0));
    return at::empty({weight_partials(rows, in_columns, out_columns)}, options());
  }

  /// Gated sums over edges of a table: [N, d] or [N, K, d].
  Inputs gated(const at::Tensor& table, const at::Tensor& gates) const {
    return Inputs(kName, {table}, gates.narrow(1, 0, in.factors()), gates.narrow(1, in.factors(), in.factors()),
                  optional(in.source_weight), optional(in.target_weight),
                  {in.in_offsets, in.in_sources, in.out_offsets, in.out_targets, {}}, in.gate_scale);
  }

  /// Each way there are two passes over the edges: the layer's own and its discriminator's.
  enum PassOf { kOwn, kJudge };
  static_assert(kJudge + 1 == kLayerPasses);

  /// Where the caller has not done so for all layers.
  void find_long() const {
    if (in.long_targets.defined() || in.long_sources.defined()) {
      return;
    }
    const std::int64_t edges = in.in_sources.numel();
    const LongRowLists targets(in.in_offsets, edges, kLayerPasses), sources(in.out_offsets, edges, kLayerPasses);
    in.long_targets = targets.memory();
    in.long_sources = sources.memory();
    in.layer = 0;
    find_long_rows(targets.search(in.in_offsets), sources.search(in.out_offsets), stream);
  }
  LongRows long_rows(const at::Tensor& lists, PassOf pass) const {
    return LongRowLists(lists, in.nodes(), in.in_sources.numel())
        .rows(static_cast<int>(in.layer) * kLayerPasses + pass);
  }

  /// tanh(W A + b g) of a pass's sums A can be left to the pass.
  static bool maps_in_pass(const at::Tensor& weight) { return can_map_rows(weight.size(1), weight.size(0)); }
  static RowMap<T> row_map(const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& y) {
    return {static_cast<int>(weight.size(0)), place<T>(weight), place<T>(bias), place<T>(y)};
  }

  void sum_forward(const at::Tensor& table, const at::Tensor& gates, const at::Tensor& result, const at::Tensor& slopes,
                   const at::Tensor& gate_sum, const at::Tensor& slope_sum, const RowMap<T>& row_map,
                   const LongRows& long_rows) const {
    const Inputs inputs = gated(table, gates);
    auto p = inputs.template problem<T>(true);
    p.may_slice = true;
    p.tables[0].result = place<T>(result);
    p.tables[0].slopes = place<T>(slopes);
    p.gate_result = place<T>(gate_sum);
    p.slope_sum = place<T>(slope_sum);
    p.row_map = row_map;
    inputs.run(p, slopes.defined() ? Pass::kSloped : Pass::kForward, long_rows, stream);
  }

  PassProblem<T> back_problem(const Inputs& inputs, const at::Tensor& grad_out, const at::Tensor& slopes,
                              const at::Tensor& grad_table, const at::Tensor& grad_gates) const {
    auto p = inputs.template problem<T>(false);
    p.may_slice = true;
    p.tables[0].grad_out = place<T>(grad_out);
    p.tables[0].slopes = place<T>(slopes);
    p.tables[0].result = place<T>(grad_table);
    p.gate_result = place<T>(grad_gates);
    p.target_result = p.gate_result + factors();
    p.gate_result_stride = 2 * factors();
    return p;
  }

  at::Tensor new_p() const { return at::empty({in.nodes(), in.factors(), in.narrow()}, options()); }

  /// Memory for what judge() leaves to the backward pass.
  void make_room_to_judge(Kept& kept, bool training) const {
    if (!maps_in_pass(in.judge[0])) {
      kept.p = new_p();
    }
    if (training) {
      kept.judge_gate_sum = at::empty(kept.gate_sum.sizes(), options());
      kept.judge_p = at::empty(kept.p.sizes(), options());
      kept.judge_gates = at::empty(kept.gates.sizes(), options());
      kept.first_partials = new_partials(node_factors(), in.judge[0]);
      kept.second_partials = new_partials(node_factors(), in.judge[2]);
      kept.classifier_partials = at::empty({judge_blocks(in.graphs()) * in.factors() * (in.width() + 1)}, options());
    }
  }

  void forward(Kept& kept, bool training) const {
    const std::int64_t nodes = in.nodes(), k = in.factors();
    kept.hidden = at::empty({nodes, in.width()}, options());
    kept.gates = at::empty({nodes, 2 * k}, options());
    kept.out = at::empty({nodes, k, in.width()}, options());
    kept.gate_sum = at::empty({nodes, k}, options());
    if (training) {
      kept.slopes = at::empty(kept.out.sizes(), options());
      kept.slope_sum = at::empty(kept.gate_sum.sizes(), options());
    }
    find_long();
    project(kept);
    RowMap<T> first_map;
    if (in.judged() && maps_in_pass(in.judge[0])) {
      kept.p = new_p();
      first_map = row_map(in.judge[0], in.judge[1], kept.p);
    }
    sum_forward(kept.hidden, kept.gates, kept.out, kept.slopes, kept.gate_sum, kept.slope_sum, first_map,
                long_rows(in.long_targets, kOwn));
  }

  /// `beside`: the stream this is asked of, to be marked, or null.
  void judge(const Kept& kept, const at::Tensor& loss, bool training, Beside* beside) const {
    const std::int64_t nodes = in.nodes(), k = in.factors(), rows = node_factors(), columns = k * in.width();
    if (!maps_in_pass(in.judge[0])) {
      dense(kept.out, rows, in.judge[0], in.judge[1], kept.gate_sum, true, kept.p);
    }
    const at::Tensor sums = at::empty(kept.p.sizes(), options());
    const at::Tensor slopes = training ? at::empty(sums.sizes(), options()) : at::Tensor();
    const at::Tensor q = at::empty({nodes, k, in.width()}, options());
    const bool maps = maps_in_pass(in.judge[2]);
    sum_forward(kept.p, kept.gates, sums, slopes, {}, {}, maps ? row_map(in.judge[2], in.judge[3], q) : RowMap<T>{},
                long_rows(in.long_targets, kJudge));
    if (!maps) {
      dense(sums, rows, in.judge[2], in.judge[3], kept.gate_sum, true, q);
    }
    JudgeGraphs<T> judged;
    judged.graphs = in.graphs();
    judged.graph_offsets = in.graph_offsets.template data_ptr<std::int64_t>();
    judged.real_graphs = values_or_null<std::int64_t>(in.real_graphs);
    judged.factors = factors();
    judged.width = width();
    judged.parts = segment_parts(in.graphs(), nodes);
    const at::Tensor parts = at::empty({in.graphs() * judged.parts * columns}, options());
    reduce_segment_parts<T>(place<T>(q), judged.graph_offsets, in.graphs(), nodes, columns, place<T>(parts), stream);
    const int blocks = judge_blocks(in.graphs());
    const at::Tensor losses = at::empty({blocks}, options().dtype(at::kDouble));
    at::Tensor grad_means;
    if (training) {
      grad_means = at::empty({in.graphs(), k, in.width()}, options());
    }
    judged.sums = place<T>(parts);
    judged.weight = place<T>(in.judge[4]);
    judged.bias = place<T>(in.judge[5]);
    judged.losses = losses.template data_ptr<double>();
    judged.loss = place<T>(loss);
    judged.grad_means = place<T>(grad_means);
    judged.partials = place<T>(kept.classifier_partials);
    judge_graphs(judged, stream);
    if (beside != nullptr) {
      beside->mark_loss();
    }
    if (training) {
      judge_backward(kept, slopes, sums, q, grad_means, beside);
    }
  }

  /// First what the layer's own backward pass waits for, then the sums of the weights' gradients.
  void judge_backward(const Kept& kept, const at::Tensor& slopes, const at::Tensor& sums, const at::Tensor& q,
                      const at::Tensor& grad_means, Beside* beside) const {
    const std::int64_t rows = node_factors();
    const at::Tensor grad_sums = at::empty(sums.sizes(), options());
    auto second = dense_backward(grad_means, q, sums, rows, in.judge[2], in.judge[3], kept.gate_sum);
    second.graph_offsets = in.graph_offsets.template data_ptr<std::int64_t>();
    second.graphs = in.graphs();
    second.factors = factors();
    auto map = second;
    map.grad_x = place<T>(grad_sums);
    map.grad_bias_scale = place<T>(kept.judge_gate_sum);
    run_dense_backward(map, stream);

    const Inputs inputs = gated(kept.p, kept.gates);
    auto pass = back_problem(inputs, grad_sums, slopes, kept.judge_p, kept.judge_gates);
    inputs.run(pass, Pass::kSources, long_rows(in.long_sources, kJudge), stream);
    if (beside != nullptr) {
      beside->mark_gradient();
    }

    auto first = judge_first(kept);
    leave_partials(first, kept.first_partials);
    leave_partials(second, kept.second_partials);
    run_dense_backward(second, first, stream);
    if (beside != nullptr) {
      beside->mark_weights();
    }
  }

  /// Back through p = tanh(L1 out + l1 g).
  DenseBackward<T> judge_first(const Kept& kept) const {
    return dense_backward(kept.judge_p, kept.p, kept.out, node_factors(), in.judge[0], in.judge[1], kept.gate_sum);
  }

  /// The gradients of all inputs, in their order; `scale` is the loss's own gradient, or undefined.
  variable_list backward(const Kept& kept, const at::Tensor& grad_out, const at::Tensor& scale, bool wants_x,
                         Taken* taken) const {
    const std::int64_t nodes = in.nodes();
    const std::shared_ptr<PutOffSums> later = put_off(kept, scale, taken);
    at::Tensor upstream = grad_out, gate_upstream;
    if (scale.defined()) {
      upstream = at::empty(kept.out.sizes(), options());
      gate_upstream = at::empty(kept.gate_sum.sizes(), options());
      auto map = judge_first(kept);
      map.grad_x = place<T>(upstream);
      map.grad_bias_scale = place<T>(gate_upstream);
      map.scale = place<T>(scale);
      map.joins_x = place<T>(grad_out);
      map.joins_bias_scale = place<T>(kept.judge_gate_sum);
      run_dense_backward(map, stream);
    } else if (!upstream.defined()) {
      upstream = at::zeros({nodes, in.factors(), in.width()}, options());
    }
    const at::Tensor grad_hidden = at::empty(kept.hidden.sizes(), options()),
                     grad_gates = at::empty(kept.gates.sizes(), options());
    const Inputs inputs = gated(kept.hidden, kept.gates);
    auto pass = back_problem(inputs, upstream, kept.slopes, grad_hidden, grad_gates);
    pass.grad_gate_sum = place<T>(gate_upstream);
    pass.slope_sum = place<T>(kept.slope_sum);
    pass.gate_map = place<T>(in.gate_weight);
    if (scale.defined()) {
      pass.other_gates = place<T>(kept.judge_gates);
      pass.other_scale = place<T>(scale);
    }
    inputs.run(pass, Pass::kSources, long_rows(in.long_sources, kOwn), stream);

    const at::Tensor grad_x = wants_x ? at::empty(in.x.sizes(), options()) : at::Tensor();
    auto maps = dense_backward(grad_hidden, {}, in.x, nodes, in.weight, in.bias, {}), flows_on = maps;
    auto gate_maps = dense_backward(grad_gates, {}, kept.hidden, nodes, in.gate_weight, in.gate_bias, {});
    const at::Tensor partials = new_partials(nodes, in.weight), gate_partials = new_partials(nodes, in.gate_weight);
    leave_partials(maps, partials);
    leave_partials(gate_maps, gate_partials);

    variable_list results{grad_x};
    PartialSumSets<T> sets;
    const auto add_set = [&](const at::Tensor& parts, int blocks, const at::Tensor& weight, const at::Tensor& bias,
                             const at::Tensor& by) {
      sets.at[sets.count++] = set_of(parts, blocks, weight, bias, by, results);
      if (later != nullptr) {
        later->keep({parts, by});
        later->promise(weight, results[results.size() - 2]);
        later->promise(bias, results.back());
      }
    };
    add_set(partials, ranges(nodes, in.weight), in.weight, in.bias, {});
    add_set(gate_partials, ranges(nodes, in.gate_weight), in.gate_weight, in.gate_bias, {});
    if (scale.defined()) {
      const std::int64_t rows = node_factors();
      add_set(kept.first_partials, ranges(rows, in.judge[0]), in.judge[0], in.judge[1], scale);
      add_set(kept.second_partials, ranges(rows, in.judge[2]), in.judge[2], in.judge[3], scale);
      add_set(kept.classifier_partials, judge_blocks(in.graphs()), in.judge[4], in.judge[5], scale);
    }
    if (later == nullptr) {
      maps.grad_x = place<T>(grad_x);
      run_dense_backward(maps, gate_maps, stream);
      if (taken != nullptr) {
        taken->beside.wait_for_weights(stream);
      }
      add_partial_sums(sets, stream);
      if (taken != nullptr) {
        taken->end();
      }
      return results;
    }
    later->keep({grad_hidden, in.x, grad_gates, kept.hidden});
    if (taken != nullptr) {
      taken->keep_only({kept.out, kept.gate_sum, kept.p, in.graph_offsets});
      later->wait_for(c10::intrusive_ptr<Taken>::reclaim_copy(taken));
    }
    if (taken != nullptr && wants_x) {
      later->sum_beside(taken->beside, {maps, gate_maps}, sets);
    } else {  // nothing flows on from here that the sums could be beside of
      later->form(maps);
      later->form(gate_maps);
      later->add(sets);
    }
    flows_on.grad_x = place<T>(grad_x);
    run_dense_backward(flows_on, stream);
    return results;
  }

  /// Where the sums of the weights' gradients may be left, or null.
  std::shared_ptr<PutOffSums> put_off(const Kept& kept, const at::Tensor& scale, const Taken* taken) const {
    std::int64_t values = weight_partials(in.nodes(), static_cast<int>(in.in()), width()) +
                          weight_partials(in.nodes(), width(), 2 * factors());
    std::vector<at::Tensor> read{in.x, kept.hidden, kept.hidden, kept.gates};  // and gradients of the same size
    if (scale.defined()) {
      read.insert(read.end(), {kept.first_partials, kept.second_partials, kept.classifier_partials});
    }
    if (taken != nullptr) {
      read.insert(read.end(), {kept.out, kept.gate_sum, kept.p});
    }
    for (const at::Tensor& tensor : read) {
      values += tensor.numel();
    }
    return PutOffSums::of(in.weights(scale.defined()), values * static_cast<std::int64_t>(sizeof(T)));
  }

  static int ranges(std::int64_t rows, const at::Tensor& weight) {
    return weight_ranges(rows, static_cast<int>(weight.size(1)), static_cast<int>(weight.size(0)));
  }

  /// One map's partial sums; its gradients, new, are put behind the results.
  PartialSums<T> set_of(const at::Tensor& partials, int blocks, const at::Tensor& weight, const at::Tensor& bias,
                        const at::Tensor& scale, variable_list& results) const {
    PartialSums<T> set;
    set.partials = place<T>(partials);
    set.blocks = blocks;
    set.stride = weight.numel() + bias.numel();
    set.scale = place<T>(scale);
    set.count = 1;
    set.maps[0].rows = static_cast<int>(weight.size(0));
    set.maps[0].columns = static_cast<int>(weight.size(1));
    results.push_back(at::empty(weight.sizes(), options()));
    set.maps[0].weight = place<T>(results.back());
    results.push_back(at::empty(bias.sizes(), options()));
    set.maps[0].bias = place<T>(results.back());
    return set;
  }
};

struct LayerRowsFunction : torch::autograd::Function<LayerRowsFunction> {
  static variable_list forward(AutogradContext* context, const at::Tensor& x, const at::Tensor& weight,
                               const at::Tensor& bias, const at::Tensor& gate_weight, const at::Tensor& gate_bias,
                               const OptionalTensor& first_weight, const OptionalTensor& first_bias,
                               const OptionalTensor& second_weight, const OptionalTensor& second_bias,
                               const OptionalTensor& classifier_weight, const OptionalTensor& classifier_bias,
                               const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                               const at::Tensor& in_offsets, const at::Tensor& in_sources,
                               const at::Tensor& out_offsets, const at::Tensor& out_targets,
                               const at::Tensor& graph_offsets, const OptionalTensor& real_graphs,
                               const OptionalTensor& long_targets, const OptionalTensor& long_sources,
                               std::int64_t layer, double gate_scale, bool beside, bool training) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    const OnDeviceOf device(x);
    LayerInputs inputs = LayerInputs::of(x, weight, bias, gate_weight, gate_bias, first_weight, first_bias,
                                         second_weight, second_bias, classifier_weight, classifier_bias, source_weight,
                                         target_weight, in_offsets, in_sources, out_offsets, out_targets, graph_offsets,
                                         real_graphs, long_targets, long_sources, layer, gate_scale);
    inputs.check(kName);
    inputs.x = kernel_ready(inputs.x);
    Kept kept;
    at::Tensor loss = at::empty({}, inputs.x.options());
    with_floating(inputs.x, kName, [&](auto scalar) {
      using T = decltype(scalar);
      const RowsLayer<T> layer{inputs, device.stream};
      BesideStreams& streams = BesideStreams::on(inputs.x.device().index());
      Taken* const taken = beside && inputs.judged() ? &streams.take(*context, device.stream) : nullptr;
      layer.forward(kept, training);
      if (!inputs.judged()) {
        return;
      }
      if (taken == nullptr) {
        layer.make_room_to_judge(kept, training);
        layer.judge(kept, loss, training, nullptr);
        return;
      }
      Beside& other = taken->beside;
      other.fork(device.stream);
      // All it writes is memory of its own stream: what of it is dropped here is not waited for.
      const c10::cuda::CUDAStreamGuard guard(other.stream);
      loss = at::empty({}, inputs.x.options());
      layer.make_room_to_judge(kept, training);
      Kept read = kept;
      read.out = kept.out.detach();
      streams.put_off(*taken, [inputs, read, to = loss.detach(), training, &other]() mutable {
        const at::AutoDispatchBelowADInplaceOrView without_autograd;
        const c10::cuda::CUDAStreamGuard on(other.stream);
        const RowsLayer<T> judged{inputs, other.stream.stream()};
        judged.judge(read, to, training, &other);
        check_launch();
      });
    });
    check_launch();
    inputs.save(context, kept.list());
    context->saved_data["wants_x"] = x.requires_grad();
    context->set_materialize_grads(false);
    return {kept.out, loss};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative(kName);
    const variable_list saved = context->get_saved_variables();
    LayerInputs inputs = LayerInputs::restore(context, saved);
    const Kept kept = Kept::from(saved);
    const OnDeviceOf device(inputs.x);
    const at::Tensor upstream = grads[0].defined() ? kernel_ready(grads[0]) : at::Tensor();
    const at::Tensor scale = inputs.judged() && grads[1].defined() ? grads[1].contiguous() : at::Tensor();
    Taken* const taken = BesideStreams::taken(*context);
    if (taken != nullptr) {
      taken->wait_for_gradient(device.stream);
    }
    variable_list results;
    with_floating(inputs.x, kName, [&](auto scalar) {
      using T = decltype(scalar);
      const RowsLayer<T> layer{inputs, device.stream};
      results = layer.backward(kept, upstream, scale, context->saved_data["wants_x"].toBool(), taken);
    });
    check_launch();
    results.resize(LayerInputs::kTensors + 4);
    return results;
  }
};

std::tuple<at::Tensor, at::Tensor> layer_in_rows_autograd(
    const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias, const at::Tensor& gate_weight,
    const at::Tensor& gate_bias, const OptionalTensor& first_weight, const OptionalTensor& first_bias,
    const OptionalTensor& second_weight, const OptionalTensor& second_bias, const OptionalTensor& classifier_weight,
    const OptionalTensor& classifier_bias, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& out_targets, const at::Tensor& graph_offsets, const OptionalTensor& real_graphs,
    const OptionalTensor& long_targets, const OptionalTensor& long_sources, std::int64_t layer, double gate_scale,
    bool beside) {
  bool wanted = false;  // whichever of them is trained, the backward pass needs all that is kept for it
  for (const at::Tensor& tensor :
       {x, weight, bias, gate_weight, gate_bias, value_or_undefined(first_weight), value_or_undefined(first_bias),
        value_or_undefined(second_weight), value_or_undefined(second_bias), value_or_undefined(classifier_weight),
        value_or_undefined(classifier_bias)}) {
    wanted = wanted || (tensor.defined() && tensor.requires_grad());
  }
  const bool training = at::GradMode::is_enabled() && wanted;
  auto results = LayerRowsFunction::apply(
      x, weight, bias, gate_weight, gate_bias, first_weight, first_bias, second_weight, second_bias, classifier_weight,
      classifier_bias, source_weight, target_weight, in_offsets, in_sources, out_offsets, out_targets, graph_offsets,
      real_graphs, long_targets, long_sources, layer, gate_scale, beside && training, training);
  return {results[0], results[1]};
}

/// Whether a block's shared memory holds what the kernels keep there.
bool layer_rows_fit(const at::Tensor& x, std::int64_t width, std::int64_t factors) {
  bool fits = false;
  with_floating(x, kName, [&](auto scalar) {
    using T = decltype(scalar);
    fits = static_cast<std::int64_t>(sizeof(T)) * factors * width <= kMaxRowBytes &&
           judge_fits<T>(static_cast<int>(factors), static_cast<int>(width));
  });
  return fits;
}

TORCH_LIBRARY_IMPL(factorgcn, AutogradCUDA, library) { library.impl("layer_in_rows", layer_in_rows_autograd); }
TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) { library.impl("layer_rows_fit", layer_rows_fit); }

}  // namespace
}  // namespace factorgcn::cuda
