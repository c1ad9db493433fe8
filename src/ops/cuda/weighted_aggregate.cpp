// weighted_aggregate on the GPU: checks and memory around the kernels.
#include "ops/cuda/weighted_aggregate.h"

#include <torch/library.h>

#include "ops/cuda/edge_inputs.h"
#include "ops/weighted_aggregate_schema.h"

namespace factorgcn::cuda {
namespace {

struct WeightedInputs {
  const char* operation;
  at::Tensor x, edge_weight, source_weight, target_weight;
  Adjacency edges;

  WeightedInputs(const char* name, const at::Tensor& x_given, const OptionalTensor& weight_given,
                 const OptionalTensor& source_given, const OptionalTensor& target_given, Adjacency edges_given)
      : operation(name),
        x(x_given),
        edge_weight(value_or_undefined(weight_given)),
        source_weight(value_or_undefined(source_given)),
        target_weight(value_or_undefined(target_given)),
        edges(std::move(edges_given)) {
    require(x.defined() && (x.dim() == 2 || (x.dim() == 3 && edge_weight.defined())) && x.size(-1) >= 1, operation,
            ": x must have shape [nodes, columns], or with edge weights [nodes, heads, columns]");
    check_edge_lists(operation, edges, x);
    x = x.contiguous();
    if (edge_weight.defined()) {
      require(edge_weight.dim() == 2, operation, ": edge_weight has shape ", edge_weight.sizes(),
              ", expected [edges, heads]");
      const std::int64_t heads = x.dim() == 3 ? x.size(1) : edge_weight.size(1);
      edge_weight = checked_values(operation, "edge_weight", edge_weight, {edges.num_edges(), heads}, x);
    }
    if (source_weight.defined()) {
      source_weight = checked_values(operation, "source_weight", source_weight, {x.size(0)}, x);
    }
    if (target_weight.defined()) {
      target_weight = checked_values(operation, "target_weight", target_weight, {x.size(0)}, x);
    }
  }

  std::int64_t heads() const { return edge_weight.defined() ? edge_weight.size(1) : 1; }
  std::vector<std::int64_t> out_shape() const {
    return edge_weight.defined() ? std::vector<std::int64_t>{x.size(0), heads(), x.size(-1)} : x.sizes().vec();
  }

  template <class T>
  WeightedPass<T> pass(bool by_target) const {
    WeightedPass<T> p;
    p.rows = x.size(0);
    p.heads = static_cast<int>(heads());
    p.width = static_cast<int>(x.size(-1));
    p.each = x.dim() == 3 || heads() == 1;
    p.offsets = (by_target ? edges.in_offsets : edges.out_offsets).template data_ptr<std::int64_t>();
    p.neighbours = (by_target ? edges.in_sources : edges.out_targets).template data_ptr<std::int32_t>();
    p.own_weight = values_or_null<T>(by_target ? target_weight : source_weight);
    p.their_weight = values_or_null<T>(by_target ? source_weight : target_weight);
    return p;
  }
};

at::Tensor weighted_aggregate_cuda(const at::Tensor& x, const OptionalTensor& edge_weight,
                                   const OptionalTensor& source_weight, const OptionalTensor& target_weight,
                                   const at::Tensor& in_offsets, const at::Tensor& in_sources,
                                   const at::Tensor& out_offsets, const at::Tensor& out_targets,
                                   const at::Tensor& in_to_out) {
  const WeightedInputs inputs("weighted_aggregate", x, edge_weight, source_weight, target_weight,
                              {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  at::Tensor out = at::empty(inputs.out_shape(), inputs.x.options());
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto pass = inputs.pass<T>(true);
    pass.edge_weight = values_or_null<T>(inputs.edge_weight);
    weighted_sums<T>(pass, inputs.x.template data_ptr<T>(), out.data_ptr<T>(), device.stream);
  });
  check_launch();
  return out;
}

std::tuple<at::Tensor, at::Tensor> weighted_aggregate_backward_cuda(
    const at::Tensor& grad_given, const at::Tensor& x, const OptionalTensor& edge_weight,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out) {
  const WeightedInputs inputs("weighted_aggregate_backward", x, edge_weight, source_weight, target_weight,
                              {in_offsets, in_sources, out_offsets, out_targets, in_to_out});
  const OnDeviceOf device(inputs.x);
  const at::Tensor grad_out = checked_values(inputs.operation, "grad_out", grad_given, inputs.out_shape(), inputs.x);
  at::Tensor grad_x = at::empty(inputs.x.sizes(), inputs.x.options()), grad_weight;
  with_floating(inputs.x, inputs.operation, [&](auto scalar) {
    using T = decltype(scalar);
    auto by_source = inputs.pass<T>(false);
    at::Tensor weights;
    if (inputs.edge_weight.defined()) {
      weights = at::empty(inputs.edge_weight.sizes(), inputs.x.options());
      permute_to_out<T>(inputs.edge_weight.template data_ptr<T>(), in_to_out.data_ptr<std::int64_t>(),
                        inputs.edges.num_edges(), by_source.heads, weights.template data_ptr<T>(), device.stream);
      by_source.edge_weight = weights.template data_ptr<T>();
    }
    const T* upstream = grad_out.template data_ptr<T>();
    if (by_source.each) {
      weighted_sums<T>(by_source, upstream, grad_x.template data_ptr<T>(), device.stream);
    } else {
      weighted_shared_gradient<T>(by_source, upstream, grad_x.template data_ptr<T>(), device.stream);
    }
    if (inputs.edge_weight.defined()) {
      grad_weight = at::empty(inputs.edge_weight.sizes(), inputs.x.options());
      weighted_edge_gradient<T>(inputs.pass<T>(true), inputs.x.template data_ptr<T>(), upstream,
                                grad_weight.template data_ptr<T>(), device.stream);
    }
  });
  check_launch();
  return {grad_x, grad_weight};
}

TORCH_LIBRARY_IMPL(factorgcn, CUDA, library) {
  library.impl("weighted_aggregate", weighted_aggregate_cuda);
  library.impl("weighted_aggregate_backward", weighted_aggregate_backward_cuda);
}

}  // namespace
}  // namespace factorgcn::cuda
