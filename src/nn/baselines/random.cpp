// Factor graphs drawn at random: what any learnt ones must beat. There is nothing to train.
//
// These are the coefficients of the graph's edges. Coefficients over all pairs of nodes, as the paper's table has them,
// are no function of the edges and are drawn where they are scored (train/random_factors.h).
#include <ATen/ops/empty.h>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "nn/baselines/makers.h"

namespace factorgcn::baselines {
namespace {

class RandomFactors : public GraphModel {
 public:
  RandomFactors(std::int64_t factors, std::uint64_t seed) : factors_(factors), random_(seed, "model/random") {}

  ModelOutput forward(const GraphBatch& /*batch*/, bool /*with_regulariser*/) override {
    throw UsageError("model random is not trained and predicts nothing: `factorgcn train --model random` scores it");
  }

  int num_factor_layers() const override { return 1; }

  at::Tensor factor_coefficients(const GraphBatch& batch, int /*layer*/) override {
    at::Tensor values = at::empty({batch.num_edges(), factors_}, at::TensorOptions().dtype(at::kFloat));
    for (std::int64_t i = 0; i < values.numel(); ++i) {
      values.data_ptr<float>()[i] = static_cast<float>(random_.uniform());
    }
    return values;
  }

 private:
  std::int64_t factors_;
  RandomStream random_;
};

}  // namespace

ModelPointer make_random(const ModelInput& /*input*/, const Settings& settings, std::uint64_t seed) {
  SettingsReader reader(settings, "model random");
  const std::int64_t factors = reader.integer("factors", 4, 1, 1024, "factor graphs to draw");
  reader.finish();
  return std::make_shared<RandomFactors>(factors, seed);
}

}  // namespace factorgcn::baselines
