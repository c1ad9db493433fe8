// From the trainer's events to one line on the screen.
#include "cli/run_observer.h"

#include <fmt/format.h>

#include "factorgcn/base/parallel.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/model_table.h"

namespace factorgcn::cli {

void RunObserver::on_start(const RunStart& start) {
  const RunData& data = start.data;
  const bool fitted = is_kernel_machine(start.config.model);  // at once, without epochs
  const std::string size = fitted ? "" : fmt::format(" with {} parameters", format_count(start.parameters));
  display_.message(fmt::format("{}{} on {}: {} {} to train on, {} to validate, {} to test", start.config.model, size,
                               data.name, format_count(data.train), data.split_of_nodes ? "nodes" : "graphs",
                               format_count(data.validation), format_count(data.test)));
  const std::string where = start.device == "cpu" ? fmt::format("{} threads", num_threads()) : start.device;
  const std::string work = fitted ? "" : fmt::format("{} epochs, ", start.config.epochs);
  display_.message(fmt::format("{}seed {}, {}, run directory {}; Ctrl-C {}stops", work, start.config.seed, where,
                               start.config.out, fitted ? "" : "saves and "));
  if (start.epochs_done > 0 || start.batches_done > 0) {
    display_.message(fmt::format("continuing after {} epochs and {} batches", start.epochs_done, start.batches_done));
  }
  state_.metric_name = metric_label(metric_name(data.task));
  state_.epochs = start.config.epochs;
}

void take_progress(const BatchProgress& progress, ProgressState& state) {
  state.epoch = progress.epoch;
  state.epochs = progress.epochs;
  state.start = progress.start;
  state.starts = progress.starts;
  state.graphs_done = progress.graphs_done;
  state.graphs_total = progress.graphs_total;
  state.loss = progress.mean_loss;
}

void RunObserver::on_batch(const BatchProgress& progress) {
  take_progress(progress, state_);
  if (progress.batch < progress.batches) {  // on_epoch() shows the last one, together with its validation score
    display_.update(state_);
  }
}

void RunObserver::on_epoch(const EpochRecord& record) {
  state_.validation = record.validation_metric;
  display_.update(state_);
}

void RunObserver::on_message(const std::string& line) { display_.message(line); }

}  // namespace factorgcn::cli
