// A run from its configuration to its metrics. The checkpoint is the truth: history.jsonl and model.safetensors are
// written after it and follow from it, so whatever a kill leaves behind is put right by the next session.
#include "factorgcn/train/run.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/classic_run.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/trainer.h"
#include "train/rank_agreement.h"
#include "train/short_of_memory.h"

namespace factorgcn {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

MessageSink messages_to(Observer& observer) {
  return [&observer](const std::string& line) { observer.on_message(line); };
}

/// Writes what a trainer knows into its run directory.
class Recorder {
 public:
  Recorder(const RunDirectory& directory, const RunConfig& config, const Trainer& trainer)
      : directory_(directory), config_(config), trainer_(trainer) {}

  void save() {
    const TrainState state = trainer_.capture();
    save_checkpoint(directory_.paths().checkpoint, {config_, state});
    directory_.write_history(state.history);
    if (state.best_epoch != saved_best_) {
      save_model(directory_.paths().model, {config_, state.best_epoch, state.best_weights});
      saved_best_ = state.best_epoch;
    }
    last_ = Clock::now();
  }

  void save_when_due() {
    if (seconds_since(last_) >= config_.checkpoint_seconds) {
      save();
    }
  }

 private:
  const RunDirectory& directory_;
  const RunConfig& config_;
  const Trainer& trainer_;
  std::int64_t saved_best_ = -1;  // none yet in this session
  Clock::time_point last_ = Clock::now();
};

/// What a run may change between sessions without changing its result.
nlohmann::ordered_json comparable(const RunConfig& config) {
  nlohmann::ordered_json object = to_json(config);
  for (const char* key :
       {"epochs", "threads", "checkpoint_seconds", "out", "device", "data_on_device", "metric_layer"}) {
    object.erase(key);
  }
  if (!config.trained_on.content.empty()) {
    object.erase("dataset");  // known by content, wherever it lies now
  }
  return object;
}

/// `directory`: none for the processes that do not write.
RunResult train_in(const RunDirectory* directory, const RunConfig& config, const std::shared_ptr<const Dataset>& data,
                   const std::shared_ptr<GraphModel>& model, const Checkpoint* checkpoint, Observer& observer,
                   Group* group) {
  const Dataset& dataset = *data;
  const ProtocolSlips slips = protocol_slips(config.protocol, dataset);
  model->keep_dropout(slips.dropout_at_evaluation);
  const at::Device device = device_from_name(config.device);
  use_device(device);
  model->to(device);
  TrainOptions options = train_options(config, slips);
  options.group = group;
  Trainer trainer(*model, dataset, options);
  if (checkpoint == nullptr) {
    model->learn_input(dataset);
  } else {
    trainer.restore(checkpoint->state);
    const bool was_cpu = checkpoint->state.device == "cpu";
    if (was_cpu != device.is_cpu()) {
      observer.on_message(concat("the checkpoint was made on ", was_cpu ? "the CPU" : "a GPU", ", the run goes on on ",
                                 device.is_cpu() ? "the CPU" : "a GPU", ": it will end in slightly other numbers"));
    }
  }
  if (group != nullptr) {
    check_ranks_agree(*group, comparable(config), dataset, trainer.epochs_done(), trainer.batches_done());
  }
  RunResult result;
  result.folder = config.out;
  observer.on_start(
      {config, dataset, count_parameters(*model), trainer.epochs_done(), trainer.batches_done(), device.str()});
  std::optional<Recorder> recorder;
  if (directory != nullptr) {
    recorder.emplace(*directory, config, trainer);
  }
  result.status = trainer.run(observer, [&](bool) {
    if (recorder) {
      recorder->save_when_due();
    }
  });
  if (recorder) {
    recorder->save();
  }
  result.message = trainer.message();
  if (result.status == RunStatus::kInterrupted) {
    result.signal = interrupt_signal();
    result.message = concat("interrupted in epoch ", trainer.epochs_done() + 1, " of ", config.epochs, " after ",
                            trainer.batches_done(), " batches; all is saved in ", result.folder.string());
    return result;
  }
  if (directory == nullptr) {
    return result;
  }
  const auto start = Clock::now();
  trainer.use_best();
  RunMetrics metrics = measure(*model, dataset, config);
  metrics.epochs_run = trainer.epochs_done();
  metrics.best_epoch = trainer.best_epoch();
  metrics.status = result.status;
  metrics.seconds = trainer.seconds() + seconds_since(start);
  directory->write_metrics(metrics);
  result.metrics = metrics;
  if (!device.is_cpu()) {
    model->to(at::Device(at::kCPU));  // where a run that is loaded again would have it
  }
  result.loaded = std::make_shared<const LoadedRun>(LoadedRun{config, data, model, trainer.best_epoch()});
  return result;
}

void check_same_run(const RunConfig& config, const Checkpoint& checkpoint, const RunPaths& paths) {
  const nlohmann::ordered_json now = comparable(config);
  const nlohmann::ordered_json then = comparable(checkpoint.config);
  for (const auto& [key, value] : now.items()) {
    require_usage(then.contains(key) && then[key] == value, paths.config.string(), ": '", key, "' is ", value.dump(),
                  ", but the checkpoint was made with ", then.contains(key) ? then[key].dump() : "none",
                  "; restore it or start a new run");
  }
}

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
  check_config(config);
  const bool writes = group == nullptr || group->rank() == 0;
  if (writes) {
    RunDirectory::check_free(config.out, force);
  }
  const std::shared_ptr<const Dataset> dataset = open_run_data(config, data, messages_to(observer));
  const auto model = build_network(config, *dataset);  // wrong settings must not cost a former run its files
  RunConfig begun = config;
  begun.trained_on = describe_training(config, *open_trained_data(config, data));
  std::optional<RunDirectory> directory;
  if (writes) {
    directory.emplace(RunDirectory::create(config.out, force));
    directory->write_config(begun);
  }
  return explaining_short_memory([&] {
    return train_in(directory ? &*directory : nullptr, begun, dataset, model, nullptr, observer, group);
  });
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
  RunConfig config = read_run_config(folder);
  config.out = folder.string();
  apply(options, config);
  if (is_kernel_machine(config.model)) {
    check_alone(config, group);
    return resume_kernel_machine(config, observer, data);
  }
  std::optional<RunDirectory> directory;
  if (group == nullptr || group->rank() == 0) {
    directory.emplace(RunDirectory::open(folder));
  }
  const RunPaths paths(folder);
  std::unique_ptr<Checkpoint> checkpoint;
  if (std::filesystem::exists(paths.checkpoint)) {
    checkpoint = std::make_unique<Checkpoint>(load_checkpoint(paths.checkpoint));
    check_same_run(config, *checkpoint, paths);
    require_usage(config.epochs >= checkpoint->state.epoch, "epochs is ", config.epochs, ", but ",
                  checkpoint->state.epoch, " are done already");
  }
  const std::shared_ptr<const Dataset> dataset = open_run_data(config, data, messages_to(observer));
  const auto model = build_network(config, *dataset);
  if (group != nullptr) {
    all_gather_texts(*group, "read");  // only now may rank 0 change what others have read
  }
  if (directory) {
    directory->write_config(config);
    std::filesystem::remove(paths.metrics);  // until the run is over again
  }
  if (checkpoint == nullptr) {
    observer.on_message(concat(folder.string(), " has no checkpoint yet; the run begins again"));
  }
  return explaining_short_memory(
      [&] {
        return train_in(directory ? &*directory : nullptr, config, dataset, model, checkpoint.get(), observer, group);
      });
}

RunMetrics evaluate_run(const std::filesystem::path& folder, const std::optional<std::string>& protocol,
                        const std::string& device, const OpenedData& data) {
  RunConfig config = read_run_config(folder);
  config.protocol = protocol.value_or(config.protocol);
  config.device = device;
  check_config(config);
  if (is_kernel_machine(config.model)) {
    return evaluate_kernel_machine(config, folder, data);
  }
  const LoadedRun run = load_run(folder, data);
  const RunPaths paths(folder);
  RunMetrics metrics = explaining_short_memory([&] {
    const at::Device where = device_from_name(config.device);
    use_device(where);
    run.model->to(where);
    return measure(*run.model, *run.data, config);
  });
  metrics.best_epoch = run.best_epoch;
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
