// GIN (Xu et al.):   y_i = W2 relu(norm(W1 ((1 + eps) x_i + sum over in-edges of x_j) + b1)) + b2, eps learnt
//
// With edge weights the sum is of w_ij x_j. It is taken of W1 x: by linearity it is the same, and the input may be much
// wider than the layer.
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>

#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/baselines/stack.h"

namespace factorgcn::baselines {
namespace {

class Gin : public StackModel {
 public:
  Gin(const StackOptions& options, double epsilon, std::uint64_t seed) : StackModel(options, seed) {
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const std::string name = "layer" + std::to_string(layer + 1);
      first_.push_back(make_linear(name + "_first", in_width(layer), options.hidden));
      second_.push_back(make_linear(name + "_second", options.hidden, options.hidden));
      epsilons_.push_back(
          register_parameter(name + "_epsilon", at::full({1}, epsilon, at::TensorOptions().dtype(at::kFloat))));
      if (options.batch_norm) {
        inner_.push_back(make_norm(name + "_norm", options.hidden));
      }
    }
  }

 protected:
  void prepare(StackPass& pass) override { pass.weights.edge = edge_weights_of(pass.batch); }

  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) override {
    const at::Tensor mapped = linear({first_[layer].weight, {}}, x);
    return {{mapped}, {mapped}};
  }
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override {
    return neighbour_sum(pass.batch.edges, nodes.sent[0], pass.weights) + nodes.kept[0] * (epsilons_[layer] + 1.0) +
           first_[layer].bias;
  }
  const BatchNormState* inner_norm(std::size_t layer) const override {
    return options().batch_norm ? &inner_[layer] : nullptr;
  }
  at::Tensor finish_layer(std::size_t layer, const at::Tensor& y) override {
    return linear(second_[layer], options().batch_norm ? y : activate(y, Activation::kRelu));
  }
  std::int64_t sent_width(std::size_t /*layer*/) const override { return options().hidden; }

 private:
  std::vector<LinearMap> first_, second_;
  std::vector<at::Tensor> epsilons_;
  std::vector<BatchNormState> inner_;
};

}  // namespace

ModelPointer make_gin(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "gin";
  options.residual = false;
  SettingsReader reader(settings, "model gin");
  read_stack(reader, input, options);
  // -1 where the graphs have self loops: a node is then in its own sum already.
  const double epsilon = reader.number("epsilon", 0.0, -10, 10,
                                       "first value of the node's own extra weight; -1 where graphs have self loops");
  reader.finish();
  return std::make_shared<Gin>(options, epsilon, seed);
}

}  // namespace factorgcn::baselines
