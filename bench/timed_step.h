// The time of one whole training step (forward, task loss, discriminator loss, backward, Adam) on a given batch.
#pragma once

#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "factorgcn/base/runtime.h"
#include "factorgcn/gpu/captured_step.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/ops/late_losses.h"
#include "factorgcn/ops/mean_loss.h"
#include "factorgcn/optim/adam.h"
#include "random_batch.h"
#include "shapes.h"

namespace factorgcn::bench {

/// How often, and how on a GPU.
struct Timing {
  int steps = 20, warm = 3;
  bool capture = true;  // on a GPU: record the step once and replay it
};

struct StepTime {
  double median_ms = 0, best_ms = 0, peak_mib = 0;
  std::size_t launches = 0;
};

/// Times of single steps in milliseconds, by the host's clock.
inline std::vector<double> time_on_cpu(const std::function<void()>& step, const Timing& timing) {
  for (int i = 0; i < timing.warm; ++i) {
    step();
  }
  std::vector<double> times;
  for (int i = 0; i < timing.steps; ++i) {
    const auto start = std::chrono::steady_clock::now();
    step();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return times;
}

/// The same on a GPU, by its own clock. Steps are asked for one after the other, as training does: what the host needs
/// to start one is hidden by the one before it, unless it takes longer.
inline std::vector<double> time_on_gpu(const std::function<void()>& step, const Timing& timing, std::size_t& launches) {
  std::unique_ptr<CapturedStep> captured;
  if (timing.capture) {
    captured = std::make_unique<CapturedStep>(step, timing.warm);
    launches = captured->size();
  }
  const auto run_once = [&] { captured ? captured->replay() : step(); };
  for (int i = 0; i < timing.warm; ++i) {
    run_once();
  }
  GpuTimer timer;
  timer.mark();
  for (int i = 0; i < timing.steps; ++i) {
    run_once();
    timer.mark();
  }
  return timer.intervals();
}

inline std::shared_ptr<GraphModel> make_timed_model(const Shape& shape) {
  if (shape.model == "factorgcn") {
    FactorGcnOptions options;
    options.in_features = shape.in;
    options.outputs = shape.outputs;
    options.hidden = shape.hidden;
    options.factors = shape.factors;
    options.batch_norm = shape.batch_norm;
    options.readout = shape.node_task ? Readout::kNodeLinear : Readout::kMeanTanh;
    return std::make_shared<FactorGcn>(options, 0);
  }
  ModelInput input;
  input.task = shape.node_task ? Task::kNodeClass : Task::kRegression;
  input.in_features = shape.in;
  input.outputs = shape.outputs;
  input.edge_types = kEdgeTypes;
  return make_model(shape.model, input,
                    {{"hidden", shape.hidden},
                     {"layers", static_cast<std::int64_t>(shape.factors.size())},
                     {"batch_norm", shape.batch_norm},
                     {"readout", std::string(shape.node_task ? "node_linear" : "mean_tanh")}},
                    0);
}

inline StepTime time_training_step(const Shape& shape, const GraphBatch& batch, const Timing& timing,
                                   RandomStream& random) {
  const at::Device device = batch.features.device();
  const at::Tensor targets =
      random_values({shape.node_task ? batch.num_nodes() : batch.num_graphs(), shape.outputs}, random).to(device);
  const auto model = make_timed_model(shape);
  model->to(device);
  Adam adam(model->parameters(), {});
  const at::Tensor one = at::ones({}, targets.options()), lambda = one * shape.lambda;  // the losses' own gradients
  const at::Tensor losses = at::zeros({1, 3}, targets.options().dtype(at::kDouble));
  const auto step = [&] {
    adam.zero_gradients();
    const StepOutput output = model->forward_in_step(batch, shape.lambda > 0);
    const at::Tensor task = mean_loss(MeanLoss::kAbsolute, output.prediction, targets);
    backward_in_step(task, output.regularisers, one, lambda);
    adam.step();
    record_losses(task, output.regularisers, shape.lambda, losses);
  };
  StepTime result;
  std::vector<double> times = device.is_cpu() ? time_on_cpu(step, timing) : time_on_gpu(step, timing, result.launches);
  std::sort(times.begin(), times.end());
  result.median_ms = times[times.size() / 2];
  result.best_ms = times.front();
  result.peak_mib = device.is_cpu() ? peak_memory_mib() : gpu_peak_mib(device);
  return result;
}

}  // namespace factorgcn::bench
