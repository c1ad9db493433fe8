// What a run tells whoever watches it. All calls come from the training thread.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

/// What a run learns from.
struct FACTORGCN_API RunData {
  std::string name;
  Task task = Task::kNone;
  std::int64_t train = 0, validation = 0, test = 0;  ///< graphs, or nodes
  bool split_of_nodes = false;
};

/// Told once, before the first batch.
struct FACTORGCN_API RunStart {
  const RunConfig& config;
  const RunData& data;
  std::int64_t parameters = 0;
  std::int64_t epochs_done = 0;   ///< above 0 where a run is resumed
  std::int64_t batches_done = 0;  ///< of the epoch in progress
  std::string device = "cpu";     ///< that is used
};

/// Told after each batch.
struct FACTORGCN_API BatchProgress {
  std::int64_t epoch = 0, epochs = 0;               ///< from 1; epochs: of the start, while starts are compared
  std::int64_t start = 0, starts = 1;               ///< the start from 1, while starts are compared; else 0
  std::int64_t batch = 0, batches = 0;              ///< from 1
  double loss = 0, task_loss = 0, regulariser = 0;  ///< of this batch
  double mean_loss = 0;                             ///< over the epoch so far
  std::int64_t graphs_done = 0, graphs_total = 0;   ///< training graphs seen, over the whole run
  double learning_rate = 0;
  double seconds = 0;       ///< since the run began, earlier sessions included
  double seconds_left = 0;  ///< estimated from this session's pace
};

class FACTORGCN_API Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_start(const RunStart& /*start*/) {}
  virtual void on_batch(const BatchProgress& /*progress*/) {}
  virtual void on_epoch(const EpochRecord& /*record*/) {}
  /// One line worth showing: a checkpoint found, a loss that is not finite, evaluation begun.
  virtual void on_message(const std::string& /*line*/) {}
};

}  // namespace factorgcn
