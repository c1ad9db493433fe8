// disentangle_stack: its place in libtorch's graph of gradients. The arithmetic is in ops/cpu/disentangle_stack.cpp.
//
// A node of its own instead of torch::autograd::Function: it takes any number of tensors, and what is kept for the
// backward pass is not tensors.
#include "factorgcn/ops/disentangle_stack.h"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <utility>

#include "ops/cpu/disentangle_stack.h"
#include "ops/registration.h"

namespace factorgcn {
namespace {

using torch::autograd::variable_list;

/// The differentiable tensors of a block in a fixed order.
void append_tensors(const StackBlock& block, variable_list& list) {
  const DiscriminatorWeights& judge = block.judge;
  list.insert(list.end(), {block.weight, block.bias, block.gate_weight, block.gate_bias, judge.first_weight,
                           judge.first_bias, judge.second_weight, judge.second_bias, judge.classifier_weight,
                           judge.classifier_bias, block.gamma, block.beta});
}

struct StackBackward : torch::autograd::Node {
  std::unique_ptr<cpu::StackPass> pass;
  bool has_loss = false;

  std::string name() const override { return "DisentangleStackBackward"; }

  variable_list apply(variable_list&& grads) override {
    refuse_second_derivative("disentangle_stack");
    require(pass != nullptr, "disentangle_stack: gone back a second time; call the first backward() with retain_graph");
    const at::Tensor grad_loss = has_loss ? grads.back() : at::Tensor();
    if (has_loss) {
      grads.pop_back();
    }
    const cpu::StackGradients gradients = pass->backward(grads, grad_loss, task_should_compute_output(0));
    variable_list all{gradients.x};
    for (const StackBlock& block : gradients.blocks) {
      append_tensors(block, all);
    }
    return all;
  }

  void release_variables() override { pass.reset(); }
};

}  // namespace

bool fits_tiles(const at::Tensor& graph_offsets) {
  if (!graph_offsets.device().is_cpu()) {
    return false;
  }
  const std::int64_t* offsets = graph_offsets.data_ptr<std::int64_t>();
  for (std::int64_t graph = 0; graph + 1 < graph_offsets.numel(); ++graph) {
    if (offsets[graph + 1] - offsets[graph] > kMostTileNodes) {
      return false;
    }
  }
  return true;
}

StackResult disentangle_stack(const StackInputs& inputs, const StackOptions& options) {
  variable_list tensors{inputs.x};
  for (const StackBlock& block : inputs.blocks) {
    append_tensors(block, tensors);
  }
  bool differentiable = false;
  for (const at::Tensor& tensor : tensors) {
    differentiable = differentiable || (tensor.defined() && tensor.requires_grad());
  }
  differentiable = differentiable && at::GradMode::is_enabled();
  cpu::StackForward forward;
  {
    const at::NoGradGuard no_gradient;
    forward = cpu::disentangle_stack_forward(inputs, options, differentiable);
  }
  if (differentiable) {
    const std::shared_ptr<StackBackward> node(new StackBackward(), torch::autograd::deleteNode);
    node->pass = std::move(forward.pass);
    node->has_loss = forward.result.loss.defined();
    node->set_next_edges(torch::autograd::collect_next_edges(tensors));
    for (at::Tensor& end : forward.result.ends) {
      torch::autograd::set_history(end, node);
    }
    if (node->has_loss) {
      torch::autograd::set_history(forward.result.loss, node);
    }
  }
  return std::move(forward.result);
}

}  // namespace factorgcn
