// The checkpoint is the truth: history.jsonl and model.safetensors are written after it and follow from it, so whatever
// a kill leaves behind is put right by the next session.
#include "factorgcn/train/training_session.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/collective/group.h"
#include "factorgcn/gpu/device.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/io/part_files.h"
#include "factorgcn/train/checkpoint.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/rank_agreement.h"
#include "factorgcn/train/run_directory.h"
#include "train/parts/parts_run.h"
#include "train/run_work.h"
#include "train/short_of_memory.h"

namespace factorgcn {
namespace {

using SessionClock = std::chrono::steady_clock;

double seconds_after(SessionClock::time_point start) {
  return std::chrono::duration<double>(SessionClock::now() - start).count();
}

MessageSink messages_to(Observer& observer) {
  return [&observer](const std::string& line) { observer.on_message(line); };
}

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

void check_same_run(const RunConfig& config, const Checkpoint& checkpoint, const RunPaths& paths) {
  const nlohmann::ordered_json now = comparable(config);
  const nlohmann::ordered_json then = comparable(checkpoint.config);
  for (const auto& [key, value] : now.items()) {
    require_usage(then.contains(key) && then[key] == value, paths.config.string(), ": '", key, "' is ", value.dump(),
                  ", but the checkpoint was made with ", then.contains(key) ? then[key].dump() : "none",
                  "; restore it or start a new run");
  }
}

RunWork work_of_dataset_run(const RunConfig& config, const OpenedData& data, Observer& observer, Group* group) {
  RunWork work;
  const std::shared_ptr<const Dataset> dataset = open_run_data(config, data, messages_to(observer));
  const std::shared_ptr<GraphModel> model = build_network(config, *dataset);
  const auto count = [](const std::vector<std::int64_t>& items) { return static_cast<std::int64_t>(items.size()); };
  const Split& split = dataset->split;
  work.dataset = dataset;
  work.model = model;
  work.data = {dataset->name,           dataset->task,     count(split.train),
               count(split.validation), count(split.test), dataset->node_split};
  work.slips = protocol_slips(config.protocol, *dataset);
  work.learn_input = [model, dataset] { model->learn_input(*dataset); };
  work.fresh_weights = [config, dataset](std::uint64_t seed) {
    RunConfig other = config;
    other.seed = seed;
    const auto drawn = build_network(other, *dataset);
    drawn->learn_input(*dataset);
    return copy_weights(*drawn);
  };
  work.train_work = [model, dataset](const TrainOptions& options) {
    return work_on_dataset(*model, *dataset, options);
  };
  work.measure = [model, dataset, group](const RunConfig& now) { return measure(*model, *dataset, now, group); };
  work.measured_together = group != nullptr;
  return work;
}

RunWork work_of_run(const RunConfig& config, const OpenedData& data, Observer& observer, Group* group) {
  return is_parts_folder(config.dataset) ? work_of_parts_run(config, group)
                                         : work_of_dataset_run(config, data, observer, group);
}

}  // namespace

/// What a session trains with; set up in the order of its members.
struct TrainingSession::Impl {
  /// `own_directory`: none for the processes that do not write.
  Impl(std::optional<RunDirectory> own_directory, RunConfig own_config, RunWork own_work, const Checkpoint* checkpoint,
       Observer& watcher, Group* own_group)
      : directory(std::move(own_directory)),
        config(std::move(own_config)),
        work(std::move(own_work)),
        model(work.model),
        observer(watcher),
        device(work.dataset == nullptr ? at::Device(at::kCPU) : device_from_name(config.device)),
        options(make_options(own_group)),
        trainer(*model, work.train_work(options), options) {
    if (checkpoint != nullptr) {
      trainer.restore(checkpoint->state);
      status = checkpoint->state.status == RunStatus::kDiverged ? RunStatus::kDiverged : RunStatus::kInterrupted;
      const bool was_cpu = checkpoint->state.device == "cpu";
      if (was_cpu != device.is_cpu()) {
        observer.on_message(concat("the checkpoint was made on ", was_cpu ? "the CPU" : "a GPU",
                                   ", the run goes on on ", device.is_cpu() ? "the CPU" : "a GPU",
                                   ": it will end in slightly other numbers"));
      }
    }
    if (own_group != nullptr) {
      const std::string content = work.dataset == nullptr ? work.content : data_content(*work.dataset);
      check_ranks_agree(*own_group, {{"config", comparable(config)},
                                     {"content of the data", content},
                                     {"epochs done", trainer.epochs_done()},
                                     {"batches done", trainer.batches_done()}});
    }
    if (checkpoint == nullptr) {
      work.learn_input();  // where parts of the data lie in other processes, these must be about to do the same
    }
    observer.on_start(
        {config, work.data, count_parameters(*model), trainer.epochs_done(), trainer.batches_done(), device.str()});
  }

  TrainOptions make_options(Group* group) {
    model->keep_dropout(work.slips.dropout_at_evaluation);
    use_device(device);
    model->to(device);
    TrainOptions made = train_options(config, work.slips);
    made.group = group;
    made.fresh_weights = work.fresh_weights;
    return made;
  }

  /// Writes what the trainer knows into the run's folder.
  void save() {
    if (!directory) {
      return;
    }
    const TrainState state = trainer.capture();
    save_checkpoint(directory->paths().checkpoint, {config, state});
    directory->write_history(state.history);
    if (state.best_epoch != saved_best) {
      save_model(directory->paths().model, {config, state.best_epoch, state.best_weights});
      saved_best = state.best_epoch;
    }
    last_save = SessionClock::now();
  }

  void save_when_due() {
    const double waited = seconds_after(last_save);
    if (waited < 0 || waited >= config.checkpoint_seconds) {  // < 0: a clock that was set back must not put it off
      save();
    }
  }

  RunResult interrupted() const {
    RunResult result = outcome();
    result.signal = interrupt_signal();
    result.message = concat("interrupted in epoch ", trainer.epochs_done() + 1, " of ", config.epochs, " after ",
                            trainer.batches_done(), " batches; all is saved in ", result.folder.string());
    return result;
  }

  RunResult outcome() const {
    RunResult result;
    result.folder = config.out;
    result.status = status;
    result.message = trainer.message();
    return result;
  }

  RunResult scored() {
    const auto start = SessionClock::now();
    RunResult result = outcome();
    trainer.use_best();
    RunMetrics metrics = work.measure(config);
    metrics.epochs_run = trainer.epochs_done();
    metrics.best_epoch = trainer.best_epoch();
    metrics.status = status;
    metrics.seconds = trainer.seconds() + seconds_after(start);
    if (!directory) {
      return result;
    }
    directory->write_metrics(metrics);
    result.metrics = metrics;
    if (!device.is_cpu()) {
      model->to(at::Device(at::kCPU));  // where a run that is loaded again would have it
    }
    if (work.dataset != nullptr) {
      result.loaded = std::make_shared<const LoadedRun>(LoadedRun{config, work.dataset, model, trainer.best_epoch()});
    }
    return result;
  }

  std::optional<RunDirectory> directory;
  RunConfig config;
  RunWork work;
  std::shared_ptr<GraphModel> model;
  Observer& observer;
  at::Device device;
  TrainOptions options;
  Trainer trainer;
  RunStatus status = RunStatus::kInterrupted;
  std::int64_t saved_best = -1;  // none yet in this session
  SessionClock::time_point last_save = SessionClock::now();
};

TrainingSession::TrainingSession(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TrainingSession::TrainingSession(TrainingSession&&) noexcept = default;
TrainingSession::~TrainingSession() = default;

TrainingSession TrainingSession::begin(const RunConfig& config, Observer& observer, bool force, const OpenedData& data,
                                       Group* group, bool keep_data) {
  check_config(config);
  const bool writes = group == nullptr || group->rank() == 0;
  if (writes) {
    RunDirectory::check_free(config.out, force);
  }
  RunWork work = work_of_run(config, data, observer, group);  // wrong settings must not cost a former run its files
  RunConfig begun = config;
  std::optional<RunDirectory> directory;
  if (writes) {
    directory.emplace(RunDirectory::create(config.out, force));
    if (keep_data) {
      save_dataset(directory->paths().data, *open_trained_data(config, data));
    }
  }
  begun.trained_on =
      work.trained_on.known() ? work.trained_on : describe_training(config, *open_trained_data(config, data));
  if (directory) {
    directory->write_config(begun);
  }
  return explaining_short_memory([&] {
    return TrainingSession(
        std::make_unique<Impl>(std::move(directory), begun, std::move(work), nullptr, observer, group));
  });
}

TrainingSession TrainingSession::resume(const std::filesystem::path& folder, Observer& observer,
                                        const ResumeOptions& options, const OpenedData& data, Group* group) {
  RunConfig config = read_run_config(folder);
  config.out = folder.string();
  apply(options, config);
  check_names(config);
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
  RunWork work = work_of_run(config, data, observer, group);
  if (checkpoint != nullptr && (config.schedule.kind == "one_cycle" || work.model->has_own_objective())) {
    require_usage(config.epochs == checkpoint->config.epochs, "epochs is ", config.epochs,
                  ", but the run was begun for ", checkpoint->config.epochs,
                  ": what was trained goes by their number; begin a new run");
  }
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
  return explaining_short_memory([&] {
    return TrainingSession(
        std::make_unique<Impl>(std::move(directory), config, std::move(work), checkpoint.get(), observer, group));
  });
}

RunStatus TrainingSession::train(const Pause& pause) {
  Impl& own = *impl_;
  return explaining_short_memory([&] {
    own.status = own.trainer.run(own.observer, [&](bool epoch_done) {
      own.save_when_due();
      if (pause && pause(epoch_done)) {
        own.trainer.pause();
      }
    });
    return own.status;
  });
}

void TrainingSession::save() { impl_->save(); }

RunResult TrainingSession::finish(bool as_it_stands) {
  Impl& own = *impl_;
  save();
  if (own.status == RunStatus::kInterrupted) {
    if (!as_it_stands) {
      return own.interrupted();
    }
    own.status = RunStatus::kFinished;
  }
  return own.directory || own.work.measured_together ? explaining_short_memory([&] { return own.scored(); })
                                                     : own.outcome();
}

const RunConfig& TrainingSession::config() const { return impl_->config; }
const Trainer& TrainingSession::trainer() const { return impl_->trainer; }
const GraphModel& TrainingSession::model() const { return *impl_->model; }

}  // namespace factorgcn
