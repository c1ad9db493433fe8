// One training step after the other: what differs between devices, behind one interface.
//
//   plain    (plain_step_runner.cpp)   a batch is cut from the data set, its loss is known at once: the CPU, and on
//                                      a GPU models that cannot be recorded
//   sharded  (sharded_step_runner.cpp) a batch is cut into pieces that several processes share
//   padded   (padded_step_runner.cpp)  batches fill arrays of fixed shapes, whole steps are recorded and replayed,
//                                      losses stay on the device until they are asked for: a GPU; on the CPU for tests
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "factorgcn/base/interrupt.h"
#include "factorgcn/optim/adam.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/trainer.h"
#include "train/device_data.h"

namespace factorgcn {

struct BatchLoss {
  double value = 0, task = 0, regulariser = 0;
};

class StepRunner {
 public:
  virtual ~StepRunner() = default;

  /// The graphs in the order of this epoch; steps follow from batch `first` (from 0) on. `graphs` must outlive them.
  /// `progress`: the share of all epochs that are done.
  virtual void begin_epoch(std::span<const std::int64_t> graphs, std::int64_t first, double progress) = 0;

  /// Forward, backward and update on batch `batch`; everything random follows from `seed`.
  virtual void step(std::int64_t batch, std::uint64_t seed) = 0;

  /// True where settle() costs nothing.
  virtual bool tells_at_once() const = 0;

  /// Whether training is to stop before the next step. Where several processes train together they all answer alike.
  virtual bool stop_asked() const { return interrupt_signal() != 0; }

  /// The losses of the steps since the last call, or since begin_epoch(), in order. After one that is not finite there
  /// may be others that mean nothing, and model and optimiser are in a state of before that step: the plain runner's is
  /// the one just before it, the padded one's that of the last call or of begin_epoch().
  virtual std::vector<BatchLoss> settle() = 0;
};

/// What a runner works on; all must outlive it.
struct StepParts {
  GraphModel& model;
  const Dataset& dataset;
  const DataPart& part;
  const TrainOptions& options;
  Adam& adam;
  at::Tensor class_weights = {};  ///< on the model's device; undefined: those of the task
};

std::unique_ptr<StepRunner> make_plain_runner(const StepParts& parts);
std::unique_ptr<StepRunner> make_sharded_runner(const StepParts& parts);
std::unique_ptr<StepRunner> make_padded_runner(const StepParts& parts, std::shared_ptr<const DeviceData> data);

}  // namespace factorgcn
