// DisenGCN on top of ops/capsule_route.
#include "nn/baselines/disengcn.h"

#include "factorgcn/base/error.h"
#include "factorgcn/ops/capsule_route.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {

DisenGcn::DisenGcn(const DisenOptions& options, std::uint64_t seed)
    : StackModel(options.stack, seed),
      capsules_(options.capsules),
      rounds_(options.rounds),
      keep_length_(options.keep_length) {
  const StackOptions& stack = options.stack;
  require_usage(stack.hidden % capsules_ == 0, stack.name, ": hidden width ", stack.hidden, " does not divide by ",
                capsules_, " capsules; choose a multiple of ", capsules_);
  for (std::size_t layer = 0; layer < num_layers(); ++layer) {
    maps_.push_back(make_linear("layer" + std::to_string(layer + 1), in_width(layer), stack.hidden));
  }
}

at::Tensor DisenGcn::capsules_of(std::size_t layer, const at::Tensor& x) const {
  return unit_capsules(linear(maps_[layer], x).view({x.size(0), capsules_, -1}));
}

NodeTables DisenGcn::map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) {
  const at::Tensor z = capsules_of(layer, x);
  return {{z}, {z}};
}

at::Tensor DisenGcn::gather(std::size_t /*layer*/, const NodeTables& nodes, StackPass& pass) {
  const at::Tensor& z = nodes.sent[0];
  at::Tensor u = nodes.kept[0];
  for (std::int64_t round = 1; round <= rounds_; ++round) {
    const bool kept = keep_length_ && round == rounds_;
    u = capsule_route(pass.batch.edges, z, u, kept ? CapsuleLength::kKept : CapsuleLength::kUnit);
  }
  return u.flatten(1);
}

/// The shares of the last round.
at::Tensor DisenGcn::coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass) {
  const at::Tensor z = capsules_of(layer, x);
  at::Tensor u = z;
  for (std::int64_t round = 1; round < rounds_; ++round) {
    u = capsule_route(pass.batch.edges, z, u);
  }
  return capsule_shares(pass.batch.edges, z, u);
}

DisenOptions read_disen(SettingsReader& reader, const ModelInput& input, const std::string& name) {
  DisenOptions options;
  options.stack.name = name;
  options.stack.residual = false;
  read_stack(reader, input, options.stack);
  options.capsules =
      reader.integer("capsules", options.capsules, 1, kMostCapsules, "capsules of each layer; its factors");
  options.rounds = reader.integer("rounds", options.rounds, 1, 1000, "of routing in each layer");
  options.keep_length =
      reader.boolean("keep_length", options.keep_length, "the last round leaves capsules their length");
  return options;
}

ModelPointer make_disengcn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model disengcn");
  const DisenOptions options = read_disen(reader, input, "disengcn");
  reader.finish();
  return std::make_shared<DisenGcn>(options, seed);
}

}  // namespace factorgcn::baselines
