// layer_in_tiles and layer_in_rows: schemas and calls. The arithmetic and the gradients are in ops/cuda/layer_tiles.cpp
// and ops/cuda/layer_rows.cpp; when they are used is in ops/layer_way.cpp.
#include "factorgcn/ops/layer_tiles.h"

#include <torch/library.h>

#include <string>

#include "ops/layer_tiles_schema.h"

namespace factorgcn {
namespace {

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def("layer_tiles_fit(Tensor x, int graphs, int edges, int width, int factors, bool judged) -> bool");
  library.def("layer_rows_fit(Tensor x, int width, int factors) -> bool");
  const std::string arguments =
      "(Tensor x, Tensor weight, Tensor bias, Tensor gate_weight, Tensor gate_bias, "
      "Tensor? first_weight, Tensor? first_bias, Tensor? second_weight, Tensor? second_bias, "
      "Tensor? classifier_weight, Tensor? classifier_bias, Tensor? source_weight, Tensor? target_weight, "
      "Tensor in_offsets, Tensor in_sources, Tensor out_offsets, Tensor out_targets, Tensor graph_offsets, "
      "Tensor? real_graphs, Tensor? long_targets, Tensor? long_sources, int layer, float gate_scale, bool beside) "
      "-> (Tensor, Tensor)";
  library.def(("layer_in_tiles" + arguments).c_str());
  library.def(("layer_in_rows" + arguments).c_str());
}

LayerStep run_layer(const c10::TypedOperatorHandle<LayerTilesSignature>& operation, const GraphBatch& batch,
                    const at::Tensor& x, const LayerWeights& weights, const DiscriminatorWeights* judge,
                    const NodeWeights& node_weights, double gate_scale, bool beside) {
  const DiscriminatorWeights judging = judge != nullptr ? *judge : DiscriminatorWeights{};
  const Adjacency& edges = batch.edges;
  auto [out, loss] = operation.call(
      x, weights.weight, weights.bias, weights.gate_weight, weights.gate_bias, optional(judging.first_weight),
      optional(judging.first_bias), optional(judging.second_weight), optional(judging.second_bias),
      optional(judging.classifier_weight), optional(judging.classifier_bias), optional(node_weights.source),
      optional(node_weights.target), edges.in_offsets, edges.in_sources, edges.out_offsets, edges.out_targets,
      batch.graph_offsets, optional(batch.real_graphs()), optional(node_weights.long_rows.targets),
      optional(node_weights.long_rows.sources), node_weights.long_rows.layer, gate_scale, beside);
  return {out, judge != nullptr ? loss : at::Tensor()};
}

}  // namespace

LayerStep layer_in_tiles(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& weights,
                         const DiscriminatorWeights* judge, const NodeWeights& node_weights, double gate_scale,
                         bool beside) {
  static const auto operation = find_operation<LayerTilesSignature>("factorgcn::layer_in_tiles");
  return run_layer(operation, batch, x, weights, judge, node_weights, gate_scale, beside);
}

LayerStep layer_in_rows(const GraphBatch& batch, const at::Tensor& x, const LayerWeights& weights,
                        const DiscriminatorWeights* judge, const NodeWeights& node_weights, double gate_scale,
                        bool beside) {
  static const auto operation = find_operation<LayerTilesSignature>("factorgcn::layer_in_rows");
  return run_layer(operation, batch, x, weights, judge, node_weights, gate_scale, beside);
}

}  // namespace factorgcn
