// The training loop: epochs of shuffled batches, validation after each, the best validation model kept.
//
// Everything random is drawn afresh from (seed, epoch) or (seed, step), so the state to save holds no generator, and a
// run continued from any batch ends in the same bits as one that never stopped. The best model is the one with the
// better validation metric; among equals, the one with the lower validation loss (F1 saturates); then the earlier. A
// model that has an objective of its own (nn/graph_model.h) is chosen by that instead.
//
// Several starts: training is begun from several initial weights, `start_epochs` each, and the one that does best on
// the validation part goes on: by the model's own objective, or else by the loss of the task. One after the other, so
// that no more than the best one so far has to be kept. A start whose loss is not finite is given up.
//
// The model's device is the trainer's. On a GPU steps are recorded and replayed (docs/gpu.md) and nothing waits for the
// host; batches are then reported, and after_batch called, some at a time. States are in main memory and belong to no
// device; continued on another kind of device, a run ends in other bits.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/optim/adam.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/objective.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/protocol.h"
#include "factorgcn/train/run_metrics.h"
#include "factorgcn/train/schedule.h"
#include "factorgcn/train/weights.h"

namespace factorgcn {

class Group;
struct TrainWork;

struct FACTORGCN_API TrainOptions {
  std::uint64_t seed = 0;
  std::int64_t epochs = 80;
  std::int64_t batch_size = 1000;
  double learning_rate = 0.005;
  double weight_decay = 0.0;
  double clip_norm = 0.0;  ///< see train/run_config.h
  double lambda = 0.5;
  std::int64_t starts = 1, start_epochs = 20;
  /// The model's weights as another seed draws them; needed for more than one start.
  std::function<NamedTensors(std::uint64_t seed)> fresh_weights = {};
  std::int64_t patience = 0;  ///< epochs without a better validation result that end training; 0: none do
  ClassWeights class_weights = ClassWeights::kTask;
  ScheduleOptions schedule;
  ProtocolSlips slips;
  bool score_test = false;  ///< the test part too, after each epoch
  /// On a GPU losses are looked at this often, and after each epoch: the observer hears of batches then.
  double report_seconds = 1.0;
  std::int64_t shards = 1;              ///< pieces a batch is cut into; above 1: train/sharded_step_runner
  Group* group = nullptr;               ///< the processes that share the shards; none: this one takes them all
  std::string data_on_device = "auto";  ///< on a GPU: see train/run_config.h
  bool padded = false;                  ///< take the GPU's path on the CPU; for tests
};

FACTORGCN_API TrainOptions train_options(const RunConfig& config, const ProtocolSlips& slips = {});

/// All that is needed to go on from between two batches.
struct FACTORGCN_API TrainState {
  std::int64_t epoch = 0;                                       ///< completed epochs
  std::int64_t batch = 0;                                       ///< completed batches of the epoch in progress
  std::int64_t step = 0;                                        ///< optimiser steps
  double loss_sum = 0, task_loss_sum = 0, regulariser_sum = 0;  ///< of the epoch in progress, weighted by graphs
  double seconds = 0;
  RunStatus status = RunStatus::kInterrupted;  ///< kInterrupted: there is more to do
  std::string message;                         ///< why a run diverged
  std::string device = "cpu";                  ///< that made it
  Schedule::State schedule;
  NamedTensors weights;                        ///< parameters and buffers
  NamedTensors first_moments, second_moments;  ///< by parameter
  std::int64_t best_epoch = 0;                 ///< 0: the initial weights
  double best_metric = 0, best_loss = 0;       ///< where best_epoch is above 0
  double best_objective = 0;                   ///< likewise, of models that have one
  NamedTensors best_weights;
  std::vector<EpochRecord> history;             ///< of all starts, in the order of training
  std::int64_t start = 1;                       ///< the one that all this belongs to
  bool comparing = false;                       ///< whether starts are still compared
  double start_value = 0;                       ///< of a kept start: what starts are compared by
  std::shared_ptr<const TrainState> kept = {};  ///< the best of the starts that are over, at its end, without history
};

class FACTORGCN_API Trainer {
 public:
  /// Model and data must outlive the trainer. Parameters are moved into one flat buffer (optim/adam.h).
  Trainer(GraphModel& model, const Dataset& dataset, const TrainOptions& options);
  /// The same over work of another kind than a data set in memory (src/train/train_work.h).
  Trainer(GraphModel& model, const TrainWork& work, const TrainOptions& options);
  ~Trainer();

  /// Continues from `state`. Throws Error, having changed nothing, where it does not fit the model or the options.
  void restore(const TrainState& state);

  /// A copy of everything, at any time between batches.
  TrainState capture() const;

  /// Called after each batch (on a GPU after some); `epoch_done` after the last of an epoch, validation included.
  using AfterBatch = std::function<void(bool epoch_done)>;

  /// Trains until the last epoch or the patience's end, an interrupt (base/interrupt.h) or a loss that is not finite.
  /// In the last case message() says where, and the weights are those before the failing batch, or on a GPU some
  /// batches before it.
  RunStatus run(Observer& observer, const AfterBatch& after_batch = {});

  /// From within `after_batch`: run() returns kInterrupted after it, and goes on when it is called again.
  void pause();

  /// Puts the best validation weights into the model.
  void use_best();

  const std::string& message() const;
  std::int64_t epochs_done() const;
  std::int64_t batches_done() const;  ///< of the epoch in progress
  std::int64_t best_epoch() const;
  const NamedTensors& best_weights() const;
  const std::vector<EpochRecord>& history() const;
  double seconds() const;  ///< spent in run(), earlier sessions included

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace factorgcn
