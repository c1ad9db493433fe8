// layer_in_rows on the GPU: a layer and its discriminator on graphs of any size, as one chain of few launches.
//
// Forward: h, gates, then one pass over the edges; the discriminator, with its gradient, on a second stream
// (layer_rows_judge.cpp). Backward: the last of its maps back adds its result to what comes from the layers above, one
// pass over the edges takes it through the gates as well, and the weights' partial sums are added in one launch at the
// end, or left to the end of the step (put_off_sums.h).
#include "ops/cuda/layer_rows.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/cuda/judge_graphs.h"

namespace factorgcn::cuda {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

template <class T>
void RowsLayer<T>::find_long() const {
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

template <class T>
void RowsLayer<T>::project(const KeptRows& kept) const {
  constexpr std::int64_t kFewRows = 1 << 16;
  auto p = dense_problem(in.x, in.nodes(), in.weight, in.bias, {}, false, kept.hidden);
  const bool together = in.nodes() <= kFewRows && can_follow(width(), 2 * factors());
  if (together) {
    p.next_weight = place(in.gate_weight);
    p.next_bias = place(in.gate_bias);
    p.next_out = 2 * factors();
    p.next_y = place(kept.gates);
  }
  run_dense(p, stream);
  if (!together) {
    dense(kept.hidden, in.nodes(), in.gate_weight, in.gate_bias, {}, false, kept.gates);
  }
}

template <class T>
void RowsLayer<T>::forward(KeptRows& kept, bool training) const {
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

template <class T>
std::shared_ptr<PutOffSums> RowsLayer<T>::put_off(const KeptRows& kept, const at::Tensor& scale,
                                                  const Taken* taken) const {
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

template <class T>
PartialSums<T> RowsLayer<T>::set_of(const at::Tensor& partials, int blocks, const at::Tensor& weight,
                                    const at::Tensor& bias, const at::Tensor& scale, variable_list& results) const {
  PartialSums<T> set;
  set.partials = place(partials);
  set.blocks = blocks;
  set.stride = weight.numel() + bias.numel();
  set.scale = place(scale);
  set.count = 1;
  set.maps[0].rows = static_cast<int>(weight.size(0));
  set.maps[0].columns = static_cast<int>(weight.size(1));
  results.push_back(at::empty(weight.sizes(), options()));
  set.maps[0].weight = place(results.back());
  results.push_back(at::empty(bias.sizes(), options()));
  set.maps[0].bias = place(results.back());
  return set;
}

namespace {

int ranges(std::int64_t rows, const at::Tensor& weight) {
  return weight_ranges(rows, static_cast<int>(weight.size(1)), static_cast<int>(weight.size(0)));
}

}  // namespace

template <class T>
JoinedGradient RowsLayer<T>::join(const KeptRows& kept, const at::Tensor& grad_out, const at::Tensor& scale) const {
  if (!scale.defined()) {
    return {grad_out.defined() ? grad_out : at::zeros({in.nodes(), in.factors(), in.width()}, options()), {}};
  }
  const JoinedGradient joined{at::empty(kept.out.sizes(), options()), at::empty(kept.gate_sum.sizes(), options())};
  auto map = judge_first(kept);
  map.grad_x = place(joined.out);
  map.grad_bias_scale = place(joined.gate_sum);
  map.scale = place(scale);
  map.joins_x = place(grad_out);
  map.joins_bias_scale = place(kept.judge_gate_sum);
  run_dense_backward(map, stream);
  return joined;
}

template <class T>
MappedGradient RowsLayer<T>::pass_back(const KeptRows& kept, const JoinedGradient& upstream,
                                       const at::Tensor& scale) const {
  const MappedGradient mapped{at::empty(kept.hidden.sizes(), options()), at::empty(kept.gates.sizes(), options())};
  const Inputs inputs = gated(kept.hidden, kept.gates);
  auto pass = back_problem(inputs, upstream.out, kept.slopes, mapped.hidden, mapped.gates);
  pass.grad_gate_sum = place(upstream.gate_sum);
  pass.slope_sum = place(kept.slope_sum);
  pass.gate_map = place(in.gate_weight);
  if (scale.defined()) {
    pass.other_gates = place(kept.judge_gates);
    pass.other_scale = place(scale);
  }
  inputs.run(pass, Pass::kSources, long_rows(in.long_sources, kOwn), stream);
  return mapped;
}

template <class T>
PartialSumSets<T> RowsLayer<T>::sets_of(const KeptRows& kept, const at::Tensor& partials,
                                        const at::Tensor& gate_partials, const at::Tensor& scale, PutOffSums* later,
                                        variable_list& results) const {
  PartialSumSets<T> sets;
  const auto add = [&](const at::Tensor& parts, int blocks, const at::Tensor& weight, const at::Tensor& bias,
                       const at::Tensor& by) {
    sets.at[sets.count++] = set_of(parts, blocks, weight, bias, by, results);
    if (later != nullptr) {
      later->keep({parts, by});
      later->promise(weight, results[results.size() - 2]);
      later->promise(bias, results.back());
    }
  };
  add(partials, ranges(in.nodes(), in.weight), in.weight, in.bias, {});
  add(gate_partials, ranges(in.nodes(), in.gate_weight), in.gate_weight, in.gate_bias, {});
  if (scale.defined()) {
    const std::int64_t rows = node_factors();
    add(kept.first_partials, ranges(rows, in.judge[0]), in.judge[0], in.judge[1], scale);
    add(kept.second_partials, ranges(rows, in.judge[2]), in.judge[2], in.judge[3], scale);
    add(kept.classifier_partials, judge_blocks(in.graphs()), in.judge[4], in.judge[5], scale);
  }
  return sets;
}

template <class T>
variable_list RowsLayer<T>::backward(const KeptRows& kept, const at::Tensor& grad_out, const at::Tensor& scale,
                                     bool wants_x, Taken* taken) const {
  const std::shared_ptr<PutOffSums> later = put_off(kept, scale, taken);
  const MappedGradient mapped = pass_back(kept, join(kept, grad_out, scale), scale);

  const at::Tensor grad_x = wants_x ? at::empty(in.x.sizes(), options()) : at::Tensor();
  auto maps = dense_backward(mapped.hidden, {}, in.x, in.nodes(), in.weight, in.bias, {}), flows_on = maps;
  auto gate_maps = dense_backward(mapped.gates, {}, kept.hidden, in.nodes(), in.gate_weight, in.gate_bias, {});
  const at::Tensor partials = new_partials(in.nodes(), in.weight),
                   gate_partials = new_partials(in.nodes(), in.gate_weight);
  leave_partials(maps, partials);
  leave_partials(gate_maps, gate_partials);
  variable_list results{grad_x};
  const PartialSumSets<T> sets = sets_of(kept, partials, gate_partials, scale, later.get(), results);

  if (later == nullptr) {
    maps.grad_x = place(grad_x);
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
  later->keep({mapped.hidden, in.x, mapped.gates, kept.hidden});
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
  flows_on.grad_x = place(grad_x);
  run_dense_backward(flows_on, stream);
  return results;
}

namespace {

struct LayerRowsFunction : torch::autograd::Function<LayerRowsFunction> {
  template <class... Arguments>
  static variable_list forward(AutogradContext* context, bool training, const Arguments&... arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    LayerInputs inputs = LayerInputs::of(arguments...);
    const bool wants_x = inputs.x.requires_grad(), beside = inputs.beside && training;
    const OnDeviceOf device(inputs.x);
    inputs.check(kLayerRows);
    inputs.x = kernel_ready(inputs.x);
    KeptRows kept;
    at::Tensor loss = at::empty({}, inputs.x.options());
    with_floating(inputs.x, kLayerRows, [&](auto scalar) {
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
      KeptRows read = kept;
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
    context->saved_data["wants_x"] = wants_x;
    context->set_materialize_grads(false);
    return {kept.out, loss};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative(kLayerRows);
    const variable_list saved = context->get_saved_variables();
    LayerInputs inputs = LayerInputs::restore(context, saved);
    const KeptRows kept = KeptRows::from(saved);
    const OnDeviceOf device(inputs.x);
    const at::Tensor upstream = grads[0].defined() ? kernel_ready(grads[0]) : at::Tensor();
    const at::Tensor scale = inputs.judged() && grads[1].defined() ? grads[1].contiguous() : at::Tensor();
    Taken* const taken = BesideStreams::taken(*context);
    if (taken != nullptr) {
      taken->wait_for_gradient(device.stream);
    }
    variable_list results;
    with_floating(inputs.x, kLayerRows, [&](auto scalar) {
      using T = decltype(scalar);
      const RowsLayer<T> layer{inputs, device.stream};
      results = layer.backward(kept, upstream, scale, context->saved_data["wants_x"].toBool(), taken);
    });
    check_launch();
    return LayerInputs::gradients(std::move(results));
  }
};

/// Whether a block's shared memory holds what the kernels keep there.
bool layer_rows_fit(const at::Tensor& x, std::int64_t width, std::int64_t factors) {
  bool fits = false;
  with_floating(x, kLayerRows, [&](auto scalar) {
    using T = decltype(scalar);
    fits = static_cast<std::int64_t>(sizeof(T)) * factors * width <= kMaxRowBytes &&
           judge_fits<T>(static_cast<int>(factors), static_cast<int>(width));
  });
  return fits;
}

TORCH_LIBRARY_IMPL(factorgcn, AutogradCUDA, library) {
  library.impl("layer_in_rows", LayerOperation<LayerRowsFunction>::call);
}
TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) { library.impl("layer_rows_fit", layer_rows_fit); }

}  // namespace
}  // namespace factorgcn::cuda
