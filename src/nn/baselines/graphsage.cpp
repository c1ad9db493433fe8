// GraphSAGE (Hamilton et al.), mean aggregator:   y_i = W [x_i, mean over in-edges of x_j] + b
//
// With edge weights the mean is weighted by them. W acts on the two halves one by one, and on the second before the
// mean, which is the same by linearity.
#include <ATen/TensorOperators.h>

#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/baselines/stack.h"

namespace factorgcn::baselines {
namespace {

class GraphSage : public StackModel {
 public:
  GraphSage(const StackOptions& options, std::uint64_t seed) : StackModel(options, seed) {
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const std::string name = "layer" + std::to_string(layer + 1);
      self_.push_back(make_linear(name + "_self", in_width(layer), options.hidden));
      neighbours_.push_back(make_linear(name + "_neighbours", in_width(layer), options.hidden, false));
    }
  }

 protected:
  void prepare(StackPass& pass) override {
    const at::Tensor edge_weights = edge_weights_of(pass.batch);
    const at::ScalarType type = self_[0].weight.scalar_type();
    if (edge_weights.defined()) {
      const NodeWeights roots = weights_with_edges(pass.batch.edges, EdgeNorm::kSource, edge_weights, type);
      pass.weights.target = roots.source.square();
      pass.weights.edge = roots.edge;
    } else {
      pass.weights.target = mean_weights(pass.batch.edges, type);
    }
  }

  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) override {
    return {{linear(neighbours_[layer], x)}, {linear(self_[layer], x)}};
  }
  at::Tensor gather(std::size_t /*layer*/, const NodeTables& nodes, StackPass& pass) override {
    return nodes.kept[0] + neighbour_sum(pass.batch.edges, nodes.sent[0], pass.weights);
  }
  std::int64_t sent_width(std::size_t /*layer*/) const override { return options().hidden; }

 private:
  std::vector<LinearMap> self_, neighbours_;
};

}  // namespace

ModelPointer make_graphsage(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "graphsage";
  SettingsReader reader(settings, "model graphsage");
  read_stack(reader, input, options);
  reader.finish();
  return std::make_shared<GraphSage>(options, seed);
}

}  // namespace factorgcn::baselines
