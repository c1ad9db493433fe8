// One run of a network, a piece at a time: for embedders that want control back between pieces. run_training() and
// resume_training() (train/run.h) are its whole course.
//
//   TrainingSession session = TrainingSession::begin(config, observer);
//   while (session.train([](bool epoch_done) { return epoch_done; }) == RunStatus::kInterrupted) { ... }
//   const RunResult result = session.finish();
//
// The run's folder is locked while the session lives; between pieces there may be any time. However a run is cut into
// pieces, it ends in the same bits.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "factorgcn/base/export.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/trainer.h"

namespace factorgcn {

class FACTORGCN_API TrainingSession {
 public:
  /// Arguments and errors as run_training() and resume_training() have them; no kernel machines. `observer` must
  /// outlive the session. `keep_data`: the data go into the run's folder, as data.safetensors, which config.dataset
  /// must then name: for data that lie in no file (OpenedData::hold()).
  static TrainingSession begin(const RunConfig& config, Observer& observer, bool force = false,
                               const OpenedData& data = {}, Group* group = nullptr, bool keep_data = false);
  static TrainingSession resume(const std::filesystem::path& folder, Observer& observer,
                                const ResumeOptions& options = {}, const OpenedData& data = {}, Group* group = nullptr);

  TrainingSession(TrainingSession&&) noexcept;
  ~TrainingSession();

  /// Asked after each batch (on a GPU after some); true ends the piece.
  using Pause = std::function<bool(bool epoch_done)>;

  /// Trains on. kInterrupted: there is more to do, since `pause` or a signal (base/interrupt.h) said so. Checkpoints
  /// are written when they are due.
  RunStatus train(const Pause& pause = {});

  /// Writes a checkpoint now.
  void save();

  /// Saves; once training is over, or else with `as_it_stands`, also scores the best model and writes metrics.json.
  RunResult finish(bool as_it_stands = false);

  const RunConfig& config() const;
  const Trainer& trainer() const;
  const GraphModel& model() const;

 private:
  struct Impl;
  explicit TrainingSession(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace factorgcn
