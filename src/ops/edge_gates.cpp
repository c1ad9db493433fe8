// Gathers to edges, whose gradients are sums over segments: by target as the edges lie, by source through the other
// order of the edges.
#include "factorgcn/ops/edge_gates.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/segment_reduce.h"
#include "ops/registration.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

struct RowsOfTargets : torch::autograd::Function<RowsOfTargets> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& table, const at::Tensor& in_offsets,
                            std::int64_t edges) {
    context->save_for_backward({in_offsets});
    // The length is told beforehand: a GPU would have to be waited for to learn it.
    return table.repeat_interleave(in_offsets.diff(), 0, edges);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("rows_of_targets");
    return {segment_sum(grads[0].contiguous(), context->get_saved_variables()[0]), {}, {}};
  }
};

struct RowsOfSources : torch::autograd::Function<RowsOfSources> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& table, const at::Tensor& in_sources,
                            const at::Tensor& out_offsets, const at::Tensor& in_to_out) {
    context->save_for_backward({out_offsets, in_to_out});
    return table.index_select(0, in_sources);
  }
  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("rows_of_sources");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &out_offsets = saved[0], &in_to_out = saved[1];
    at::Tensor out_to_in = at::empty_like(in_to_out);
    out_to_in.index_copy_(0, in_to_out, at::arange(in_to_out.numel(), in_to_out.options()));
    return {segment_sum(grads[0].index_select(0, out_to_in), out_offsets), {}, {}, {}};
  }
};

}  // namespace

at::Tensor rows_of_targets(const Adjacency& edges, const at::Tensor& table) {
  require(table.dim() == 2 && table.size(0) == edges.num_targets(), "rows_of_targets: table has shape ", table.sizes(),
          ", expected [", edges.num_targets(), ", columns]");
  return RowsOfTargets::apply(table, edges.in_offsets, edges.num_edges());
}

at::Tensor edge_gates(const Adjacency& edges, const at::Tensor& left, const at::Tensor& right, double gate_scale) {
  require(left.dim() == 2 && left.size(0) == edges.num_sources(), "edge_gates: left has shape ", left.sizes(),
          ", expected [", edges.num_sources(), ", factors]");
  require(right.sizes() == at::IntArrayRef({edges.num_targets(), left.size(1)}), "edge_gates: right has shape ",
          right.sizes(), ", expected [", edges.num_targets(), ", ", left.size(1), "]");
  const at::Tensor from = RowsOfSources::apply(left, edges.in_sources, edges.out_offsets, edges.in_to_out);
  return ((from + rows_of_targets(edges, right)) * gate_scale).sigmoid();
}

}  // namespace factorgcn
