// FactorGcn: disentangle layers stacked, with the published networks' ends.
//
//   x0 = embedding(node types), one-hot node types (embedding width 0) or node features
//   block l: x = activation(batch_norm(n_graph^-1/2 * layer_l(x)))      batch norm and size norm where asked for
//   readout (Readout):
//     kMeanTanh   linear(tanh(mean over nodes of x))                                            synthetic
//     kMeanMlp    linear(relu(linear_{hidden -> hidden/2}(relu(mean over nodes of x))))          ZINC
//     kNodeMlp    the same per node, without the mean                                           PATTERN
//     kNodeLinear linear(x) per node
//     kLayerSum   sum over the input and every layer of dropout(linear(sum over nodes of x_l))  TU sets
//
// On a CPU, batches of small graphs take all blocks as one operation (ops/disentangle_stack.h); large graphs, GPUs and
// discriminators of depth 3 take one operation after the other.
//
// Shapes: features [N, F] (or int64 [N] node types) -> [G, outputs], or [N, outputs] for the per-node readouts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/nn/discriminator.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/batch_norm.h"

namespace factorgcn {

enum class Readout { kMeanTanh, kMeanMlp, kNodeMlp, kNodeLinear, kLayerSum };

/// True where each node gets a prediction of its own.
inline bool is_node_readout(Readout readout) { return readout == Readout::kNodeMlp || readout == Readout::kNodeLinear; }

FACTORGCN_API const char* readout_name(Readout readout);
FACTORGCN_API Readout readout_from_name(const std::string& name);

struct FACTORGCN_API FactorGcnOptions {
  std::int64_t in_features = 0;  ///< columns of float features; 0 when node types are embedded
  std::int64_t node_types = 0;   ///< number of node types; 0 when features are given
  std::int64_t embedding = 36;   ///< width of the node-type embedding; 0: node types are one-hot columns
  std::int64_t outputs = 1;
  std::int64_t hidden = 32;                 ///< output width of each layer
  std::vector<std::int64_t> factors{4, 2};  ///< K of each layer; hidden must divide by each
  double gate_scale = 6.0;
  EdgeNorm norm = EdgeNorm::kSource;
  bool batch_norm = false;
  bool size_norm = false;  ///< multiply by n_graph^-1/2 before batch norm
  Activation activation = Activation::kLeakyRelu;
  double slope = 0.2;
  Readout readout = Readout::kMeanTanh;
  double dropout = 0.0;       ///< kLayerSum only
  bool discriminator = true;  ///< false: no regulariser and no weights for it
  int discriminator_depth = 2;
  bool tiles = true;  ///< false: always one operation after the other, also where tiles would do
};

/// Throws UsageError, naming the option and its value, where the sizes do not fit.
FACTORGCN_API void check_options(const FactorGcnOptions& options);

class FACTORGCN_API FactorGcn : public GraphModel {
 public:
  /// Initial weights depend on the options and the seed alone.
  FactorGcn(const FactorGcnOptions& options, std::uint64_t seed);

  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) override;
  StepOutput forward_in_step(const GraphBatch& batch, bool with_regulariser) override;
  bool can_be_recorded() const override { return true; }
  int num_factor_layers() const override;
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) override;
  at::Tensor hidden_features(const GraphBatch& batch) override;

  const FactorGcnOptions& options() const { return options_; }

 private:
  struct Linear {
    at::Tensor weight, bias;
  };
  Linear make_linear(const std::string& name, std::int64_t in, std::int64_t out, RandomStream& random);
  at::Tensor input_features(const GraphBatch& batch) const;
  /// The blocks' results as the readout wants them (one tensor, or one per level), and the regularisers.
  struct Blocks {
    std::vector<at::Tensor> ends;
    std::vector<at::Tensor> regularisers;
  };
  bool in_tiles(const GraphBatch& batch, bool judged) const;
  Blocks run_in_tiles(const GraphBatch& batch, const at::Tensor& x, bool judged);
  Blocks run_one_by_one(const GraphBatch& batch, const at::Tensor& x, bool judged);
  /// How a layer and its discriminator run (ops/layer_tiles.h).
  enum class LayerWay { kTiles, kRows, kComposed };
  LayerWay layer_way(std::size_t index, const GraphBatch& batch, const at::Tensor& x, bool judged) const;
  LayerStep layer_step(std::size_t index, const GraphBatch& batch, const at::Tensor& x, const NodeWeights& weights,
                       bool judged);
  at::Tensor finish_block(std::size_t index, const at::Tensor& x, const at::Tensor& size_scale,
                          const at::Tensor& real_nodes) const;
  at::Tensor read_out(const std::vector<at::Tensor>& ends);

  FactorGcnOptions options_;
  at::Tensor embedding_;
  std::vector<DisentangleLayer> layers_;
  std::vector<Discriminator> discriminators_;
  std::vector<BatchNormState> norms_;
  std::vector<Linear> head_;
};

}  // namespace factorgcn
