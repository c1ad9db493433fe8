// What the path of fixed shapes must fulfil on any device: padding changes nothing, and neither does where the data
// lie, where a run was interrupted or how it was recorded. The tests of the CPU and of the GPU call the same functions.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/interrupt.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/graph/padded_batch.h"
#include "factorgcn/nn/factor_gcn.h"
#include "factorgcn/ops/late_losses.h"
#include "factorgcn/train/labelled_batch.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/trainer.h"
#include "ops/random_graphs.h"
#include "train/padded_cases.h"

namespace factorgcn::testing {

struct StepResult {
  at::Tensor prediction, losses;  ///< losses: as record_losses() writes them
};

/// A training step but for the optimiser's part; gradients are left in the model.
inline StepResult step_without_update(Task task, GraphModel& model, const GraphBatch& batch,
                                      const at::Tensor& targets) {
  constexpr double kLambda = 0.5;
  const StepOutput output = model.forward_in_step(batch, true);
  const at::Tensor loss = padded_task_loss(task, output.prediction, targets, batch);
  const at::Tensor one = at::ones({}, loss.options().requires_grad(false));
  const at::Tensor losses = at::zeros({1, 3}, one.options().dtype(at::kDouble));
  backward_in_step(loss, output.regularisers, one, one * kLambda);
  record_losses(loss, output.regularisers, kLambda, losses);
  return {output.prediction, losses};
}

inline at::Tensor id_tensor(std::span<const std::int64_t> ids, at::Device device) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(ids.size())}, at::kLong);
  std::copy(ids.begin(), ids.end(), tensor.data_ptr<std::int64_t>());
  return tensor.to(device);
}

/// Loss, gradients and running estimates of a batch: without padding, with little and with much. `exact`: predictions
/// and running estimates bit by bit; the CPU may take another path where there is padding.
inline void expect_padding_changes_nothing(const PaddedCase& item, at::Device device, double tolerance, bool exact) {
  const auto expect_same = [&](const at::Tensor& actual, const at::Tensor& expected, const std::string& what) {
    EXPECT_LT(difference(actual, expected), exact ? 1e-30 : tolerance) << what;
  };
  const Dataset dataset = case_data(item);
  std::vector<std::int64_t> ids(40);
  std::iota(ids.begin(), ids.end(), std::int64_t{9});
  const LabelledBatch plain = select_batch(dataset, ids);
  const PackedGraphs packed =
      move_packed(pack_graphs(dataset.graphs, dataset.targets, is_node_task(item.task)), device);
  const std::int64_t nodes = plain.graphs.num_nodes(), edges = plain.graphs.num_edges();
  struct Outcome {
    at::Tensor prediction, loss, regulariser;
    std::vector<at::Tensor> gradients, buffers;
  };
  const auto run = [&](const GraphBatch& batch, const at::Tensor& targets) {
    const auto model = case_model(item, dataset, device);
    model->train();
    const StepResult step = step_without_update(item.task, *model, batch, targets);
    Outcome outcome;
    outcome.prediction = step.prediction.detach().to(at::kCPU);
    outcome.loss = step.losses[0][1].to(at::kCPU);
    outcome.regulariser = step.losses[0][2].to(at::kCPU);
    for (const at::Tensor& parameter : model->parameters()) {
      outcome.gradients.push_back(parameter.grad().to(at::kCPU));
    }
    for (const at::Tensor& buffer : model->buffers()) {
      outcome.buffers.push_back(buffer.to(at::kCPU));
    }
    return outcome;
  };
  const Outcome expected = run(move_batch(plain.graphs, device), plain.targets.to(device));
  for (const BatchCapacity& capacity : {BatchCapacity{41, nodes + 1, edges}, BatchCapacity{43, nodes + 40, edges + 64},
                                        BatchCapacity{90, 4 * nodes, 5 * edges}}) {
    PaddedBatch padded = make_padded_batch(packed, capacity, device);
    assemble_batch(packed, {id_tensor(ids, device), id_tensor(std::vector<std::int64_t>{0}, device), 40, {}}, padded);
    const Outcome actual = run(padded.graphs, padded.targets);
    const std::int64_t rows = expected.prediction.size(0);
    expect_same(actual.prediction.narrow(0, 0, rows), expected.prediction, "predictions");
    EXPECT_LT(difference(actual.loss, expected.loss), tolerance);
    EXPECT_LT(difference(actual.regulariser, expected.regulariser), tolerance);
    ASSERT_EQ(actual.gradients.size(), expected.gradients.size());
    for (std::size_t index = 0; index < expected.gradients.size(); ++index) {
      EXPECT_LT(difference(actual.gradients[index], expected.gradients[index]), tolerance) << "gradient " << index;
    }
    for (std::size_t index = 0; index < expected.buffers.size(); ++index) {
      expect_same(actual.buffers[index], expected.buffers[index], "running estimate " + std::to_string(index));
    }
  }
}

/// One node of padding with thousands of self loops: a sum over them, layer after layer, must not become infinite and
/// reach the weights as 0 times infinity.
inline void expect_crowded_padding_is_harmless(const PaddedCase& item, at::Device device) {
  std::vector<std::int64_t> ids(20);
  std::iota(ids.begin(), ids.end(), std::int64_t{0});
  const Dataset dataset = case_data(item);
  const LabelledBatch plain = select_batch(dataset, ids);
  const PackedGraphs packed = move_packed(pack_graphs(dataset.graphs, dataset.targets, false), device);
  const std::int64_t loops = brief() ? 200 : 5000;
  const PaddedBatch padded =
      make_padded_batch(packed, {21, plain.graphs.num_nodes() + 1, plain.graphs.num_edges() + loops}, device);
  assemble_batch(packed, {id_tensor(ids, device), id_tensor(std::vector<std::int64_t>{0}, device), 20, {}}, padded);
  Settings settings{{"hidden", std::int64_t{16}}, {"batch_norm", false}};
  constexpr std::int64_t kLayers = 14;
  if (item.model == "factorgcn") {
    settings["factors"] = std::vector<std::int64_t>(kLayers, 8);  // so many that some gate stays open
    settings["norm"] = std::string("none");                       // edges' weights would hold the sums back
  } else {
    settings["layers"] = kLayers;
  }
  const auto gradients = [&](const GraphBatch& batch, const at::Tensor& targets) {
    const auto model = make_model(item.model, model_input(dataset), settings, 5);
    model->to(device);
    step_without_update(item.task, *model, batch, targets);
    std::vector<at::Tensor> result;
    for (const at::Tensor& parameter : model->parameters()) {
      result.push_back(parameter.grad().to(at::kCPU));
    }
    return result;
  };
  const auto expected = gradients(move_batch(plain.graphs, device), plain.targets.to(device));
  const auto actual = gradients(padded.graphs, padded.targets);
  for (std::size_t index = 0; index < expected.size(); ++index) {
    ASSERT_TRUE(expected[index].isfinite().all().item<bool>());
    EXPECT_LT(difference(actual[index], expected[index]), 1e-4) << "gradient " << index;
  }
}

inline TrainOptions padded_options() {
  TrainOptions options;
  options.seed = 4;
  options.epochs = brief() ? 2 : 3;
  options.batch_size = 10;  // 36 training graphs: three whole batches and one of 6
  options.learning_rate = 0.01;
  options.lambda = 0.3;
  options.padded = true;
  options.score_test = true;
  return options;
}

/// A run from the start, or from `from`, that is interrupted after `stop` batches where that is above 0.
inline TrainState train_padded(const PaddedCase& item, const Dataset& dataset, const TrainOptions& options,
                               at::Device device, std::int64_t stop = 0, const TrainState* from = nullptr,
                               double dropout = 0) {
  struct Stopper : Observer {
    void on_batch(const BatchProgress&) override {
      if (++batches == stop) {
        request_interrupt(2);
      }
    }
    std::int64_t batches = 0, stop = 0;
  } observer;
  observer.stop = stop;
  clear_interrupt();
  const auto model = case_model(item, dataset, device, dropout);
  Trainer trainer(*model, dataset, options);
  if (from != nullptr) {
    trainer.restore(*from);
  }
  EXPECT_EQ(trainer.run(observer), stop > 0 ? RunStatus::kInterrupted : RunStatus::kFinished);
  clear_interrupt();
  return trainer.capture();
}

inline bool same_tensors(const NamedTensors& left, const NamedTensors& right) {
  bool same = left.size() == right.size();
  for (std::size_t index = 0; same && index < left.size(); ++index) {
    same = left[index].first == right[index].first && left[index].second.equal(right[index].second);
  }
  return same;
}

inline void expect_same_state(const TrainState& left, const TrainState& right) {
  EXPECT_TRUE(same_tensors(left.weights, right.weights));
  EXPECT_TRUE(same_tensors(left.first_moments, right.first_moments));
  EXPECT_TRUE(same_tensors(left.second_moments, right.second_moments));
  EXPECT_TRUE(same_tensors(left.best_weights, right.best_weights));
  ASSERT_EQ(left.history.size(), right.history.size());
  for (std::size_t index = 0; index < left.history.size(); ++index) {
    EXPECT_EQ(left.history[index].loss, right.history[index].loss);
    EXPECT_EQ(left.history[index].regulariser, right.history[index].regulariser);
    EXPECT_EQ(left.history[index].validation_loss, right.history[index].validation_loss);
    EXPECT_EQ(left.history[index].test_metric, right.history[index].test_metric);
  }
}

inline void expect_near_state(const TrainState& actual, const TrainState& expected, double tolerance) {
  ASSERT_EQ(actual.history.size(), expected.history.size());
  for (std::size_t index = 0; index < expected.history.size(); ++index) {
    const EpochRecord &left = actual.history[index], &right = expected.history[index];
    EXPECT_NEAR(left.loss, right.loss, tolerance);
    EXPECT_NEAR(left.task_loss, right.task_loss, tolerance);
    EXPECT_NEAR(left.regulariser, right.regulariser, tolerance);
    EXPECT_NEAR(left.validation_loss, right.validation_loss, tolerance);
    ASSERT_TRUE(left.test_loss && right.test_loss);
    EXPECT_NEAR(*left.test_loss, *right.test_loss, tolerance);
  }
  ASSERT_EQ(actual.weights.size(), expected.weights.size());
  for (std::size_t index = 0; index < expected.weights.size(); ++index) {
    // GIN's bias in front of its inner batch norm changes no prediction: its gradient is rounding alone, which Adam
    // takes for full steps, and the running mean follows.
    if (expected.weights[index].first.ends_with("_first_bias") ||
        expected.weights[index].first.ends_with("_norm_mean")) {
      continue;
    }
    // What GAT adds to all scores of a node's in-edges alike cancels in their softmax but for the leaky slope: small
    // gradients, and steps of full size too.
    const double allowed = expected.weights[index].first.ends_with("_to") ? 10 * tolerance : tolerance;
    EXPECT_LT(difference(actual.weights[index].second, expected.weights[index].second), allowed)
        << expected.weights[index].first;
  }
}

/// Sent batch by batch, or interrupted anywhere: the same bits.
inline void expect_same_bits_however_trained(const PaddedCase& item, at::Device device) {
  const Dataset dataset = case_data(item);
  TrainOptions options = padded_options();
  options.report_seconds = 0;  // after each step
  const double dropout = item.readout == Readout::kLayerSum ? 0.4 : 0.0;
  const auto train = [&](std::int64_t stop = 0, const TrainState* from = nullptr) {
    return train_padded(item, dataset, options, device, stop, from, dropout);
  };
  const TrainState whole = train();
  {
    SCOPED_TRACE("again");
    expect_same_state(train(), whole);
  }
  // What all models share is tried in full with one of them.
  const bool in_full = item.model == "factorgcn" && !brief();
  for (const std::int64_t stop : in_full ? std::vector<std::int64_t>{2, 4, 7} : std::vector<std::int64_t>{7}) {
    SCOPED_TRACE("interrupted after " + std::to_string(stop) + " batches");
    const TrainState part = train(stop);
    EXPECT_EQ(part.step, stop);
    expect_same_state(train(0, &part), whole);
  }
  options.report_seconds = 1000;  // after each epoch
  options.data_on_device = "never";
  SCOPED_TRACE("sent batch by batch");
  expect_same_state(train(), whole);
}

inline void expect_divergence_is_reported(at::Device device) {
  struct Watcher : Observer {
    void on_message(const std::string& line) override { message = line; }
    std::string message;
  } watcher;
  const PaddedCase& item = padded_cases()[0];
  Dataset dataset = case_data(item);
  // One graph that no loss is finite for: its batch is the one to be named.
  const std::int64_t bad = dataset.split.train[7];
  dataset.targets[bad][0] = std::numeric_limits<float>::infinity();
  TrainOptions options = padded_options();
  FactorGcn model(case_options(item, dataset), 5);
  model.to(device);
  Trainer trainer(model, dataset, options);
  EXPECT_EQ(trainer.run(watcher), RunStatus::kDiverged);
  std::vector<std::int64_t> order = dataset.split.train;
  RandomStream random(options.seed, "train/shuffle/epoch 1");
  random.shuffle(std::span(order));
  const auto at = std::find(order.begin(), order.end(), bad) - order.begin();
  EXPECT_NE(watcher.message.find("batch " + std::to_string(at / options.batch_size + 1) + " of 4"), std::string::npos)
      << watcher.message;
  const TrainState state = trainer.capture();
  EXPECT_EQ(state.step, state.epoch * 4 + state.batch);
  for (const auto& [name, tensor] : state.weights) {
    EXPECT_TRUE(tensor.isfinite().all().item<bool>()) << name;
  }
}

}  // namespace factorgcn::testing
