// Whole runs: what the command line's train, train --resume and evaluate do.
//
// The process should have called prepare_process(config.threads) (base/runtime.h) before; these functions leave
// process-wide settings alone. Signals: see base/interrupt.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "factorgcn/base/export.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

class Group;
struct LoadedRun;

struct FACTORGCN_API RunResult {
  RunStatus status = RunStatus::kFinished;
  std::string message;                ///< why a run diverged; where an interrupted run stands
  std::filesystem::path folder;       ///< the run directory
  std::optional<RunMetrics> metrics;  ///< as in metrics.json; nothing where the run was interrupted
  int signal = 0;                     ///< that interrupted the run
  /// Data and best model of a network that is trained, for whoever shows them: no need to load the run again.
  std::shared_ptr<const LoadedRun> loaded;
};

/// Trains from the start and evaluates the best validation model. config.out names the run directory; `force` lets it
/// replace a former run. `data`, here and below: what has been opened before, and where the run's data stay open.
/// `group`: the processes that share the run's shards; all of them call this with the same configuration, and rank 0
/// alone writes and has metrics.
FACTORGCN_API RunResult run_training(const RunConfig& config, Observer& observer, bool force = false,
                                     const OpenedData& data = {}, Group* group = nullptr);

/// What may differ from the interrupted run.
struct FACTORGCN_API ResumeOptions {
  std::optional<std::int64_t> epochs;  ///< at least as many as are done
  std::optional<int> threads;          ///< only recorded in config.json
  std::optional<double> checkpoint_seconds;
  std::optional<std::string> device;          ///< on another kind of device the run goes on, to other bits
  std::optional<std::string> data_on_device;  ///< changes no result
};

/// Lays the options over the configuration and checks the result.
FACTORGCN_API void apply(const ResumeOptions& options, RunConfig& config);

/// Continues where the run's last checkpoint stands, or from the start where it has none, and ends with the same
/// weights and metrics as an uninterrupted run on the same kind of device, whatever the number of processes. A run that
/// is over is evaluated again.
FACTORGCN_API RunResult resume_training(const std::filesystem::path& folder, Observer& observer,
                                        const ResumeOptions& options = {}, const OpenedData& data = {},
                                        Group* group = nullptr);

/// Scores RUN/model.safetensors again; writes nothing. `protocol`: another one than the run's, where given.
/// `device`: where, whatever the run was trained on. epochs_run, best_epoch, status and seconds are taken from
/// metrics.json where the run has one. `group`: processes that share the work; all of them get the same.
FACTORGCN_API RunMetrics evaluate_run(const std::filesystem::path& folder,
                                      const std::optional<std::string>& protocol = {},
                                      const std::string& device = "cpu", const OpenedData& data = {},
                                      Group* group = nullptr);

}  // namespace factorgcn
