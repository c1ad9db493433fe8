// GAT on top of ops/edge_attention and ops/weighted_aggregate.
#include "nn/baselines/gat.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/edge_attention.h"
#include "factorgcn/ops/edge_gates.h"
#include "factorgcn/ops/segment_reduce.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/init.h"

namespace factorgcn::baselines {

Gat::Gat(const StackOptions& options, std::int64_t heads, std::uint64_t seed)
    : StackModel(options, seed), heads_(heads) {
  require_usage(options.hidden % heads == 0, options.name, ": hidden width ", options.hidden, " does not divide by ",
                heads, " heads; choose a multiple of ", heads);
  const std::int64_t width = options.hidden / heads;
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    const std::string name = "layer" + std::to_string(layer + 1);
    maps_.push_back(make_linear(name, in_width(layer), options.hidden));
    from_.push_back(register_parameter(name + "_from", uniform_tensor({heads, width}, linear_bound(width), random())));
    to_.push_back(register_parameter(name + "_to", uniform_tensor({heads, width}, linear_bound(width), random())));
  }
}

std::vector<at::Tensor> Gat::score_halves(std::size_t layer, const at::Tensor& x) const {
  const at::Tensor weight = maps_[layer].weight.view({heads_, -1, x.size(1)});  // [K, d, in]
  const auto scorer = [&](const at::Tensor& vectors) { return (weight * vectors.unsqueeze(2)).sum(1); };
  return dense(x, at::cat({scorer(from_[layer]), scorer(to_[layer])}), {}).split(heads_, 1);
}

at::Tensor Gat::attention(const at::Tensor& from, const at::Tensor& to, const StackPass& pass) const {
  const Adjacency& edges = pass.batch.edges;
  const at::Tensor alpha = edge_attention(edges, from, to, 0.2);
  if (!pass.weights.edge.defined()) {
    return alpha;
  }
  const at::Tensor weighted = alpha * pass.weights.edge.unsqueeze(1);
  const at::Tensor sums = segment_sum(weighted, edges.in_offsets);
  return weighted / rows_of_targets(edges, sums.masked_fill(sums.eq(0), 1.0));
}

NodeTables Gat::map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) {
  const at::Tensor hidden = linear({maps_[layer].weight, {}}, x).view({x.size(0), heads_, -1});
  const std::vector<at::Tensor> halves = score_halves(layer, x);
  return {{hidden, halves[0]}, {halves[1]}};
}

at::Tensor Gat::gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) {
  Heads heads;
  heads.hidden = nodes.sent[0];
  heads.alpha = attention(nodes.sent[1], nodes.kept[0], pass);
  heads.out = weighted_aggregate(pass.batch.edges, heads.hidden, heads.alpha);
  if (pass.with_regulariser) {
    judge_heads(layer, heads, pass);
  }
  return heads.out.flatten(1) + maps_[layer].bias;
}

at::Tensor Gat::coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass) {
  const std::vector<at::Tensor> halves = score_halves(layer, x);
  return attention(halves[0], halves[1], pass);
}

GatOptions read_gat(SettingsReader& reader, const ModelInput& input, const std::string& name) {
  GatOptions options;
  options.stack.name = name;
  options.stack.activation = Activation::kElu;
  read_stack(reader, input, options.stack);
  options.heads = reader.integer("heads", options.heads, 1, 1024, "attention heads of each layer; its factors");
  return options;
}

ModelPointer make_gat(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model gat");
  const GatOptions options = read_gat(reader, input, "gat");
  reader.finish();
  return std::make_shared<Gat>(options.stack, options.heads, seed);
}

}  // namespace factorgcn::baselines
