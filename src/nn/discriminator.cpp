// The discriminator on top of ops/dense and ops/factor_aggregate.
#include "factorgcn/nn/discriminator.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/dense_pool.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "nn/init.h"
#include "ops/layer_way.h"

namespace factorgcn {

DiscriminatorImpl::DiscriminatorImpl(const DiscriminatorOptions& options, RandomStream& random) : options_(options) {
  require_usage(options.width >= 1 && options.factors >= 1, "discriminator: width ", options.width, " and ",
                options.factors, " factors; both must be at least 1");
  require_usage(options.depth == 2 || options.depth == 3, "discriminator: depth is ", options.depth,
                "; choose 2 (published) or 3 (the paper's text)");
  const std::int64_t narrow = std::max<std::int64_t>(options.width / 2, 1);
  std::vector<std::int64_t> widths(static_cast<std::size_t>(options.depth) + 1, narrow);
  widths.front() = options.width;
  widths.back() = options.width;
  for (int level = 0; level < options.depth; ++level) {
    const std::int64_t in = widths[level], out = widths[level + 1];
    const std::string name = "convolution" + std::to_string(level + 1);
    LinearMap convolution;
    convolution.weight = register_parameter(name + "_weight", uniform_tensor({out, in}, linear_bound(in), random));
    convolution.bias = register_parameter(name + "_bias", uniform_tensor({out}, linear_bound(in), random));
    convolutions_.push_back(convolution);
  }
  classifier_weight_ = register_parameter(
      "classifier_weight", uniform_tensor({options.factors, options.width}, linear_bound(options.width), random));
  classifier_bias_ =
      register_parameter("classifier_bias", uniform_tensor({options.factors}, linear_bound(options.width), random));
}

void DiscriminatorImpl::join(const GraphBatch& batch, StackBlock& block) const {
  require(options_.depth == 2, "discriminator: depth is ", options_.depth, "; only depth 2 joins a stack");
  block.judge = weights();
  block.judge_from_output = !first_pass_is_direct(batch);
}

bool DiscriminatorImpl::first_pass_is_direct(const GraphBatch& batch) const {
  using FirstPass = DiscriminatorOptions::FirstPass;
  if (options_.first_pass != FirstPass::kCheapest) {
    return options_.first_pass == FirstPass::kDirect;
  }
  return sums_first_convolution(batch, options_.width, options_.factors);
}

const LinearMap* DiscriminatorImpl::companion(const GraphBatch& batch) const {
  return first_pass_is_direct(batch) ? &convolutions_.front() : nullptr;
}

DiscriminatorWeights DiscriminatorImpl::weights() const {
  return {convolutions_.front().weight, convolutions_.front().bias, convolutions_.back().weight,
          convolutions_.back().bias,    classifier_weight_,         classifier_bias_};
}

at::Tensor DiscriminatorImpl::forward(const GraphBatch& batch, const DisentangleOutput& layer,
                                      const NodeWeights& weights) {
  at::Tensor features = first_features(layer);
  const auto gather = [&](const at::Tensor& values) {
    return factor_aggregate_each(batch.edges, values, layer.left, layer.right, weights, options_.gate_scale);
  };
  for (std::size_t middle = 1; middle + 1 < convolutions_.size(); ++middle) {
    features = middle_features(middle, gather(features), layer.gate_sum);
  }
  return scores(last_means(gather(features), layer.gate_sum, batch.graph_offsets));
}

at::Tensor DiscriminatorImpl::first_features(const DisentangleOutput& layer) const {
  const LinearMap& first = convolutions_.front();
  return layer.companion.defined() ? activate(layer.companion, Activation::kTanh)
                                   : dense(layer.out, first.weight, first.bias, layer.gate_sum, Activation::kTanh);
}

at::Tensor DiscriminatorImpl::middle_features(std::size_t convolution, const at::Tensor& gathered,
                                              const at::Tensor& gate_sum) const {
  const LinearMap& middle = convolutions_[convolution];
  return dense(gathered, middle.weight, middle.bias, gate_sum, Activation::kTanh);
}

at::Tensor DiscriminatorImpl::last_means(const at::Tensor& gathered, const at::Tensor& gate_sum,
                                         const at::Tensor& graph_offsets) const {
  const LinearMap& last = convolutions_.back();
  return dense_pool(gathered, last.weight, last.bias, gate_sum, graph_offsets);
}

at::Tensor DiscriminatorImpl::scores(const at::Tensor& means) const {
  return dense(activate(means, Activation::kTanh), classifier_weight_, classifier_bias_);
}

at::Tensor DiscriminatorImpl::loss(const GraphBatch& batch, const DisentangleOutput& layer,
                                   const NodeWeights& weights) {
  return factor_label_loss(forward(batch, layer, weights), batch.real_graphs());
}

}  // namespace factorgcn
