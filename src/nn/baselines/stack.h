// What the compared networks share beside the shell of all networks (nn/network_shell.h): a stack of convolutions.
//
//   block l: y = the shell's end of convolve_l(x), and y + x where residual and both are as wide
//
// A network is one file: a class with its convolution, and a maker that reads its settings.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "factorgcn/base/settings.h"
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
  at::Tensor regulariser = {};  ///< sum of the layers' so far; undefined where none
  NodeWeights weights = {};     ///< for prepare() to set
  at::Tensor edge_values = {};  ///< [E, columns]; for prepare() to set

  void add_regulariser(const at::Tensor& loss);
};

class StackModel : public NetworkShell {
 public:
  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) final;
  at::Tensor factor_coefficients(const GraphBatch& batch, int layer) final;
  at::Tensor hidden_features(const GraphBatch& batch) final;

  const StackOptions& options() const { return options_; }

 protected:
  StackModel(const StackOptions& options, std::uint64_t seed);

  /// Layer `layer`, from 0: [N, in_width(layer)] to [N, hidden].
  virtual at::Tensor convolve(std::size_t layer, const at::Tensor& x, StackPass& pass) = 0;
  /// What all layers need of the batch.
  virtual void prepare(StackPass& /*pass*/) {}
  /// Called with the last layer's output where a regulariser is wanted.
  virtual void judge(const at::Tensor& /*last*/, StackPass& /*pass*/) {}
  /// factor_coefficients() of a layer from its input.
  virtual at::Tensor coefficients(std::size_t layer, const at::Tensor& x, StackPass& pass);

 private:
  /// Block `layer` of x.
  at::Tensor block(std::size_t layer, const at::Tensor& x, const at::Tensor& row_scale, StackPass& pass);
  /// The input of layer `layer`, computed without gradients.
  at::Tensor input_of(std::size_t layer, StackPass& pass);

  StackOptions options_;
};

}  // namespace factorgcn::baselines
