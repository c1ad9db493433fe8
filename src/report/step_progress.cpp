// Drawing of the line. A refused update costs one look at the clock.
#include "factorgcn/report/step_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

#include "factorgcn/base/text.h"
#include "report/progress_line.h"

namespace factorgcn {
namespace {

constexpr double kPlainStepSeconds = 10.0;
constexpr double kShareToJudgeBy = 0.03;  // of the work, before anything is said of the time left

}  // namespace

StepProgress::StepProgress(Write write, Look look, Clock clock)
    : write_(std::move(write)), look_(std::move(look)), clock_(std::move(clock)) {}

StepProgress::StepProgress()
    : StepProgress(
          write_to_stderr, [] { return describe_terminal(STDERR_FILENO); }, steady_seconds) {}

StepProgress::~StepProgress() { finish(); }

void StepProgress::at(const std::string& step, double done) {
  now_ = clock_();
  if (!started_) {
    started_ = true;
    start_ = last_shown_ = now_;
    start_done_ = done;
  }
  const double waited = std::abs(now_ - last_shown_);  // a clock may be set back
  if (waited < kRedrawSeconds) {
    return;
  }
  const Terminal terminal = look_();
  if (terminal.interactive) {
    write_(kEraseLine + line(step, done, terminal));
    line_on_screen_ = true;
    last_shown_ = now_;
  } else if (waited >= kPlainStepSeconds) {
    write_(fmt::format("{:.0f} %  {}{}\n", 100 * done, step, time_left(done)));
    last_shown_ = now_;
  }
}

void StepProgress::finish() {
  if (line_on_screen_) {
    write_(kEraseLine);
    line_on_screen_ = false;
  }
}

std::string StepProgress::time_left(double done) const {
  const double worked = done - start_done_;
  if (worked < kShareToJudgeBy) {
    return "";
  }
  return fmt::format("  {} left", format_duration((now_ - start_) * (1 - done) / worked));
}

std::string StepProgress::line(const std::string& step, double done, const Terminal& terminal) const {
  const int room = terminal.width - 1;  // some terminals wrap when the last column is filled
  const std::string text = step + time_left(done);
  const int bar = std::min(kLongestBar, room - display_width(text) - 2);
  if (bar < kShortestBar) {
    return cut_to_width(text, room);
  }
  return draw_bar(std::clamp(done, 0.0, 1.0), bar, terminal) + "  " + text;
}

}  // namespace factorgcn
