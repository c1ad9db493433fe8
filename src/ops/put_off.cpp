// Which gradients may be put off, and the backward pass that does so. Cost: one walk over the graph's nodes.
#include "ops/put_off.h"

#include <torch/csrc/autograd/anomaly_mode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <unordered_set>
#include <utility>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Edge;
using torch::autograd::Node;

constexpr auto kKind = c10::DebugInfoKind::PRODUCER_INFO;

/// Hooks that run once a gradient is in its place. libtorch 1.13 has none: the second function is for it.
template <class Leaf>
auto has_late_hooks(Leaf& leaf, int) -> decltype(leaf.tensor_post_acc_grad_hooks() != nullptr) {
  return leaf.tensor_post_acc_grad_hooks() != nullptr;
}
template <class Leaf>
bool has_late_hooks(Leaf&, ...) {
  return false;
}

/// Whether autograd takes the first gradient it gets for the leaf as it is, and shows it to nobody. Gradients are made
/// contiguous; a leaf that is not gets a copy.
bool takes_unseen(AccumulateGrad& leaf) {
  const at::Tensor& variable = leaf.variable;
  return variable.defined() && !variable.grad().defined() && variable.is_contiguous() && leaf.pre_hooks().empty() &&
         leaf.post_hooks().empty() && torch::autograd::impl::hooks(variable).empty() && !has_late_hooks(leaf, 0);
}

}  // namespace

PutOffPass::PutOffPass(const std::vector<at::Tensor>& roots, const at::Tensor& one) : one_(one) {
  if (torch::autograd::AnomalyMode::is_enabled()) {
    return;  // it looks at every gradient
  }
  struct Way {
    int edges = 0;
    bool seen = false;  // by a hook of the node that the edge comes from
  };
  std::unordered_map<AccumulateGrad*, Way> ways;
  std::unordered_set<Node*> known;
  std::vector<Node*> left;
  const auto follow = [&](const Edge& edge, bool seen) {
    Node* const node = edge.function.get();
    if (node == nullptr) {
      return;
    }
    if (auto* const leaf = dynamic_cast<AccumulateGrad*>(node)) {
      Way& way = ways[leaf];
      ++way.edges;
      way.seen = way.seen || seen;
    } else if (known.insert(node).second) {
      left.push_back(node);
    }
  };
  for (const at::Tensor& root : roots) {
    if (root.requires_grad()) {
      follow(torch::autograd::impl::gradient_edge(root), true);
    }
  }
  while (!left.empty()) {
    Node* const node = left.back();
    left.pop_back();
    for (const Edge& edge : std::as_const(*node).next_edges()) {
      follow(edge, !node->post_hooks().empty());
    }
  }
  for (const auto& [leaf, way] : ways) {
    if (way.edges == 1 && !way.seen && takes_unseen(*leaf)) {
      leaves_.emplace(leaf->variable.unsafeGetTensorImpl(), leaf->variable);
    }
  }
}

PutOffPass::~PutOffPass() = default;

PutOffPass* PutOffPass::current() { return dynamic_cast<PutOffPass*>(c10::ThreadLocalDebugInfo::get(kKind)); }

void PutOffPass::promise(const at::Tensor& weight, const at::Tensor& gradient) {
  const std::lock_guard lock(mutex_);
  promises_.push_back({leaves_.at(weight.unsafeGetTensorImpl()), gradient.data_ptr(), gradient._version()});
}

std::size_t PutOffPass::promised() const {
  const std::lock_guard lock(mutex_);
  return promises_.size();
}

void PutOffPass::finish() {
  const std::lock_guard lock(mutex_);
  const std::shared_ptr<PutOffWork> work = std::exchange(work_, nullptr);
  for (const Promise& promise : promises_) {
    if (!promise.kept()) {
      const auto shape = promise.leaf.sizes();
      forget();
      fail("backward_in_step: the gradient of a weight of shape ", shape,
           " was put off, and something else was done to it meanwhile; do not let two backward passes run into the "
           "same weights at a time");
    }
  }
  promises_.clear();
  if (work != nullptr) {
    work->run();
  }
}

void PutOffPass::drop() {
  const std::lock_guard lock(mutex_);
  work_.reset();
  forget();
}

void PutOffPass::forget() {
  for (Promise& promise : promises_) {
    at::Tensor& gradient = promise.leaf.mutable_grad();
    if (gradient.defined() && gradient.data_ptr() == promise.memory) {
      gradient.reset();
    }
  }
  promises_.clear();
}

bool PutOffPass::Promise::kept() const {
  const at::Tensor& gradient = leaf.grad();
  // A gradient that something was added to has another version.
  return gradient.defined() && gradient.data_ptr() == memory && gradient._version() == version;
}

void backward_putting_off(const std::vector<at::Tensor>& roots, const std::vector<at::Tensor>& gradients,
                          const at::Tensor& one) {
  const auto pass = std::make_shared<PutOffPass>(roots, one);
  try {
    const c10::DebugInfoGuard guard(kKind, pass);
    torch::autograd::backward(roots, gradients);
  } catch (...) {
    pass->drop();  // autograd may hold on to the pass for a while
    throw;
  }
  pass->finish();
}

}  // namespace factorgcn
