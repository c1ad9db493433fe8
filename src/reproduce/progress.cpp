// Standard error carries progress, so that standard output holds the result alone.
#include "factorgcn/reproduce/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

#include "factorgcn/base/text.h"
#include "report/progress_line.h"

namespace factorgcn {
namespace {

std::string time_left(const ExecuteProgress& progress) {
  return progress.seconds_left <= 0 ? "" : fmt::format(", about {} left", format_duration(progress.seconds_left));
}

}  // namespace

ReproduceProgress::ReproduceProgress(Describe describe)
    : describe_(std::move(describe)), terminal_(describe_terminal(STDERR_FILENO)) {}

void ReproduceProgress::line(const std::string& text) {
  write_to_stderr((terminal_.interactive ? kEraseLine : "") + text + "\n");
  drawn_ = -1;
}

void ReproduceProgress::say_done_before() {
  if (runs_before_ + folds_before_ > 0) {
    const std::string folds = fmt::format("{} fold{}", folds_before_, folds_before_ == 1 ? "" : "s");
    const std::string runs = fmt::format("{} run{}", runs_before_, runs_before_ == 1 ? "" : "s");
    line((runs_before_ == 0 ? folds : folds_before_ == 0 ? runs : runs + " and " + folds) +
         (runs_before_ + folds_before_ == 1 ? " was done before" : " were done before"));
  }
  runs_before_ = folds_before_ = 0;
}

void ReproduceProgress::on_job_start(const std::string& /*name*/, const ExecuteProgress& /*progress*/) {
  say_done_before();
}

void ReproduceProgress::on_job_end(JobKind kind, const RunOutcome& outcome, const ExecuteProgress& progress) {
  if (outcome.was_done_before) {
    ++(kind == JobKind::kFold ? folds_before_ : runs_before_);
    return;
  }
  const std::string done =
      kind == JobKind::kClosing ? "all folds done" : fmt::format("done in {}", format_duration(outcome.seconds));
  const std::string result = describe_ ? describe_(outcome) : "";
  const std::string what = outcome.state == RunOutcome::State::kDone
                               ? done + (result.empty() ? "" : ", " + result)
                               : fmt::format("FAILED ({}; log {})", outcome.message, outcome.log.string());
  line(fmt::format("[{}/{}] {}: {}{}", progress.done, progress.total, outcome.name, what, time_left(progress)));
}

void ReproduceProgress::on_wait(const ExecuteProgress& progress) {
  const double now = steady_seconds();
  if (!terminal_.interactive || (drawn_ >= 0 && now - drawn_ < 5 * kRedrawSeconds)) {
    return;
  }
  drawn_ = now;
  std::string text = fmt::format("{} of {} done{};", progress.done, progress.total, time_left(progress));
  for (std::size_t index = 0; index < progress.running.size(); ++index) {
    text += fmt::format(" {} {:.0f} %", progress.running[index], 100 * progress.share[index]);
  }
  write_to_stderr(kEraseLine + cut_to_width(text, terminal_.width - 1));
}

void ReproduceProgress::finish() {
  say_done_before();
  if (terminal_.interactive) {
    write_to_stderr(kEraseLine);
  }
}

}  // namespace factorgcn
