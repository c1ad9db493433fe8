// Standard error carries progress, so that standard output holds the result alone.
#include "factorgcn/reproduce/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include "factorgcn/report/text.h"
#include "report/progress_line.h"

namespace factorgcn {
namespace {

std::string time_left(const ExecuteProgress& progress) {
  return progress.seconds_left < 0 ? "" : fmt::format(", about {} left", format_duration(progress.seconds_left));
}

}  // namespace

ReproduceProgress::ReproduceProgress() : terminal_(describe_terminal(STDERR_FILENO)) {}

void ReproduceProgress::line(const std::string& text) {
  write_to_stderr((terminal_.interactive ? kEraseLine : "") + text + "\n");
  drawn_ = -1;
}

void ReproduceProgress::on_run_start(const PlannedRun& /*run*/, const ExecuteProgress& /*progress*/) {
  if (done_before_ > 0) {
    line(fmt::format("{} runs were done before", done_before_));
    done_before_ = 0;
  }
}

void ReproduceProgress::on_run_end(const PlannedRun& run, const RunOutcome& outcome, const ExecuteProgress& progress) {
  if (outcome.was_done_before) {
    ++done_before_;
    return;
  }
  const std::string what = outcome.state == RunOutcome::State::kDone
                               ? fmt::format("done in {}", format_duration(outcome.seconds))
                               : fmt::format("FAILED ({}; log {})", outcome.message, outcome.log.string());
  line(fmt::format("[{}/{}] {}: {}{}", progress.done, progress.total, run.name, what, time_left(progress)));
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
  if (done_before_ > 0) {
    line(fmt::format("{} runs were done before", done_before_));
  }
  if (terminal_.interactive) {
    write_to_stderr(kEraseLine);
  }
}

}  // namespace factorgcn
