// What all networks share around their layers: the input, the ends of blocks, the readout and its head.
//
//   x0 = dropout of: embedding(node types), one-hot node types (embedding width 0) or node features, scaled
//   block l: x = activation(batch_norm(n_graph^-1/2 * layer_l(x)))      batch norm and size norm where asked for
//            and dropout of it, but for the readout kLayerSum, which drops scores instead
//   readout (Readout):
//     kMeanTanh   linear(tanh(mean over nodes of x))                                            synthetic
//     kMeanRelu   linear(relu(mean over nodes of x))
//     kMeanMlp    linear(relu(linear_{hidden -> hidden/2}(relu(mean over nodes of x))))          ZINC
//     kNodeMlp    the same per node, without the mean                                           PATTERN
//     kNodeLinear linear(x) per node
//     kLayerSum   sum over the input and every layer of dropout(linear(sum over nodes of x_l))  TU sets
//
// Shapes: features [N, F] (or int64 [N] node types) -> [G, outputs], or [N, outputs] for the per-node readouts.
//
// A network on this shell can be recorded (docs/gpu.md) as long as its layers look at a node and its neighbours alone,
// which in a padded batch are never dummies: what runs here over all nodes or graphs is told how many are real.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/random.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/nn/input_scale.h"
#include "factorgcn/nn/linear_map.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/batch_norm.h"

namespace factorgcn {

enum class Readout { kMeanTanh, kMeanRelu, kMeanMlp, kNodeMlp, kNodeLinear, kLayerSum };

/// True where each node gets a prediction of its own.
inline bool is_node_readout(Readout readout) { return readout == Readout::kNodeMlp || readout == Readout::kNodeLinear; }

FACTORGCN_API const char* readout_name(Readout readout);
/// `what` is named in the error, e.g. "model gcn: readout".
FACTORGCN_API Readout readout_from_name(const std::string& name, const std::string& what = "readout");

struct FACTORGCN_API ShellOptions {
  std::int64_t in_features = 0;  ///< columns of float features; 0 when node types are embedded
  std::int64_t node_types = 0;   ///< number of node types; 0 when features are given
  std::int64_t embedding = 36;   ///< width of the node-type embedding; 0: node types are one-hot columns
  std::int64_t outputs = 1;
  std::int64_t hidden = 32;  ///< output width of each layer
  bool batch_norm = false;
  bool size_norm = false;  ///< multiply by n_graph^-1/2 before batch norm
  Activation activation = Activation::kLeakyRelu;
  double slope = 0.2;
  Readout readout = Readout::kMeanTanh;
  double dropout = 0.0;        ///< of each block's end; for kLayerSum of each level's scores
  double input_dropout = 0.0;  ///< of x0
  InputScale scale = InputScale::kNone;
  bool edge_weights = false;  ///< the layers look at GraphBatch::edge_weights
};

/// Throws UsageError, naming the network, the option and its value, where one is out of range.
FACTORGCN_API void check_shell(const std::string& name, const ShellOptions& options);

class FACTORGCN_API NetworkShell : public GraphModel {
 public:
  bool can_be_recorded() const override { return true; }
  /// The columns' means and deviations and the mean weight of an edge, where the options ask for them.
  void learn_input(const Dataset& dataset) override;
  /// Whether learn_input() looks at the columns' means and deviations; and these from elsewhere.
  bool scales_columns() const { return shell_.scale == InputScale::kStandard; }
  void set_columns(const ColumnScale& columns);

  friend class ShellInParts;  // src/nn/shell_in_parts.h: the same on one graph in parts

 protected:
  /// Checks the options and registers the embedding and the blocks' norms. `name`: of the network, for errors and its
  /// random stream.
  NetworkShell(std::string name, const ShellOptions& options, std::int64_t layers, std::uint64_t seed);
  /// Registers the readout's maps; to be called once. Networks differ in whether they draw these or their layers'
  /// weights first, and a seed must go on giving the weights it gave.
  void make_head();

  std::size_t num_layers() const { return static_cast<std::size_t>(layers_); }
  /// Of layer `layer`'s input, from 0.
  std::int64_t in_width(std::size_t layer) const { return layer == 0 ? input_width_ : shell_.hidden; }
  /// Where initial weights come from: they depend on the options and the seed alone.
  RandomStream& random() { return random_; }
  /// Registered as NAME_weight [out, in] and NAME_bias [out] (undefined without).
  LinearMap make_linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias = true);
  BatchNormState make_norm(const std::string& name, std::int64_t width);
  /// Of each block; empty without batch norm.
  const std::vector<BatchNormState>& norms() const { return norms_; }

  /// x0; sparse features stay sparse.
  at::Tensor input_features(const GraphBatch& batch) const;
  /// Of each edge, divided by the mean of the training data, [E]; undefined unless the options ask for them.
  at::Tensor edge_weights_of(const GraphBatch& batch) const;
  /// A block's end as the next block or the readout reads it.
  at::Tensor drop_out(const at::Tensor& x) const;
  /// Whether drop_out() changes anything now.
  bool drops_blocks() const { return shell_.dropout > 0 && !reads_every_level() && drops_out(); }
  /// What rows are multiplied by at the end of each block, [N]; undefined where that is 1.
  at::Tensor row_scale_of(const GraphBatch& batch, at::ScalarType type) const;
  /// The end of block `layer`, whose layer gave y, [N, hidden].
  at::Tensor finish_block(std::size_t layer, const at::Tensor& y, const at::Tensor& row_scale,
                          const GraphBatch& batch) const;

  /// Whether the readout looks at the input and every block, or at the last block alone.
  bool reads_every_level() const { return shell_.readout == Readout::kLayerSum; }
  /// What the readout takes of a level: [N, C], or [G, C] where it is summed or averaged.
  at::Tensor pool(const GraphBatch& batch, const at::Tensor& x) const;
  /// Predictions from what was pooled: of every level, the input first, or of the last block.
  at::Tensor read_out(const std::vector<at::Tensor>& pooled) const;

 private:
  std::string name_;
  ShellOptions shell_;
  std::int64_t layers_, input_width_;
  RandomStream random_;
  at::Tensor embedding_;
  ColumnScale columns_;          ///< where scale is kStandard
  at::Tensor edge_weight_mean_;  ///< [1], where edge weights are used
  std::vector<BatchNormState> norms_;
  std::vector<LinearMap> head_;
};

}  // namespace factorgcn
