// GatedGCN on top of ops/gated_aggregate.
#include "nn/baselines/gatedgcn.h"

#include <ATen/TensorOperators.h>

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/gated_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/init.h"

namespace factorgcn::baselines {

GatedGcn::GatedGcn(const StackOptions& options, std::int64_t types, std::uint64_t seed)
    : StackModel(options, seed), types_(types) {
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    const std::string name = "layer" + std::to_string(layer + 1);
    self_.push_back(make_linear(name + "_self", in_width(layer), options.hidden));
    value_.push_back(make_linear(name + "_value", in_width(layer), options.hidden));
    target_.push_back(make_linear(name + "_target", in_width(layer), options.hidden));
    source_.push_back(make_linear(name + "_source", in_width(layer), options.hidden));
    if (types > 0) {
      type_vectors_.push_back(
          register_parameter(name + "_types", uniform_tensor({types, options.hidden}, 1.0, random())));
    }
  }
}

NodeTables GatedGcn::map_nodes(std::size_t layer, const at::Tensor& x, StackPass& pass) {
  at::Tensor source = linear(source_[layer], x);
  if (types_ > 0) {
    require(pass.batch.edge_types.defined(), options().name, ": the batch has no edge types");
    source = source.unsqueeze(1) + type_vectors_[layer];  // [N, types, hidden]
  }
  // In this order: gradients of x are added in the reverse one, and a seed goes on giving the weights it gave.
  const at::Tensor target = linear(target_[layer], x), value = linear(value_[layer], x), self = linear(self_[layer], x);
  return {{value, source}, {self, target}};
}

at::Tensor GatedGcn::gather(std::size_t /*layer*/, const NodeTables& nodes, StackPass& pass) {
  return nodes.kept[0] + gated_aggregate(pass.batch.edges, nodes.sent[0], nodes.sent[1], nodes.kept[1],
                                         types_ > 0 ? pass.batch.edge_types : at::Tensor());
}

std::int64_t GatedGcn::sent_width(std::size_t /*layer*/) const {
  return options().hidden * (1 + std::max<std::int64_t>(types_, 1));
}

ModelPointer make_gatedgcn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "gatedgcn";
  SettingsReader reader(settings, "model gatedgcn");
  read_stack(reader, input, options);
  reader.finish();
  return std::make_shared<GatedGcn>(options, 0, seed);
}

}  // namespace factorgcn::baselines
