// The compared networks on one graph in parts (nn/models_in_parts.h).
//
// Per layer the halo takes what the network says that neighbours read of a node, NodeTables::sent, and nothing else.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "nn/baselines/stack.h"
#include "nn/shell_in_parts.h"

namespace factorgcn::baselines {

class StackInParts {
 public:
  static std::int64_t halo_numbers(const StackModel& model);

  /// All must outlive this.
  StackInParts(std::span<const std::shared_ptr<GraphModel>> copies, std::span<const GraphPiece> pieces,
               PartExchange& exchange);

  std::vector<ModelOutput> forward();

 private:
  struct Part {
    StackModel& network;
    StackPass pass;
    at::Tensor x;  ///< what the next layer reads
  };

  /// What a layer gives on each part here.
  std::vector<at::Tensor> convolve(std::size_t layer);

  std::vector<Part> parts_;
  ShellInParts shell_;
};

}  // namespace factorgcn::baselines
