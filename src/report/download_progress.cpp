// Drawing of the download's line. A refused update costs one look at the clock.
#include "factorgcn/report/download_progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>

#include "factorgcn/base/text.h"
#include "report/progress_line.h"

namespace factorgcn {
namespace {

constexpr double kPlainSeconds = 5.0;

}  // namespace

DownloadProgress::DownloadProgress(std::string name, Write write, Look look, Clock clock)
    : name_(std::move(name)), write_(std::move(write)), look_(std::move(look)), clock_(std::move(clock)) {}

DownloadProgress::DownloadProgress(std::string name)
    : DownloadProgress(
          std::move(name), write_to_stderr, [] { return describe_terminal(STDERR_FILENO); }, steady_seconds) {}

DownloadProgress::~DownloadProgress() { finish(); }

void DownloadProgress::update(const DownloadState& state) {
  now_ = clock_();
  const bool first = !state_.has_value();
  if (first) {
    last_shown_ = now_;
  }
  if (first || state.bytes < state_->bytes) {
    start_time_ = now_;
    start_bytes_ = state.bytes;
  }
  state_ = state;
  const double waited = std::abs(now_ - last_shown_);  // a clock may be set back
  if (!first && waited < kRedrawSeconds) {
    return;
  }
  const Terminal terminal = look_();
  if (terminal.interactive) {
    write_(kEraseLine + draw_line(terminal));
    line_on_screen_ = true;
    last_shown_ = now_;
  } else if (waited >= kPlainSeconds) {
    write_(text(true) + "\n");
    last_shown_ = now_;
  }
}

void DownloadProgress::message(std::string_view line) {
  finish();
  write_(std::string(line) + "\n");
}

void DownloadProgress::finish() {
  if (line_on_screen_) {
    write_(kEraseLine);
    line_on_screen_ = false;
  }
}

std::string DownloadProgress::text(bool with_name) const {
  std::string text = with_name ? name_ + "  " : "";
  text += format_bytes(state_->bytes);
  if (state_->total > 0) {
    text += " of " + format_bytes(state_->total);
  }
  const double seconds = now_ - start_time_;
  const auto came = static_cast<double>(state_->bytes - start_bytes_);
  if (seconds > 0 && came > 0) {
    const double rate = came / seconds;
    text += fmt::format("  {}/s", format_bytes(static_cast<std::uint64_t>(std::llround(rate))));
    if (state_->total > state_->bytes) {
      text += fmt::format("  {} left", format_duration(static_cast<double>(state_->total - state_->bytes) / rate));
    }
  }
  return text;
}

std::string DownloadProgress::draw_line(const Terminal& terminal) const {
  // One column stays free: some terminals wrap when the last one is filled.
  const int room = terminal.width - 1;
  const std::string numbers = text(false);
  const int bar = std::min(kLongestBar, room - display_width(name_) - display_width(numbers) - 4);
  if (state_->total == 0 || bar < kShortestBar) {
    const std::string line = text(true);
    return cut_to_width(display_width(line) <= room ? line : numbers, room);
  }
  const double share = static_cast<double>(state_->bytes) / static_cast<double>(state_->total);
  return name_ + "  " + draw_bar(share, bar, terminal) + "  " + numbers;
}

}  // namespace factorgcn
