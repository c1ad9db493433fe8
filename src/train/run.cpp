// A run from its configuration to its metrics: train/training_session.h's whole course, and scores of what it left.
#include "factorgcn/train/run.h"

#include <filesystem>
#include <optional>
#include <tuple>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/training_session.h"
#include "factorgcn/train/weights.h"
#include "train/parts/parts_run.h"
#include "train/short_of_memory.h"

namespace factorgcn {
namespace {

void check_alone(const RunConfig& config, const Group* group) {
  require_usage(group == nullptr, "model ", config.model,
                " is fitted, not trained by steps: several processes cannot share it; start it without torchrun");
}

}  // namespace

RunResult run_training(const RunConfig& config, Observer& observer, bool force, const OpenedData& data, Group* group) {
  if (is_kernel_machine(config.model)) {
    check_alone(config, group);
    return run_kernel_machine(config, observer, force, data);
  }
  TrainingSession session = TrainingSession::begin(config, observer, force, data, group);
  session.train();
  return session.finish();
}

void apply(const ResumeOptions& options, RunConfig& config) {
  config.epochs = options.epochs.value_or(config.epochs);
  config.threads = options.threads.value_or(config.threads);
  config.checkpoint_seconds = options.checkpoint_seconds.value_or(config.checkpoint_seconds);
  config.device = options.device.value_or(config.device);
  config.data_on_device = options.data_on_device.value_or(config.data_on_device);
  check_config(config);
}

RunResult resume_training(const std::filesystem::path& folder, Observer& observer, const ResumeOptions& options,
                          const OpenedData& data, Group* group) {
  if (RunConfig config = read_run_config(folder); is_kernel_machine(config.model)) {
    config.out = folder.string();
    apply(options, config);
    check_alone(config, group);
    return resume_kernel_machine(config, observer, data);
  }
  TrainingSession session = TrainingSession::resume(folder, observer, options, data, group);
  session.train();
  return session.finish();
}

namespace {

/// Of one graph in parts: no process has all of it.
std::pair<RunMetrics, std::int64_t> evaluate_parts(const RunConfig& config, const RunPaths& paths, Group* group) {
  const RunWork work = work_of_parts_run(config, group);
  require_usage(std::filesystem::exists(paths.model), paths.folder.string(),
                " has no model.safetensors yet; continue the run with --resume");
  const ModelFile saved = load_model(paths.model);
  load_weights(*work.model, saved.weights, paths.model.string());
  return {work.measure(config), saved.best_epoch};
}

}  // namespace

RunMetrics evaluate_run(const std::filesystem::path& folder, const std::optional<std::string>& protocol,
                        const std::string& device, const OpenedData& data, Group* group) {
  RunConfig config = read_run_config(folder);
  config.protocol = protocol.value_or(config.protocol);
  config.device = device;
  check_config(config);
  if (is_kernel_machine(config.model)) {
    return evaluate_kernel_machine(config, folder, data);
  }
  const RunPaths paths(folder);
  RunMetrics metrics;
  std::int64_t best_epoch = 0;
  if (is_parts_folder(config.dataset)) {
    std::tie(metrics, best_epoch) = explaining_short_memory([&] { return evaluate_parts(config, paths, group); });
  } else {
    const LoadedRun run = load_run(folder, data);
    metrics = explaining_short_memory([&] {
      const at::Device where = device_from_name(config.device);
      use_device(where);
      run.model->to(where);
      return measure(*run.model, *run.data, config, group);
    });
    best_epoch = run.best_epoch;
  }
  metrics.best_epoch = best_epoch;
  metrics.status = RunStatus::kInterrupted;
  if (std::filesystem::exists(paths.metrics)) {
    const RunMetrics former = read_metrics(paths.metrics.string());
    metrics.status = former.status;
    metrics.epochs_run = former.epochs_run;
    metrics.seconds = former.seconds;
  } else if (std::filesystem::exists(paths.history)) {
    const auto history = read_history(paths.history.string());
    metrics.epochs_run = static_cast<std::int64_t>(history.size());
    metrics.seconds = history.empty() ? 0 : history.back().seconds;
  }
  return metrics;
}

}  // namespace factorgcn
