// The compared systems on the GPU: gradients against the CPU's, and a recorded training step against a plain one.
#include <ATen/TensorOperators.h>
#include <ATen/ops/l1_loss.h>

#include "factorgcn/gpu/captured_step.h"
#include "factorgcn/optim/adam.h"
#include "nn/baselines/twin.h"
#include "ops/gpu_fixture.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::gpu;
using testing::random_tensor;

at::Tensor loss_of(GraphModel& model, const GraphBatch& batch, const at::Tensor& targets) {
  const ModelOutput output = model.forward(batch, true);
  const at::Tensor loss = at::l1_loss(output.prediction, targets);
  return output.regulariser.defined() ? loss + 0.5 * output.regulariser : loss;
}

std::vector<std::string> trained_models() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : models()) {
    if (entry.trained && entry.name != "aligned") {  // which has no loss of node features
      names.push_back(entry.name);
    }
  }
  return names;
}

class BaselinesOnGpu : public testing::CaseOnGpu<std::string> {};

INSTANTIATE_TEST_SUITE_P(Models, BaselinesOnGpu, ::testing::ValuesIn(trained_models()),
                         [](const auto& info) { return info.param; });

TEST_P(BaselinesOnGpu, GradientsEqualTheCpu) {
  RandomStream random(1, "test");
  GraphBatch batch = testing::twin_batch(false, random);
  GraphBatch there = batch;
  there.features = batch.features.to(at::kFloat);
  there = move_batch(there, gpu());
  const at::Tensor targets = random_tensor({batch.num_graphs(), testing::kOutputs}, random);
  const ModelInput input = testing::twin_input(Task::kRegression, false);
  const auto here = make_model(GetParam(), input, {}, 5), moved = make_model(GetParam(), input, {}, 5);
  here->to(at::kDouble);
  moved->to(gpu());
  const at::Tensor expected = loss_of(*here, batch, targets);
  const at::Tensor actual = loss_of(*moved, there, targets.to(gpu(), at::kFloat));
  expected.backward();
  actual.backward();
  EXPECT_NEAR(actual.item<double>(), expected.item<double>(), 1e-4);
  const auto ours = moved->named_parameters();
  for (const auto& parameter : here->named_parameters()) {
    EXPECT_LT(difference(ours[parameter.key()].grad().to(at::kCPU), parameter.value().grad()), 2e-4) << parameter.key();
  }
  for (int layer = 0; layer < here->num_factor_layers(); ++layer) {
    EXPECT_LT(
        difference(moved->factor_coefficients(there, layer).to(at::kCPU), here->factor_coefficients(batch, layer)),
        2e-4);
  }
}

TEST_P(BaselinesOnGpu, ARecordedStepEqualsAPlainOneBitByBit) {
  RandomStream random(2, "test");
  GraphBatch batch = testing::twin_batch(false, random);
  batch.features = batch.features.to(at::kFloat);
  batch = move_batch(batch, gpu());
  const at::Tensor targets = random_tensor({batch.num_graphs(), testing::kOutputs}, random, at::kFloat).to(gpu());
  const auto train = [&](bool captured) {
    const auto model = make_model(GetParam(), testing::twin_input(Task::kRegression, false), {}, 5);
    model->to(gpu());
    Adam adam(model->parameters(), {.learning_rate = 0.01, .weight_decay = 1e-4});
    const auto step = [&] {
      adam.zero_gradients();
      loss_of(*model, batch, targets).backward();
      adam.step();
    };
    if (captured) {
      CapturedStep recorded(step, 2);
      for (int i = 0; i < 4; ++i) {
        recorded.replay();
        synchronize(gpu());
      }
    } else {
      for (int i = 0; i < 6; ++i) {
        step();
      }
    }
    return adam.values().to(at::kCPU).clone();
  };
  EXPECT_TRUE(train(false).equal(train(true)));
}

}  // namespace
}  // namespace factorgcn
