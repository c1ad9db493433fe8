// GCN (Kipf and Welling):   y_i = sum over in-edges of (deg(i) deg(j))^-1/2 W x_j + b
//
// With edge weights each term is times w_ij, and deg(i) = sum over in-edges of w_ij.
#include <ATen/TensorOperators.h>

#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/baselines/stack.h"

namespace factorgcn::baselines {
namespace {

class Gcn : public StackModel {
 public:
  Gcn(const StackOptions& options, EdgeNorm norm, std::uint64_t seed) : StackModel(options, seed), norm_(norm) {
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      maps_.push_back(make_linear("layer" + std::to_string(layer + 1), in_width(layer), options.hidden));
    }
  }

 protected:
  void prepare(StackPass& pass) override {
    pass.weights = pass.degree_weights(norm_, edge_weights_of(pass.batch), maps_[0].weight.scalar_type());
  }

  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) override {
    return {{linear({maps_[layer].weight, {}}, x)}, {}};
  }
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override {
    return neighbour_sum(pass.batch.edges, nodes.sent[0], pass.weights) + maps_[layer].bias;
  }
  std::int64_t sent_width(std::size_t /*layer*/) const override { return options().hidden; }

 private:
  EdgeNorm norm_;
  std::vector<LinearMap> maps_;
};

}  // namespace

ModelPointer make_gcn(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "gcn";
  SettingsReader reader(settings, "model gcn");
  read_stack(reader, input, options);
  const EdgeNorm norm = edge_norm_from_name(
      reader.text("norm", edge_norm_name(EdgeNorm::kSymmetric), "of messages: none, source or symmetric, by degrees"));
  reader.finish();
  return std::make_shared<Gcn>(options, norm, seed);
}

}  // namespace factorgcn::baselines
