// FactorGcn on one graph in parts (nn/models_in_parts.h).
//
// Per layer the halo takes h of each node, d numbers, from which each part computes the gates' halves itself; per
// convolution of the discriminator after the first its features, K max(d / 2, 1). Operations run one after the other: a
// graph that is cut is large.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/nn/graph_piece.h"
#include "factorgcn/nn/part_exchange.h"
#include "nn/shell_in_parts.h"

namespace factorgcn {

class FactorGcnInParts {
 public:
  static std::int64_t halo_numbers(const FactorGcn& model, bool judged);

  /// All must outlive this.
  FactorGcnInParts(std::span<const std::shared_ptr<GraphModel>> copies, std::span<const GraphPiece> pieces,
                   PartExchange& exchange);

  std::vector<ModelOutput> forward(bool with_regulariser);

 private:
  struct Part {
    FactorGcn& network;
    const GraphPiece& piece;
    NodeWeights weights;
    at::Tensor x;  ///< what the next layer reads
  };

  /// What a layer computes on each part here; reads their x and lets go of it.
  std::vector<DisentangleOutput> run_layer(std::size_t index, bool judged);
  std::vector<at::Tensor> judge(std::size_t index, const std::vector<DisentangleOutput>& layer);
  void finish_layer(std::size_t index, const std::vector<DisentangleOutput>& layer);

  std::vector<Part> parts_;
  ShellInParts shell_;
};

}  // namespace factorgcn
