// From the folds' events to lines. The time left is estimated from this session's folds.
#include "cli/fold_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "factorgcn/base/parallel.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/model_table.h"

namespace factorgcn::cli {

FoldProgress::FoldProgress(bool quiet)
    : quiet_(quiet),
      interactive_(describe_terminal(STDERR_FILENO).interactive),
      started_(std::chrono::steady_clock::now()) {}

void FoldProgress::say(const std::string& line) {
  if (!quiet_) {
    display_.message(line);
  }
}

void FoldProgress::on_start(const RunStart& start) {
  if (!introduced_) {
    introduced_ = true;
    const std::string where = start.device == "cpu" ? fmt::format("{} threads", num_threads()) : start.device;
    const std::string size = is_kernel_machine(start.config.model)
                                 ? fmt::format(" on {}", start.data.name)
                                 : fmt::format(" with {} parameters on {}: {} epochs a fold",
                                               format_count(start.parameters), start.data.name, start.config.epochs);
    say(fmt::format("{}{}, seed {}, {}; Ctrl-C saves and stops", start.config.model, size, start.config.seed, where));
  }
  state_ = ProgressState{};
  state_.metric_name = metric_label(metric_name(start.data.task));
  state_.epochs = start.config.epochs;
}

void FoldProgress::on_batch(const BatchProgress& progress) {
  take_progress(progress, state_);
  if (!quiet_ && interactive_) {
    display_.update(state_);
  }
}

void FoldProgress::on_epoch(const EpochRecord& record) { state_.validation = record.validation_metric; }

void FoldProgress::on_message(const std::string& line) { say(line); }

void FoldProgress::on_fold_start(const Fold& /*fold*/) {}

void FoldProgress::on_fold_end(const Fold& fold, const RunMetrics& metrics, bool was_done_before) {
  const Metric& metric = *find_metric(metric_name(Task::kGraphClass));
  const auto found = metrics.test.find(metric.name);
  std::string line = fmt::format("fold {} of {}, {} protocol: ", fold.fold, fold.folds, fold.protocol);
  line += found == metrics.test.end()
              ? "no test graphs"
              : fmt::format("{} {:.1f} {}", metric.label, metric.shown(found->second), metric.unit);
  if (metrics.epochs_run > 0) {
    line += fmt::format(" at its best epoch, {}", metrics.best_epoch);
  }
  if (was_done_before) {
    line += " (done before)";
  } else {
    ++worked_;
    const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    const auto left = static_cast<double>(fold.total - fold.done - 1);
    line += fmt::format(", {}; {} left", format_duration(metrics.seconds),
                        format_duration(left * passed / static_cast<double>(worked_)));
  }
  say(line);
}

void FoldProgress::finish() { display_.finish(); }

}  // namespace factorgcn::cli
