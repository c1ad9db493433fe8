// MoNet (Monti et al.): neighbours weighted by learnt Gaussians of the edge's pseudo-coordinates.
//
//   c_ij = (deg(i)^-1/2, deg(j)^-1/2);  q_ij = tanh(P c_ij + p)                              [E, 2], P per layer
//   w_ijk = exp(-1/2 sum over both coordinates of ((q_ij - mu_k) s_k)^2)                     [E, K], K = 3 kernels
//   y_i = sum over k of W_k (sum over in-edges of w_ijk x_j) + b
//
// The exponent is a linear map of (q, q^2): one product instead of [E, K, 2] differences. x is summed before W_k: one
// gathered row feeds all kernels.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>

#include "factorgcn/graph/sparse_features.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/weighted_aggregate.h"
#include "nn/baselines/makers.h"
#include "nn/baselines/stack.h"
#include "nn/init.h"

namespace factorgcn::baselines {
namespace {

class MoNet : public StackModel {
 public:
  std::string needs_whole_graphs() const override {
    return "sums its neighbours' features before it maps them, so that these would travel in every step";
  }

  MoNet(const StackOptions& options, std::int64_t kernels, std::uint64_t seed) : StackModel(options, seed) {
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      const std::string name = "layer" + std::to_string(layer + 1);
      maps_.push_back(make_linear(name, kernels * in_width(layer), options.hidden));
      projections_.push_back(make_linear(name + "_projection", 2, 2));
      centres_.push_back(register_parameter(name + "_centres", uniform_tensor({kernels, 2}, 1.0, random())));
      sharpness_.push_back(
          register_parameter(name + "_sharpness", at::ones({kernels, 2}, at::TensorOptions().dtype(at::kFloat))));
    }
  }

 protected:
  void prepare(StackPass& pass) override {
    const Adjacency& edges = pass.batch.edges;
    const at::Tensor degree = node_weights(edges, EdgeNorm::kSource, maps_[0].weight.scalar_type()).source;
    // The length is told beforehand: a GPU would have to be waited for to learn it.
    const at::Tensor target = degree.repeat_interleave(edges.in_offsets.diff(), 0, edges.num_edges());
    pass.edge_values = at::stack({target, degree.index_select(0, edges.in_sources)}, 1);
  }

  NodeTables map_nodes(std::size_t /*layer*/, const at::Tensor& x, StackPass& /*pass*/) override {
    return {{dense_features(x)}, {}};
  }
  at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) override {
    const at::Tensor sums = weighted_aggregate(pass.batch.edges, nodes.sent[0], kernels_of(layer, pass.edge_values));
    return linear(maps_[layer], sums.flatten(1));
  }
  std::int64_t sent_width(std::size_t layer) const override { return in_width(layer); }

 private:
  at::Tensor kernels_of(std::size_t layer, const at::Tensor& coordinates) const {
    const LinearMap& projection = projections_[layer];
    const at::Tensor q = dense(coordinates, projection.weight, projection.bias, {}, Activation::kTanh);
    const at::Tensor sharpness = sharpness_[layer].square(), centres = centres_[layer];
    const at::Tensor weight = at::cat({sharpness * centres, sharpness * -0.5}, 1);  // [K, 4]
    const at::Tensor bias = (sharpness * centres.square()).sum(1) * -0.5;
    return dense(at::cat({q, q.square()}, 1), weight, bias).exp();
  }

  std::vector<LinearMap> maps_, projections_;
  std::vector<at::Tensor> centres_, sharpness_;
};

}  // namespace

ModelPointer make_monet(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "monet";
  SettingsReader reader(settings, "model monet");
  read_stack(reader, input, options);
  const std::int64_t kernels = reader.integer("kernels", 3, 1, 64, "learnt Gaussians of each layer");
  reader.finish();
  return std::make_shared<MoNet>(options, kernels, seed);
}

}  // namespace factorgcn::baselines
