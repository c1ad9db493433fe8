// MLP: each node on its own, edges unseen.   y = x W^T + b per layer
#include "nn/baselines/makers.h"
#include "nn/baselines/stack.h"

namespace factorgcn::baselines {
namespace {

class Mlp : public StackModel {
 public:
  Mlp(const StackOptions& options, std::uint64_t seed) : StackModel(options, seed) {
    for (std::size_t layer = 0; layer < num_layers(); ++layer) {
      maps_.push_back(make_linear("layer" + std::to_string(layer + 1), in_width(layer), options.hidden));
    }
  }

 protected:
  NodeTables map_nodes(std::size_t layer, const at::Tensor& x, StackPass& /*pass*/) override {
    return {{}, {linear(maps_[layer], x)}};
  }
  at::Tensor gather(std::size_t /*layer*/, const NodeTables& nodes, StackPass& /*pass*/) override {
    return nodes.kept[0];
  }
  std::int64_t sent_width(std::size_t /*layer*/) const override { return 0; }

 private:
  std::vector<LinearMap> maps_;
};

}  // namespace

ModelPointer make_mlp(const ModelInput& input, const Settings& settings, std::uint64_t seed) {
  StackOptions options;
  options.name = "mlp";
  SettingsReader reader(settings, "model mlp");
  read_stack(reader, input, options);
  reader.finish();
  return std::make_shared<Mlp>(options, seed);
}

}  // namespace factorgcn::baselines
