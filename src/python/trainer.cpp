// Training a piece at a time: after each piece control is Python's, whose Ctrl-C and progress bars then work as they
// always do. The same bits as the command line's.
#include <torch/custom_class.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/io/dataset_file.h"
#include "factorgcn/nn/registry.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/idle_settings.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/training_session.h"
#include "python/classes.h"
#include "python/data_set.h"
#include "python/named_tensors.h"
#include "python/told.h"

namespace factorgcn::python {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// Keeps what there is to tell until Python asks.
class KeepingObserver : public Observer {
 public:
  void on_batch(const BatchProgress& progress) override { batches = progress.batches; }
  void on_message(const std::string& line) override { messages.push_back(line); }

  std::int64_t batches = 0;
  std::vector<std::string> messages;
};

/// What is left of a run whose session is over.
struct Left {
  RunStatus status = RunStatus::kInterrupted;
  std::string message;
  std::vector<EpochRecord> history;
  NamedTensors best, last;
};

class TrainerObject : public torch::CustomClassHolder {
 public:
  /// settings: a layer of the configuration as JSON. graphs: data in memory, which then go into the run's folder.
  static c10::intrusive_ptr<TrainerObject> begin(const std::string& settings, std::shared_ptr<const Dataset> graphs,
                                                 bool force) {
    auto self = c10::make_intrusive<TrainerObject>();
    json given = json::parse(settings);
    if (graphs != nullptr) {
      const std::string file = RunPaths(given.at("out").get<std::string>()).data.string();
      given["dataset"] = file;
      self->opened_.hold(file, graphs);
    }
    if (given.contains("seed") && !given["data"].contains("seed")) {
      given["data"]["seed"] = given["seed"];
    }
    const std::vector<json> layers{given};
    const RunConfig config = resolve_config(layers, self->opened_);
    refuse_idle_settings(given, config, self->opened_);
    for (const ModelEntry& entry : models()) {
      require_usage(entry.name != config.model || entry.trained, "model ", config.model,
                    " draws its factors at random; there is nothing to train");
    }
    self->config_ = config;
    if (is_kernel_machine(config.model)) {
      RunDirectory::check_free(config.out, force);
      self->forced_ = force;
      self->held_ = std::move(graphs);
      return self;
    }
    const PreparedThreads threads(config.threads);
    self->session_.emplace(
        TrainingSession::begin(config, self->observer_, force, self->opened_, nullptr, graphs != nullptr));
    return self;
  }

  static c10::intrusive_ptr<TrainerObject> resume(const std::string& folder, const std::string& changes) {
    auto self = c10::make_intrusive<TrainerObject>();
    const ResumeOptions options = resume_options(json::parse(changes));
    self->config_ = read_run_config(folder);
    self->config_.out = folder;
    apply(options, self->config_);
    if (is_kernel_machine(self->config_.model)) {
      self->resumed_ = options;
      return self;
    }
    const PreparedThreads threads(self->config_.threads);
    self->session_.emplace(TrainingSession::resume(folder, self->observer_, options, self->opened_));
    self->config_ = self->session_->config();
    return self;
  }

  std::string folder() const { return config_.out; }
  std::string config() const { return to_json(session_ ? session_->config() : config_).dump(); }
  std::string history() const { return history_text(records()); }

  /// The line of history of an epoch, from 1.
  std::string record(std::int64_t epoch) const {
    const std::vector<EpochRecord>& all = records();
    require(epoch >= 1 && epoch <= static_cast<std::int64_t>(all.size()), "epoch ", epoch, " is not done; ", all.size(),
            " are");
    return to_json(all[static_cast<std::size_t>(epoch - 1)]).dump();
  }

  TensorsByName weights(bool best) const {
    if (session_) {
      return by_name(best ? session_->trainer().best_weights() : copy_weights(session_->model()));
    }
    return by_name(best ? left_.best : left_.last);
  }

  /// Where training stands, and the messages since the last call: {"status": training, finished or diverged, "message",
  /// "epoch": epochs done, "batch", "batches", "messages"}.
  std::string state() {
    const RunStatus status = session_ ? status_ : left_.status;
    ordered_json state{{"status", status == RunStatus::kInterrupted ? "training" : status_name(status)},
                       {"message", session_ ? session_->trainer().message() : left_.message},
                       {"epoch", records().size()},
                       {"batch", session_ ? session_->trainer().batches_done() : 0},
                       {"batches", observer_.batches},
                       {"messages", std::exchange(observer_.messages, {})}};
    return state.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  /// Trains for so many seconds, one batch at least, and to the end of the epoch at most. Returns state().
  std::string advance(double seconds) {
    const PreparedThreads threads(config_.threads);
    if (is_kernel_machine(config_.model)) {
      fit_machine();
      return state();
    }
    TrainingSession& session = open_session();
    const auto start = std::chrono::steady_clock::now();
    status_ = session.train([&](bool epoch_done) {
      return epoch_done || std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() >= seconds;
    });
    return state();
  }

  /// Scores the best model and writes result and page; returns the result as metrics.json has it, the same whenever it
  /// is asked again.
  std::string finish() {
    if (!result_.empty()) {
      return result_;
    }
    const PreparedThreads threads(config_.threads);
    RunResult result;
    if (is_kernel_machine(config_.model)) {
      fit_machine();
      result = *machine_;
    } else {
      NamedTensors last = copy_weights(open_session().model());  // before the best ones take their place
      result = session_->finish(/*as_it_stands=*/true);
      status_ = result.status;
      end_session(std::move(last));
    }
    require(result.metrics.has_value(), "the run has no result: ", result.message);
    write_run_page(result);
    result_ = to_json(*result.metrics).dump();
    return result_;
  }

  /// Saves, and lets the folder go.
  void close() {
    if (session_) {
      session_->save();
      end_session(copy_weights(session_->model()));
    }
  }

 private:
  static ResumeOptions resume_options(const json& changes) {
    ResumeOptions options;
    for (const auto& [key, value] : changes.items()) {
      try {
        if (key == "epochs") {
          options.epochs = value.get<std::int64_t>();
        } else if (key == "threads") {
          options.threads = value.get<int>();
        } else if (key == "checkpoint_seconds") {
          options.checkpoint_seconds = value.get<double>();
        } else if (key == "device") {
          options.device = value.get<std::string>();
        } else if (key == "data_on_device") {
          options.data_on_device = value.get<std::string>();
        } else {
          throw UsageError(concat("'", key, "' cannot change when a run goes on; epochs, threads, checkpoint_seconds, ",
                                  "device and data_on_device can"));
        }
      } catch (const json::exception&) {
        throw UsageError(concat("'", key, "' is ", value.dump(), ", which is of the wrong type"));
      }
    }
    return options;
  }

  TrainingSession& open_session() {
    require_usage(session_.has_value(), "the run in ", config_.out,
                  " is closed; take it up again with Trainer.resume(folder)");
    return *session_;
  }

  const std::vector<EpochRecord>& records() const { return session_ ? session_->trainer().history() : left_.history; }

  void end_session(NamedTensors last) {
    const Trainer& trainer = session_->trainer();
    left_ = {status_, trainer.message(), trainer.history(), trainer.best_weights(), std::move(last)};
    config_ = session_->config();
    session_.reset();
  }

  /// Kernel machines are fitted at once.
  void fit_machine() {
    if (machine_) {
      return;
    }
    machine_ = resumed_ ? resume_training(config_.out, observer_, *resumed_, opened_)
                        : run_training(config_, observer_, forced_, opened_);
    if (held_ != nullptr) {
      save_dataset(RunPaths(config_.out).data, *held_);
    }
    left_.status = machine_->status;
  }

  /// A page that fails must not fail the run.
  void write_run_page(const RunResult& result) {
    try {
      write_page(RunPaths(result.folder).page, run_page(result.folder, {}, opened_, result.loaded));
    } catch (const Error& error) {
      observer_.messages.push_back(std::string("the page could not be written: ") + error.what());
    }
  }

  RunConfig config_;
  OpenedData opened_;
  KeepingObserver observer_;
  std::optional<TrainingSession> session_;
  RunStatus status_ = RunStatus::kInterrupted;
  Left left_;
  std::string result_;  // of finish()
  // of kernel machines
  bool forced_ = false;
  std::shared_ptr<const Dataset> held_;
  std::optional<ResumeOptions> resumed_;
  std::optional<RunResult> machine_;
};

}  // namespace

void register_trainer() {
  using Self = c10::intrusive_ptr<TrainerObject>;
  using OptionalData = detail::OptionalOf<OptionalTensor>::type<c10::intrusive_ptr<DataSet>>;
  static const auto trainer =
      torch::class_<TrainerObject>("factorgcn", "Trainer")
          .def(torch::init([](const std::string& settings, const OptionalData& graphs, bool force) {
            return told([&] { return TrainerObject::begin(settings, graphs ? (*graphs)->data() : nullptr, force); });
          }))
          .def_static("resume",
                      [](const std::string& folder, const std::string& changes) {
                        return told([&] { return TrainerObject::resume(folder, changes); });
                      })
          .def("folder", [](const Self& self) { return self->folder(); })
          .def("config", [](const Self& self) { return self->config(); })
          .def("history", [](const Self& self) { return self->history(); })
          .def("record", [](const Self& self, std::int64_t epoch) { return told([&] { return self->record(epoch); }); })
          .def("weights", [](const Self& self, bool best) { return self->weights(best); })
          .def("state", [](const Self& self) { return self->state(); })
          .def("advance", [](const Self& self, double seconds) { return told([&] { return self->advance(seconds); }); })
          .def("finish", [](const Self& self) { return told([&] { return self->finish(); }); })
          .def("close", [](const Self& self) { told([&] { self->close(); }); });
}

}  // namespace factorgcn::python
