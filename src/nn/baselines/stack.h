// What the compared networks share: the input, a stack of convolutions with what stands around each, and the ending.
//
//   x0 = embedding(node types), one-hot node types (embedding width 0) or node features
//   block l: y = activation(batch_norm(n_graph^-1/2 * convolve_l(x))), and y + x where residual and both are as wide
//   ending:
//     mean_tanh   linear(tanh(mean over nodes of x))
//     mean_relu   linear(relu(mean over nodes of x))
//     mean_mlp    linear(relu(linear_{hidden -> hidden/2}(relu(mean over nodes of x))))
//     node_mlp    the same per node, without the mean
//     node_linear linear(x) per node
//     layer_sum   sum over the input and every layer of dropout(linear(sum over nodes of x_l))
//
// A network is one file: a class with its convolution, and a maker that reads its settings. All of them can be recorded
// (docs/gpu.md): a convolution looks at a node and its neighbours, which in a padded batch are never dummies, and what
// runs over all nodes or graphs is told how many are real.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/base/settings.h"
#include "factorgcn/nn/disentangle_layer.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/ops/batch_norm.h"
#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn::baselines {

enum class Ending { kMeanTanh, kMeanRelu, kMeanMlp, kNodeMlp, kNodeLinear, kLayerSum };

/// The activations of ops/activation.h, and the exponential linear unit.
enum class Bend { kNone, kRelu, kLeakyRelu, kTanh, kElu };

struct StackOptions {
  std::string name;  ///< of the model, for errors and its random stream
  std::int64_t in_features = 0, node_types = 0, outputs = 1, edge_types = 0;
  std::int64_t embedding = 36;  ///< width of the node-type embedding; 0: one-hot columns
  std::int64_t hidden = 64;
  std::int64_t layers = 4;
  bool batch_norm = true, size_norm = false, residual = true;
  Bend activation = Bend::kRelu;
  double slope = 0.2;
  Ending ending = Ending::kMeanMlp;
  double dropout = 0;
};

/// Reads the settings that all networks have; `options` holds what applies where nothing is given.
void read_stack(SettingsReader& reader, const ModelInput& input, StackOptions& options);

/// One forward pass: the batch, and what layers add to it on the way.
struct StackPass {
  const GraphBatch& batch;
  bool with_regulariser = false;
  at::Tensor regulariser;  ///< sum of the layers' so far; undefined where none
  NodeWeights weights;     ///< for prepare() to set
  at::Tensor edge_values;  ///< [E, columns]; for prepare() to set

  void add_regulariser(const at::Tensor& loss);
};

class StackModel : public GraphModel {
 public:
  ModelOutput forward(const GraphBatch& batch, bool with_regulariser = true) final;
  bool can_be_recorded() const final { return true; }
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

  std::int64_t in_width(std::size_t layer) const { return layer == 0 ? input_width_ : options_.hidden; }
  std::size_t num_layers() const { return static_cast<std::size_t>(options_.layers); }
  RandomStream& random() { return random_; }
  /// Registered as NAME_weight [out, in] and NAME_bias [out] (undefined without).
  LinearMap make_linear(const std::string& name, std::int64_t in, std::int64_t out, bool bias = true);
  BatchNormState make_norm(const std::string& name, std::int64_t width);

 private:
  at::Tensor input_features(const GraphBatch& batch) const;
  at::Tensor finish_block(std::size_t layer, const at::Tensor& y, const at::Tensor& x, const at::Tensor& row_scale,
                          const at::Tensor& real_nodes) const;
  at::Tensor read_out(const GraphBatch& batch, const std::vector<at::Tensor>& levels) const;
  /// What block l's rows are multiplied by, [N]; undefined where that is 1.
  at::Tensor row_scale_of(const GraphBatch& batch, at::ScalarType type) const;

  StackOptions options_;
  RandomStream random_;
  std::int64_t input_width_ = 0;
  at::Tensor embedding_;
  std::vector<BatchNormState> norms_;
  std::vector<LinearMap> head_;
};

at::Tensor bend(const at::Tensor& x, Bend activation, double slope);

/// dense() of a LinearMap.
at::Tensor linear(const LinearMap& map, const at::Tensor& x);

}  // namespace factorgcn::baselines
