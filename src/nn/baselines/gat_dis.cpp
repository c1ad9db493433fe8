// GAT with the discriminator of FactorGCN on its attention heads.
//
//   p1 = tanh(A_k(L1 h)), L1: K d -> m      h: the hidden features of all heads side by side; m = max(d / 2, 1)
//   p2 = tanh(A_k(L2 p1)), L2: m -> d
//   r_k = tanh(mean over the graph's nodes of p2);  logits = C r_k, C: d -> K;  loss = cross entropy against label k
//
// A_k is head k's own weighted sum. All heads are shown the same h, as FactorGCN's factors are: with each head's own
// features its number could be read off those, and the attention would not matter.
#include <ATen/TensorOperators.h>

#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/dense_pool.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/gat.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {
namespace {

class GatDis : public Gat {
 public:
  GatDis(const StackOptions& options, std::int64_t heads, std::uint64_t seed) : Gat(options, heads, seed) {
    const std::int64_t width = options.hidden / heads, narrow = std::max<std::int64_t>(width / 2, 1);
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const std::string name = "discriminator" + std::to_string(layer + 1);
      first_.push_back(make_linear(name + "_first", options.hidden, narrow));
      second_.push_back(make_linear(name + "_second", narrow, width));
      classifiers_.push_back(make_linear(name + "_classifier", width, heads));
    }
  }

  std::string needs_whole_graphs() const override {
    return "has a discriminator that averages over all nodes of the graph";
  }

 protected:
  void judge_heads(std::size_t layer, const Heads& given, StackPass& pass) override {
    const Adjacency& edges = pass.batch.edges;
    const at::Tensor mapped = linear(first_[layer], given.hidden.flatten(1));
    const at::Tensor p1 = activate(weighted_aggregate(edges, mapped, given.alpha), Activation::kTanh);
    // Attention sums to 1 where there are in-edges, so that is the bias's share of A_k(L2 p1).
    const at::Tensor share =
        edges.in_offsets.diff().gt(0).to(mapped.scalar_type()).unsqueeze(1).expand({mapped.size(0), heads()});
    const at::Tensor means = dense_pool(weighted_aggregate(edges, p1, given.alpha), second_[layer].weight,
                                        second_[layer].bias, share.contiguous(), pass.batch.graph_offsets);
    const at::Tensor logits = linear(classifiers_[layer], activate(means, Activation::kTanh));
    pass.add_regulariser(factor_label_loss(logits, pass.batch.real_graphs()));
  }

 private:
  std::vector<LinearMap> first_, second_, classifiers_;
};

}  // namespace

ModelPointer make_gat_dis(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model gat_dis");
  const GatOptions options = read_gat(reader, input, "gat_dis");
  reader.finish();
  return std::make_shared<GatDis>(options.stack, options.heads, seed);
}

}  // namespace factorgcn::baselines
