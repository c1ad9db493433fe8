// discriminator_loss on the CPU: checks, memory and the walk over tiles around tile_discriminator.h.
#include <ATen/ops/empty.h>
#include <torch/library.h>

#include <numeric>

#include "factorgcn/ops/discriminator_loss.h"
#include "ops/cpu/edge_list.h"
#include "ops/cpu/graph_pieces.h"
#include "ops/cpu/tile_discriminator.h"
#include "ops/discriminator_loss_schema.h"

namespace factorgcn::cpu {
namespace {

constexpr std::int64_t kTileBytes = 256 << 10;  // a good part of the second-level cache

void check_shape(const char* name, const at::Tensor& tensor, at::IntArrayRef shape, const at::Tensor& like) {
  require(tensor.defined() && tensor.sizes() == shape && tensor.scalar_type() == like.scalar_type(),
          "discriminator_loss: ", name, " has shape ", tensor.sizes(), ", expected ", shape, " of type ",
          like.scalar_type());
}

std::vector<at::Tensor> discriminator_loss_cpu(
    const at::Tensor& x_given, const at::Tensor& gate_sum_given, const at::Tensor& left_given,
    const at::Tensor& right_given, const at::Tensor& first_weight, const at::Tensor& first_bias,
    const at::Tensor& second_weight, const at::Tensor& second_bias, const at::Tensor& classifier_weight,
    const at::Tensor& classifier_bias, const OptionalTensor& source_weight, const OptionalTensor& target_weight,
    const at::Tensor& in_offsets, const at::Tensor& in_sources, const at::Tensor& out_offsets,
    const at::Tensor& out_targets, const at::Tensor& in_to_out, const at::Tensor& graph_offsets, double gate_scale) {
  require(x_given.dim() == 2 || x_given.dim() == 3, "discriminator_loss: x must be [nodes, d] or [nodes, factors, d]");
  require(first_weight.dim() == 2 && classifier_weight.dim() == 2, "discriminator_loss: weights must be matrices");
  const at::Tensor x = x_given.contiguous(), gate_sum = gate_sum_given.contiguous();
  const bool from_output = x.dim() == 3;
  const std::int64_t nodes = x.size(0), width = x.size(-1), narrow = first_weight.size(0);
  const std::int64_t factors = classifier_weight.size(0);
  if (from_output) {
    check_shape("x", x, {nodes, factors, width}, x);
  }
  check_shape("gate_sum", gate_sum, {nodes, factors}, x);
  check_shape("left", left_given, {nodes, factors}, x);
  check_shape("right", right_given, {nodes, factors}, x);
  check_shape("first_weight", first_weight, {narrow, width}, x);
  check_shape("first_bias", first_bias, {narrow}, x);
  check_shape("second_weight", second_weight, {width, narrow}, x);
  check_shape("second_bias", second_bias, {width}, x);
  check_shape("classifier_weight", classifier_weight, {factors, width}, x);
  check_shape("classifier_bias", classifier_bias, {factors}, x);
  require(factors <= kMaxFactors, "discriminator_loss: ", factors, " factors; at most ", kMaxFactors, " are supported");
  at::Tensor left = left_given, right = right_given;
  if (left.stride(1) != 1 || right.stride(1) != 1 || left.stride(0) != right.stride(0) || left.stride(0) < factors) {
    left = left.contiguous();
    right = right.contiguous();
  }
  const std::int64_t graphs = check_graph_offsets("discriminator_loss", graph_offsets, nodes);
  require(graphs >= 1, "discriminator_loss: there are no graphs");
  require(in_offsets.numel() == nodes + 1 && out_offsets.numel() == nodes + 1, "discriminator_loss: the edges are of ",
          in_offsets.numel() - 1, " nodes, expected ", nodes);

  at::Tensor loss = at::empty({}, x.options()), grad_x = at::empty(x.sizes(), x.options());
  at::Tensor grad_gate_sum = at::empty(gate_sum.sizes(), x.options());
  at::Tensor grad_left = at::empty(gate_sum.sizes(), x.options()),
             grad_right = at::empty(gate_sum.sizes(), x.options());
  std::vector<at::Tensor> parameters{first_weight, first_bias,        second_weight,
                                     second_bias,  classifier_weight, classifier_bias};
  std::vector<at::Tensor> gradients;
  for (at::Tensor& parameter : parameters) {
    parameter = parameter.contiguous();
    gradients.push_back(at::empty(parameter.sizes(), x.options()));
  }
  with_floating(x, "discriminator_loss", [&](auto scalar) {
    using T = decltype(scalar);
    const auto& kernel = kernels().of<T>();
    DiscriminatorMaps<T> maps{
        {parameters[0], parameters[1]}, {parameters[2], parameters[3]}, {parameters[4], parameters[5]}, from_output};
    PartialSums<T> sums;
    maps.reserve(sums);
    TileEdges<T> edges;
    edges.factors = factors;
    edges.gate_scale = static_cast<T>(gate_scale);
    edges.in_offsets = in_offsets.data_ptr<std::int64_t>();
    edges.in_sources = in_sources.data_ptr<std::int32_t>();
    edges.out_offsets = out_offsets.data_ptr<std::int64_t>();
    edges.out_targets = out_targets.data_ptr<std::int32_t>();
    EdgeList edge_list(in_sources.numel());
    edges.in_targets = edge_list.in_targets();
    edges.out_sources = edge_list.out_sources();
    edges.in_to_out = in_to_out.data_ptr<std::int64_t>();
    edges.left = left.data_ptr<T>();
    edges.right = right.data_ptr<T>();
    edges.gate_stride = left.stride(0);
    edges.source_weight = values_or_null<T>(value_or_undefined(source_weight));
    edges.target_weight = values_or_null<T>(value_or_undefined(target_weight));

    const std::int64_t node_bytes =
        static_cast<std::int64_t>(sizeof(T)) * (2 * narrow + factors * (4 * narrow + width + 1));
    const std::int64_t* const offsets = graph_offsets.data_ptr<std::int64_t>();
    Tiling tiling(offsets, graphs, std::max<std::int64_t>(kTileBytes / node_bytes, 1));
    sums.prepare(tiling.blocks());
    std::vector<double> losses(static_cast<std::size_t>(tiling.blocks()));
    const std::int64_t x_columns = from_output ? factors * width : width;
    const auto judge_tile = [&](std::int64_t block, const Tile& tile) {
      Scratch& scratch = thread_scratch();
      scratch.reset();
      edge_list.fill(tile, edges.in_offsets, edges.out_offsets);
      const std::int64_t begin = tile.node_begin, count = tile.nodes() * factors;
      TileCase<T> judged{tile, edges};
      judged.edges.node_begin = begin;
      judged.edges.node_end = tile.node_end;
      judged.edges.in_gates = scratch.take<T>(judged.edges.edges() * factors);
      judged.edges.out_gates = scratch.take<T>(judged.edges.edges() * factors);
      kernel.tile_gates(judged.edges);
      judged.graph_offsets = offsets;
      judged.graphs = graphs;
      judged.x = x.data_ptr<T>() + begin * x_columns;
      judged.gate_sum = gate_sum.data_ptr<T>() + begin * factors;
      judged.grad_x = grad_x.data_ptr<T>() + begin * x_columns;
      judged.block_sums = sums.of(block);
      const TileJudgement<T> judgement = TileJudge<T>(maps, judged, scratch).run();
      losses[static_cast<std::size_t>(block)] += judgement.loss;

      T* const grad_gates = scratch.take<T>(2 * count);
      kernel.tile_gate_backward(judged.edges, judgement.dots, nullptr, grad_gates);
      for (std::int64_t node = 0; node < tile.nodes(); ++node) {
        const T* from = grad_gates + node * 2 * factors;
        std::copy_n(from, factors, grad_left.data_ptr<T>() + (begin + node) * factors);
        std::copy_n(from + factors, factors, grad_right.data_ptr<T>() + (begin + node) * factors);
      }
      T* const to = grad_gate_sum.data_ptr<T>() + begin * factors;
      std::copy_n(judgement.grad_gate_sum, count, to);
      if (from_output) {
        kernel.add_scaled(judgement.grad_gate_sum_first, T(1), to, count);
      }
    };
    tiling.walk([&](std::int64_t block) { sums.start(block); }, judge_tile);
    sums.add_up();
    sums.gradients(maps.first, T(1), gradients[0], gradients[1]);
    sums.gradients(maps.second, T(1), gradients[2], gradients[3]);
    sums.gradients(maps.classifier, T(1), gradients[4], gradients[5]);
    loss.fill_(std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(graphs * factors));
  });
  std::vector<at::Tensor> results{loss, grad_x, grad_gate_sum, grad_left, grad_right};
  results.insert(results.end(), gradients.begin(), gradients.end());
  return results;
}

TORCH_LIBRARY_IMPL(factorgcn, CPU, library) { library.impl("discriminator_loss", discriminator_loss_cpu); }

}  // namespace
}  // namespace factorgcn::cpu
