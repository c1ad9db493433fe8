// FactorGcn: disentangle layers stacked, each with its discriminator, within the shell of all networks.
//
//   block l: x = the shell's end of layer_l(x)                                                  (nn/network_shell.h)
//   regulariser = sum over layers of the discriminator's loss
//
// Layers and discriminators run in one of several ways that give the same up to rounding; src/ops/layer_way.h chooses.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/nn/discriminator.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/nn/network_shell.h"

namespace factorgcn {

enum class LayerWay;
class FactorGcnInParts;

struct FACTORGCN_API FactorGcnOptions : ShellOptions {
  std::vector<std::int64_t> factors{4, 2};  ///< K of each layer; hidden must divide by each
  double gate_scale = 6.0;
  EdgeNorm norm = EdgeNorm::kSource;
  bool discriminator = true;  ///< false: no regulariser and no weights for it
  int discriminator_depth = 2;
  bool tiles = true;  ///< false: on a CPU always one operation after the other, also where tiles would do
};

/// Throws UsageError, naming the option and its value, where the sizes do not fit.
FACTORGCN_API void check_options(const FactorGcnOptions& options);

class FACTORGCN_API FactorGcn : public NetworkShell {
 public:
  /// Initial weights depend on the options and the seed alone.
  FactorGcn(const FactorGcnOptions& options, std::uint64_t seed);

  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) override;
  StepOutput forward_in_step(const GraphBatch& batch, bool with_regulariser) override;
  int num_factor_layers() const override { return static_cast<int>(num_layers()); }
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) override;
  at::Tensor hidden_features(const GraphBatch& batch) override;

  const FactorGcnOptions& options() const { return options_; }

 private:
  friend class FactorGcnInParts;  // src/nn/factor_gcn_in_parts.h: the same on one graph in parts

  /// The blocks' results as the readout wants them (one tensor, or one per level), and the regularisers.
  struct Blocks {
    std::vector<at::Tensor> pooled;
    std::vector<at::Tensor> regularisers;
  };
  LayerWay way_of(std::size_t index, const GraphBatch& batch, const at::Tensor& x, bool judged) const;
  Blocks run_as_stack(const GraphBatch& batch, const at::Tensor& x, bool judged);
  NodeWeights node_weights_of(const GraphBatch& batch, at::ScalarType type) const;
  /// `first`: the way of the first layer.
  Blocks run_one_by_one(const GraphBatch& batch, const at::Tensor& x, bool judged, LayerWay first);
  LayerStep layer_step(std::size_t index, const GraphBatch& batch, const at::Tensor& x, const NodeWeights& weights,
                       bool judged);
  /// What layer `layer` computes, composed.
  DisentangleOutput composed_output(std::size_t layer, const GraphBatch& batch);

  FactorGcnOptions options_;
  std::vector<DisentangleLayer> layers_;
  std::vector<Discriminator> discriminators_;
};

}  // namespace factorgcn
