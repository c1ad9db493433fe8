// The stack of disentangle blocks on the CPU: what ops/disentangle_stack.cpp, which knows of gradients, asks for.
#pragma once

#include <memory>
#include <vector>

#include "factorgcn/ops/disentangle_stack.h"

namespace factorgcn::cpu {

/// Gradients of x and of each block's tensors; undefined where nothing was asked for.
struct StackGradients {
  at::Tensor x;
  std::vector<StackBlock> blocks;  // without running moments
};

/// A forward pass that can be gone back.
class StackPass {
 public:
  virtual ~StackPass() = default;
  /// Gradients of the ends (undefined: none) and of the loss (undefined: none). May be called again.
  virtual StackGradients backward(const std::vector<at::Tensor>& grad_ends, const at::Tensor& grad_loss,
                                  bool wants_x) = 0;
};

struct StackForward {
  StackResult result;
  std::unique_ptr<StackPass> pass;
};

/// `gradients`: whether the pass will be gone back; without it the loss is computed, but nothing is kept.
StackForward disentangle_stack_forward(const StackInputs& inputs, const StackOptions& options, bool gradients);

}  // namespace factorgcn::cpu
