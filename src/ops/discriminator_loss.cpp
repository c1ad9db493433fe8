// discriminator_loss: schema, gradient and the C++ function. The arithmetic is in ops/cpu/discriminator_loss.cpp.
#include "factorgcn/ops/discriminator_loss.h"

#include <ATen/TensorOperators.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "ops/discriminator_loss_schema.h"

namespace factorgcn {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

constexpr int kDifferentiable = 10;  // x, gate_sum, left, right and six weights come first
constexpr int kOthers = 9;

TORCH_LIBRARY_FRAGMENT(factorgcn, library) {
  library.def(
      "discriminator_loss(Tensor x, Tensor gate_sum, Tensor left, Tensor right, Tensor first_weight, "
      "Tensor first_bias, Tensor second_weight, Tensor second_bias, Tensor classifier_weight, Tensor classifier_bias, "
      "Tensor? source_weight, Tensor? target_weight, Tensor in_offsets, Tensor in_sources, Tensor out_offsets, "
      "Tensor out_targets, Tensor in_to_out, Tensor graph_offsets, float gate_scale) -> Tensor[]");
}

struct DiscriminatorLossFunction : torch::autograd::Function<DiscriminatorLossFunction> {
  template <class... Arguments>
  static at::Tensor forward(AutogradContext* context, const Arguments&... arguments) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    static const auto operation = find_operation<DiscriminatorLossSignature>("factorgcn::discriminator_loss");
    variable_list results = operation.call(arguments...);
    at::Tensor loss = results.front();
    results.erase(results.begin());
    context->save_for_backward(std::move(results));
    return loss;
  }

  static variable_list backward(AutogradContext* context, const variable_list& grads) {
    refuse_second_derivative("discriminator_loss");
    variable_list gradients = context->get_saved_variables();
    for (at::Tensor& gradient : gradients) {
      gradient = gradient * grads[0];
    }
    gradients.resize(kDifferentiable + kOthers);
    return gradients;
  }
};

std::vector<at::Tensor> discriminator_loss_autograd(
    const at::Tensor& x, const at::Tensor& gate_sum, const at::Tensor& left, const at::Tensor& right,
    const at::Tensor& first_weight, const at::Tensor& first_bias, const at::Tensor& second_weight,
    const at::Tensor& second_bias, const at::Tensor& classifier_weight, const at::Tensor& classifier_bias,
    const OptionalTensor& source_weight, const OptionalTensor& target_weight, const at::Tensor& in_offsets,
    const at::Tensor& in_sources, const at::Tensor& out_offsets, const at::Tensor& out_targets,
    const at::Tensor& in_to_out, const at::Tensor& graph_offsets, double gate_scale) {
  return {DiscriminatorLossFunction::apply(x, gate_sum, left, right, first_weight, first_bias, second_weight,
                                           second_bias, classifier_weight, classifier_bias, source_weight,
                                           target_weight, in_offsets, in_sources, out_offsets, out_targets, in_to_out,
                                           graph_offsets, gate_scale)};
}

TORCH_LIBRARY_IMPL(factorgcn, Autograd, library) { library.impl("discriminator_loss", discriminator_loss_autograd); }

}  // namespace

at::Tensor discriminator_loss(const Adjacency& edges, const at::Tensor& graph_offsets, const at::Tensor& x,
                              const at::Tensor& gate_sum, const at::Tensor& left, const at::Tensor& right,
                              const NodeWeights& weights, double gate_scale, const DiscriminatorWeights& parameters) {
  static const auto operation = find_operation<DiscriminatorLossSignature>("factorgcn::discriminator_loss");
  return operation
      .call(x, gate_sum, left, right, parameters.first_weight, parameters.first_bias, parameters.second_weight,
            parameters.second_bias, parameters.classifier_weight, parameters.classifier_bias, optional(weights.source),
            optional(weights.target), edges.in_offsets, edges.in_sources, edges.out_offsets, edges.out_targets,
            edges.in_to_out, graph_offsets, gate_scale)
      .front();
}

}  // namespace factorgcn
