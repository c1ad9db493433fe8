// The disentangle layer on top of ops/dense and ops/factor_aggregate.
#include "factorgcn/nn/disentangle_layer.h"

#include "factorgcn/base/error.h"
#include "factorgcn/ops/dense.h"
#include "nn/init.h"

namespace factorgcn {

DisentangleLayerImpl::DisentangleLayerImpl(const DisentangleLayerOptions& options, RandomStream& random)
    : options_(options) {
  require_usage(options.in >= 1, "disentangle layer: input width is ", options.in, "; it must be at least 1");
  require_usage(options.factors >= 1, "disentangle layer: ", options.factors, " factors; at least 1 is needed");
  require_usage(options.out >= 1 && options.out % options.factors == 0, "disentangle layer: output width ", options.out,
                " does not divide by ", options.factors, " factors; choose a multiple of ", options.factors);
  const std::int64_t width = options.out / options.factors;
  weight_ = register_parameter("weight", uniform_tensor({width, options.in}, linear_bound(options.in), random));
  bias_ = register_parameter("bias", uniform_tensor({width}, linear_bound(options.in), random));
  gate_weight_ =
      register_parameter("gate_weight", uniform_tensor({2 * options.factors, width}, linear_bound(width), random));
  gate_bias_ = register_parameter("gate_bias", uniform_tensor({2 * options.factors}, linear_bound(width), random));
}

DisentangleOutput DisentangleLayerImpl::forward(const Adjacency& edges, const at::Tensor& x, const NodeWeights& weights,
                                                const LinearMap* companion) {
  require(x.dim() == 2 && x.size(1) == options_.in, "disentangle layer: input has shape ", x.sizes(), ", expected [",
          edges.num_nodes(), ", ", options_.in, "]");
  return gather(edges, map_nodes(x), weights, companion);
}

at::Tensor DisentangleLayerImpl::map_nodes(const at::Tensor& x) const { return dense(x, weight_, bias_); }

DisentangleOutput DisentangleLayerImpl::gather(const Adjacency& edges, const at::Tensor& hidden,
                                               const NodeWeights& weights, const LinearMap* companion) const {
  DisentangleOutput result;
  result.hidden = hidden;
  const auto halves = dense(hidden, gate_weight_, gate_bias_).split(options_.factors, 1);
  result.left = halves[0];
  result.right = edges.num_targets() < hidden.size(0) ? halves[1].narrow(0, 0, edges.num_targets()) : halves[1];
  if (companion != nullptr) {
    const at::Tensor mapped = linear(*companion, hidden);
    auto pair = factor_aggregate_pair(edges, hidden, mapped, result.left, result.right, weights, options_.gate_scale);
    result.out = pair.out;
    result.companion = pair.q_out;
    result.gate_sum = pair.gate_sum;
  } else {
    auto single = factor_aggregate(edges, hidden, result.left, result.right, weights, options_.gate_scale);
    result.out = single.out;
    result.gate_sum = single.gate_sum;
  }
  return result;
}

at::Tensor DisentangleLayerImpl::coefficients(const Adjacency& edges, const DisentangleOutput& output) const {
  return factor_gates(edges, output.left.to(at::kDouble), output.right.to(at::kDouble), options_.gate_scale);
}

void DisentangleLayerImpl::join(StackBlock& block) const {
  block.weight = weight_;
  block.bias = bias_;
  block.gate_weight = gate_weight_;
  block.gate_bias = gate_bias_;
}

}  // namespace factorgcn
