// The network. Cost of the first layer: one row of filters per occupied place and per edge inside a field.
#include "factorgcn/classic/patchy_san.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/dense.h"
#include "nn/init.h"

namespace factorgcn {

PatchySan::PatchySan(const PatchySanOptions& options, std::uint64_t seed) : options_(options) {
  require_usage(options.node_types >= 2 && options.outputs >= 1 && options.fields >= 1 && options.size >= 1,
                "patchy_san: ", options.node_types, " node types, ", options.outputs, " outputs, ", options.fields,
                " fields of ", options.size, " places; all must be positive");
  require_usage(options.dropout >= 0 && options.dropout < 1, "patchy_san: dropout is ", options.dropout,
                "; it must be at least 0 and below 1");
  options_.window = std::min(options.window, options.fields);
  RandomStream random(seed, "patchy_san/weights");
  const std::int64_t labels = options.node_types - 1;
  // A field shows `size` places and its edges: that many inputs are not zero at a time.
  const double field_bound = linear_bound(options.size * (options.edges ? 3 : 1));
  at::Tensor nodes = uniform_tensor({1 + options.size * labels, options.field_filters}, field_bound, random);
  nodes[0].zero_();  // the empty place: no input, and no gradient either
  node_table_ = register_parameter("node_table", nodes);
  if (options.edges) {
    edge_table_ = register_parameter(
        "edge_table", uniform_tensor({options.size * options.size, options.field_filters}, field_bound, random));
  }
  field_bias_ = register_parameter("field_bias", at::zeros({options.field_filters}));
  const auto linear = [&](const char* name, std::int64_t in, std::int64_t out, at::Tensor& weight, at::Tensor& bias) {
    weight = register_parameter(std::string(name) + "_weight", uniform_tensor({out, in}, linear_bound(in), random));
    bias = register_parameter(std::string(name) + "_bias", uniform_tensor({out}, linear_bound(in), random));
  };
  linear("filter", options.field_filters * options_.window, options.filters, filter_weight_, filter_bias_);
  linear("hidden", (options.fields - options_.window + 1) * options.filters, options.hidden, hidden_weight_,
         hidden_bias_);
  linear("out", options.hidden, options.outputs, out_weight_, out_bias_);
}

at::Tensor PatchySan::read_fields(const GraphBatch& batch) const {
  const std::int64_t size = options_.size;
  const std::int64_t labels = options_.node_types - 1;
  const at::Tensor& types = batch.features;
  const at::Tensor places = at::arange(types.numel(), types.options()).remainder(size);
  const at::Tensor rows = at::where(types > 0, places * labels + types, at::zeros({}, types.options()));
  at::Tensor fields = at::embedding(node_table_, rows.view({-1, size}), /*padding_idx=*/0).sum(1);
  if (options_.edges && batch.num_edges() > 0) {
    const at::Tensor degrees = batch.edges.in_offsets.slice(0, 1) - batch.edges.in_offsets.slice(0, 0, -1);
    const at::Tensor targets = at::arange(types.numel(), types.options()).repeat_interleave(degrees);
    const at::Tensor pairs = batch.edges.in_sources.to(at::kLong).remainder(size) * size + targets.remainder(size);
    const at::Tensor owners = targets.div(size, "floor");
    fields = fields.index_add(0, owners, at::embedding(edge_table_, pairs));
  }
  return activate(fields + field_bias_, Activation::kRelu);
}

ModelOutput PatchySan::forward(const GraphBatch& batch, bool /*with_regulariser*/) {
  const std::int64_t graphs = batch.num_graphs();
  require(batch.features.scalar_type() == at::kLong && batch.num_nodes() == graphs * options_.fields * options_.size,
          "patchy_san: ", batch.num_nodes(), " nodes in ", graphs, " graphs; it reads ", options_.fields, " fields of ",
          options_.size, " typed places a graph");
  at::Tensor x = read_fields(batch).view({graphs, options_.fields, options_.field_filters});
  x = x.unfold(1, options_.window, 1);  // [graphs, windows, filters, window]
  x = x.reshape({graphs, x.size(1), options_.field_filters * options_.window});
  x = activate(dense(x, filter_weight_, filter_bias_), Activation::kRelu);
  x = activate(dense(x.reshape({graphs, -1}), hidden_weight_, hidden_bias_), Activation::kRelu);
  x = at::dropout(x, options_.dropout, drops_out());
  return {dense(x, out_weight_, out_bias_), {}};
}

}  // namespace factorgcn
