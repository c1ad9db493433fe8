// layer_in_tiles on the GPU: checks, memory and the gradient around the kernels on tiles of whole graphs.
//
// The discriminator's loss is a scalar, so its gradient is computed along with it and only scaled in the backward pass.
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/cuda/beside.h"
#include "ops/cuda/graph_tile.h"
#include "ops/cuda/layer_inputs.h"
#include "ops/cuda/put_off_sums.h"

namespace factorgcn::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr const char* kName = "layer_in_tiles";

struct TileInputs : LayerInputs {
  template <class T>
  TileGraphs<T> tile_graphs() const {
    TileGraphs<T> g;
    g.graphs = graphs();
    g.nodes = nodes();
    g.edges = in_sources.numel();
    g.factors = static_cast<int>(factors());
    g.gate_scale = static_cast<T>(gate_scale);
    g.graph_offsets = graph_offsets.data_ptr<std::int64_t>();
    g.in_offsets = in_offsets.data_ptr<std::int64_t>();
    g.out_offsets = out_offsets.data_ptr<std::int64_t>();
    g.in_sources = in_sources.data_ptr<std::int32_t>();
    g.out_targets = out_targets.data_ptr<std::int32_t>();
    g.source_weight = values_or_null<T>(source_weight);
    g.target_weight = values_or_null<T>(target_weight);
    g.real_graphs = values_or_null<std::int64_t>(real_graphs);
    return g;
  }

  template <class T>
  LayerTiles<T> layer(const at::Tensor& hidden, const at::Tensor& gates) const {
    LayerTiles<T> p;
    p.graphs = tile_graphs<T>();
    p.in = static_cast<int>(in());
    p.width = static_cast<int>(width());
    p.x = x.data_ptr<T>();
    p.weight = weight.data_ptr<T>();
    p.bias = bias.data_ptr<T>();
    p.gate_weight = gate_weight.data_ptr<T>();
    p.gate_bias = gate_bias.data_ptr<T>();
    p.hidden = hidden.data_ptr<T>();
    p.gates = gates.data_ptr<T>();
    return p;
  }

  template <class T>
  DiscriminatorTiles<T> discriminator(const at::Tensor& hidden, const at::Tensor& gates) const {
    DiscriminatorTiles<T> p;
    p.graphs = tile_graphs<T>();
    p.width = static_cast<int>(width());
    p.narrow = static_cast<int>(narrow());
    p.hidden = hidden.data_ptr<T>();
    p.gates = gates.data_ptr<T>();
    p.first_weight = judge[0].data_ptr<T>();
    p.first_bias = judge[1].data_ptr<T>();
    p.second_weight = judge[2].data_ptr<T>();
    p.second_bias = judge[3].data_ptr<T>();
    p.classifier_weight = judge[4].data_ptr<T>();
    p.classifier_bias = judge[5].data_ptr<T>();
    return p;
  }
};

at::Tensor new_bytes(std::size_t count, const at::TensorOptions& options) {
  return at::empty({static_cast<std::int64_t>(count)}, options.dtype(at::kByte));
}

void require_fit(const TilePlan& plan) {
  require(plan.fits, kName, ": these widths do not fit a block's shared memory; use the composed operations");
}

/// A map's gradient, new, at `offset` of each block's partial sums; moves the offset on.
template <class T>
MapGradient<T> new_map(const at::Tensor& weight, const at::Tensor& bias, std::int64_t& offset, variable_list& results) {
  MapGradient<T> map;
  map.offset = offset;
  map.rows = static_cast<int>(weight.size(0));
  map.columns = static_cast<int>(weight.size(1));
  offset += weight.numel() + bias.numel();
  results.push_back(at::empty(weight.sizes(), weight.options()));
  map.weight = results.back().data_ptr<T>();
  results.push_back(at::empty(bias.sizes(), bias.options()));
  map.bias = results.back().data_ptr<T>();
  return map;
}

struct LayerTilesFunction : torch::autograd::Function<LayerTilesFunction> {
  template <class... Arguments>
  static variable_list forward(AutogradContext* context, bool training, const Arguments&... arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    TileInputs inputs{LayerInputs::of(arguments...)};
    const bool wants_x = inputs.x.requires_grad(), beside = inputs.beside && training;
    const OnDeviceOf device(inputs.x);
    inputs.check(kName);
    const auto options = inputs.x.options();
    const std::int64_t nodes = inputs.nodes(), factors = inputs.factors();
    const at::Tensor hidden = at::empty({nodes, inputs.width()}, options),
                     gates = at::empty({nodes, 2 * factors}, options);
    at::Tensor out = at::empty({nodes, factors, inputs.width()}, options);
    at::Tensor loss = at::empty({}, options), judge_hidden, judge_gates, judge_partials;
    with_floating(inputs.x, kName, [&](auto scalar) {
      using T = decltype(scalar);
      auto p = inputs.template layer<T>(hidden, gates);
      p.out = out.data_ptr<T>();
      const TilePlan plan = plan_layer_forward(p);
      require_fit(plan);
      const at::Tensor scratch = new_bytes(plan.scratch, options);
      p.scratch = scratch.data_ptr();
      run_layer_forward(p, plan, device.stream);
      if (inputs.judged()) {
        auto q = inputs.template discriminator<T>(hidden, gates);
        const TilePlan judging = plan_discriminator(q);
        require_fit(judging);
        judge_hidden = at::empty(hidden.sizes(), options);
        judge_gates = at::empty(gates.sizes(), options);
        judge_partials = at::empty({judging.partials}, options);
        q.grad_hidden = judge_hidden.data_ptr<T>();
        q.grad_gates = judge_gates.data_ptr<T>();
        q.partials = judge_partials.data_ptr<T>();
        // What the second stream writes is kept until somebody has waited for it (Taken); what it needs for itself is
        // its own memory, and so is the loss, which the caller may drop.
        c10::cuda::CUDAStream stream = c10::cuda::getCurrentCUDAStream(inputs.x.device().index());
        BesideStreams& streams = BesideStreams::on(inputs.x.device().index());
        Taken* const taken = beside ? &streams.take(*context, device.stream) : nullptr;
        if (taken != nullptr) {
          taken->beside.fork(device.stream);
          stream = taken->beside.stream;
        }
        const c10::cuda::CUDAStreamGuard guard(stream);
        loss = at::empty({}, options);
        auto find_loss = [q, judging, stream, options, taken, to = loss.detach(), graphs = inputs.graphs()]() mutable {
          const at::AutoDispatchBelowADInplaceOrView without_autograd;
          const c10::cuda::CUDAStreamGuard on(stream);
          const at::Tensor room = new_bytes(judging.scratch, options);
          const at::Tensor losses = at::empty({graphs}, options.dtype(at::kDouble));
          q.losses = losses.template data_ptr<double>();
          q.scratch = room.data_ptr();
          run_discriminator(q, judging, to.template data_ptr<T>(), stream.stream());
          check_launch();
          if (taken != nullptr) {
            taken->beside.mark_loss();
            taken->beside.mark_gradient();  // found along with the loss
          }
        };
        if (taken != nullptr) {
          streams.put_off(*taken, find_loss);
        } else {
          find_loss();
        }
      }
    });
    check_launch();
    inputs.save(context, {hidden, gates, judge_hidden, judge_gates, judge_partials});
    context->saved_data["wants_x"] = wants_x;
    context->set_materialize_grads(false);
    return {out, loss};
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative(kName);
    const variable_list saved = context->get_saved_variables();
    const TileInputs inputs{LayerInputs::restore(context, saved)};
    const OnDeviceOf device(inputs.x);
    const at::Tensor &hidden = saved[TileInputs::kTensors], &gates = saved[TileInputs::kTensors + 1];
    const auto options = inputs.x.options();
    const std::int64_t shape[3] = {inputs.nodes(), inputs.factors(), inputs.width()};
    const at::Tensor upstream = grads[0].defined() ? grads[0].contiguous() : at::zeros(shape, options);
    const at::Tensor scale = inputs.judged() && grads[1].defined() ? grads[1].contiguous() : at::Tensor();
    at::Tensor grad_x;
    if (context->saved_data["wants_x"].toBool()) {
      grad_x = at::empty(inputs.x.sizes(), options);
    }
    if (Taken* const taken = BesideStreams::taken(*context)) {
      taken->wait_for_gradient(device.stream);
      taken->end();
    }
    variable_list results{grad_x};
    with_floating(inputs.x, kName, [&](auto scalar) {
      using T = decltype(scalar);
      auto p = inputs.template layer<T>(hidden, gates);
      const TilePlan plan = plan_layer_backward(p);
      require_fit(plan);
      const at::Tensor scratch = new_bytes(plan.scratch, options), partials = at::empty({plan.partials}, options);
      p.grad_out = upstream.data_ptr<T>();
      p.grad_x = grad_x.defined() ? grad_x.data_ptr<T>() : nullptr;
      p.partials = partials.data_ptr<T>();
      p.scratch = scratch.data_ptr();
      if (scale.defined()) {
        p.other_hidden = saved[TileInputs::kTensors + 2].data_ptr<T>();
        p.other_gates = saved[TileInputs::kTensors + 3].data_ptr<T>();
        p.other_scale = scale.data_ptr<T>();
      }
      run_layer_backward(p, plan, device.stream);
      PartialSumSets<T> sets;
      PartialSums<T>* const sums = sets.at;
      sets.count = scale.defined() ? 2 : 1;
      sums[0].partials = p.partials;
      sums[0].blocks = plan.blocks;
      sums[0].maps[sums[0].count++] = new_map<T>(inputs.weight, inputs.bias, sums[0].stride, results);
      sums[0].maps[sums[0].count++] = new_map<T>(inputs.gate_weight, inputs.gate_bias, sums[0].stride, results);
      if (scale.defined()) {
        sums[1].partials = saved[TileInputs::kTensors + 4].data_ptr<T>();
        sums[1].blocks = plan_discriminator(inputs.template discriminator<T>(hidden, gates)).blocks;
        sums[1].scale = scale.data_ptr<T>();
        for (int map = 0; map < 3; ++map) {
          sums[1].maps[sums[1].count++] =
              new_map<T>(inputs.judge[2 * map], inputs.judge[2 * map + 1], sums[1].stride, results);
        }
      }
      const std::vector<at::Tensor> weights = inputs.weights(scale.defined());
      const std::int64_t values = partials.numel() + (scale.defined() ? saved[TileInputs::kTensors + 4].numel() : 0);
      const auto later = PutOffSums::of(weights, values * static_cast<std::int64_t>(sizeof(T)));
      if (later == nullptr) {
        add_partial_sums(sets, device.stream);
        return;
      }
      if (Taken* const taken = BesideStreams::taken(*context); taken != nullptr && grad_x.defined()) {
        later->template sum_beside<T>(taken->beside, {}, sets);
      } else {  // nothing flows on from here that the sums could be beside of
        later->add(sets);
      }
      later->keep({partials, scale});
      if (scale.defined()) {
        later->keep({saved[TileInputs::kTensors + 4]});
      }
      for (std::size_t i = 0; i < weights.size(); ++i) {
        later->promise(weights[i], results[1 + i]);
      }
    });
    check_launch();
    return LayerInputs::gradients(std::move(results));
  }
};

/// Whether one graph of mean size fits shared memory in every pass.
bool layer_tiles_fit(const at::Tensor& x, std::int64_t graphs, std::int64_t edges, std::int64_t width,
                     std::int64_t factors, bool judged) {
  bool fits = false;
  with_floating(x, kName, [&](auto scalar) {
    using T = decltype(scalar);
    LayerTiles<T> p;
    p.graphs.graphs = graphs;
    p.graphs.nodes = x.size(0);
    p.graphs.edges = edges;
    p.graphs.factors = static_cast<int>(factors);
    p.in = static_cast<int>(x.size(1));
    p.width = static_cast<int>(width);
    DiscriminatorTiles<T> q;
    q.graphs = p.graphs;
    q.width = p.width;
    q.narrow = p.width / 2 > 1 ? p.width / 2 : 1;
    fits = plan_layer_forward(p).fits && plan_layer_backward(p).fits && (!judged || plan_discriminator(q).fits);
  });
  return fits;
}

TORCH_LIBRARY_IMPL(factorgcn, AutogradCUDA, library) {
  library.impl("layer_in_tiles", LayerOperation<LayerTilesFunction>::call);
}
TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) { library.impl("layer_tiles_fit", layer_tiles_fit); }

}  // namespace
}  // namespace factorgcn::cuda
