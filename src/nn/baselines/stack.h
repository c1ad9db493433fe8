// What the compared networks share beside the shell of all networks (nn/network_shell.h): a stack of convolutions.
//
//   block l: y = the shell's end of convolve_l(x), and y + x where residual and both are as wide
//
// A network is one file: a class with its convolution, and a maker that reads its settings. A convolution has two
// halves, map_nodes() and gather(), so that one graph in parts can bring rows that other parts own between them
// (stack_in_parts.h): what neighbours read of a node is named once, and nobody else needs to know of parts.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/settings.h"
#include "factorgcn/nn/graph_piece.h"
#include "factorgcn/nn/network_shell.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn::baselines {

struct StackOptions : ShellOptions {
  std::string name;  ///< of the model, for errors and its random stream
  std::int64_t edge_types = 0;
  std::int64_t layers = 4;
  bool residual = true;

  StackOptions() {
    hidden = 64;
    batch_norm = true;
    activation = Activation::kRelu;
    readout = Readout::kMeanMlp;
  }
};

/// Reads the settings that all of these networks have; `options` holds what applies where nothing is given.
void read_stack(SettingsReader& reader, const ModelInput& input, StackOptions& options);

/// One forward pass: the batch, and what layers add to it on the way.
struct StackPass {
  const GraphBatch& batch;
  bool with_regulariser = false;
  at::Tensor regulariser = {};        ///< sum of the layers' so far; undefined where none
  NodeWeights weights = {};           ///< for prepare() to set
  at::Tensor edge_values = {};        ///< [E, columns]; for prepare() to set
  const GraphPiece* piece = nullptr;  ///< where the batch is a part of a graph

  void add_regulariser(const at::Tensor& loss);
  /// Weights of messages by the degrees at an edge's ends, with those of edges where defined.
  NodeWeights degree_weights(EdgeNorm norm, const at::Tensor& edge_weights, at::ScalarType type) const;
};

/// What a layer computes of each node by itself: tables with a row for each, [N, ...].
struct NodeTables {
  std::vector<at::Tensor> sent;  ///< neighbours read them: for gather() they may have rows for sources behind
  std::vector<at::Tensor> kept;  ///< the node alone does
};

class StackModel : public NetworkShell {
 public:
  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) final;
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) final;
  at::Tensor hidden_features(const GraphBatch& batch) final;

  const StackOptions& options() const { return options_; }

  /// Why the network cannot run on parts of a graph, as a sentence that follows "it"; empty: it can.
  virtual std::string needs_whole_graphs() const { return ""; }

  friend class StackInParts;

 protected:
  StackModel(const StackOptions& options, std::uint64_t seed);

  /// Layer `layer`, from 0, of [N, in_width(layer)]: first half.
  virtual NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& pass) = 0;
  /// Second half, to [N, hidden] (or to what inner_norm() takes).
  virtual at::Tensor gather(std::size_t layer, const NodeTables& nodes, StackPass& pass) = 0;
  /// A layer's batch norm with relu between the sums and its end; null where it has none.
  virtual const BatchNormState* inner_norm(std::size_t /*layer*/) const { return nullptr; }
  /// What follows on inner_norm(), or where there is none on gather().
  virtual at::Tensor finish_layer(std::size_t /*layer*/, const at::Tensor& y) { return y; }
  /// Numbers of a node in NodeTables::sent.
  virtual std::int64_t sent_width(std::size_t layer) const = 0;
  /// What all layers need of the batch.
  virtual void prepare(StackPass& /*pass*/) {}
  /// Called with the last layer's output where a regulariser is wanted.
  virtual void judge(const at::Tensor& /*last*/, StackPass& /*pass*/) {}
  /// factor_coefficients() of a layer from its input.
  virtual at::Tensor coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass);

 private:
  /// Layer `layer`: [N, in_width(layer)] to [N, hidden].
  at::Tensor convolve(std::size_t layer, const at::Tensor& x, StackPass& pass);
  /// With the block's input where it is added.
  at::Tensor with_residual(const at::Tensor& x, const at::Tensor& y) const;
  /// Block `layer` of x.
  at::Tensor block(std::size_t layer, const at::Tensor& x, const at::Tensor& row_scale, StackPass& pass);
  /// The input of layer `layer`, computed without gradients.
  at::Tensor input_of(std::size_t layer, StackPass& pass);

  StackOptions options_;
};

}  // namespace factorgcn::baselines
