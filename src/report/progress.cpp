// Drawing of the progress line. A refused update costs one look at the clock.
#include "factorgcn/report/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <vector>

#include "factorgcn/base/text.h"
#include "report/progress_line.h"

namespace factorgcn {
namespace {

constexpr double kPlainSeconds = 15.0;

/// "epoch 3/40", or "start 2/3  epoch 3/20" while starts are compared.
std::string where_it_stands(const ProgressState& state) {
  const std::string start = state.start > 0 ? fmt::format("start {}/{}  ", state.start, state.starts) : "";
  return fmt::format("{}epoch {}/{}", start, state.epoch, state.epochs);
}

double share_done(const ProgressState& state) {
  if (state.graphs_total <= 0) {
    return 0;
  }
  return std::clamp(static_cast<double>(state.graphs_done) / static_cast<double>(state.graphs_total), 0.0, 1.0);
}

}  // namespace

ProgressDisplay::ProgressDisplay(Write write, Look look, Clock clock)
    : write_(std::move(write)), look_(std::move(look)), clock_(std::move(clock)) {}

ProgressDisplay::ProgressDisplay()
    : ProgressDisplay(
          write_to_stderr, [] { return describe_terminal(STDERR_FILENO); }, steady_seconds) {}

ProgressDisplay::~ProgressDisplay() { erase_line(); }

void ProgressDisplay::update(const ProgressState& state) {
  now_ = clock_();
  const bool first = !state_.has_value();
  const auto tenth = static_cast<std::int64_t>(share_done(state) * 10);
  if (first) {
    start_time_ = last_shown_ = now_;
    start_graphs_ = state.graphs_done;
    last_tenth_ = tenth;
  }
  state_ = state;
  state_shown_ = false;
  const double waited = std::abs(now_ - last_shown_);  // a clock may be set back
  const bool redraw = first || waited >= kRedrawSeconds;
  const bool print = tenth > last_tenth_ || waited >= kPlainSeconds;
  if (!redraw && !print) {
    return;
  }
  const Terminal terminal = look_();
  if (terminal.interactive && redraw) {
    write_(kEraseLine + draw_line(terminal));
    line_on_screen_ = true;
    last_shown_ = now_;
  }
  if (!terminal.interactive && print) {
    write_(plain_line() + "\n");
    state_shown_ = true;
    last_shown_ = now_;
  }
  last_tenth_ = tenth;
}

void ProgressDisplay::message(std::string_view line) {
  erase_line();
  write_(without_controls(line, true) + "\n");
}

void ProgressDisplay::finish() {
  if (state_ && !state_shown_ && !look_().interactive) {
    now_ = clock_();
    write_(plain_line() + "\n");
    state_shown_ = true;
  }
  erase_line();
}

void ProgressDisplay::erase_line() {
  if (line_on_screen_) {
    write_(kEraseLine);
    line_on_screen_ = false;
  }
}

double ProgressDisplay::graphs_per_second() const {
  const double seconds = now_ - start_time_;
  const auto graphs = static_cast<double>(state_->graphs_done - start_graphs_);
  return seconds > 0 && graphs > 0 ? graphs / seconds : NAN;
}

double ProgressDisplay::seconds_left() const {
  return static_cast<double>(state_->graphs_total - state_->graphs_done) / graphs_per_second();
}

std::string ProgressDisplay::plain_line() const {
  std::string line = where_it_stands(*state_);
  line += fmt::format("  loss {:.4f}", state_->loss);
  if (state_->validation) {
    line += fmt::format("  validation {} {:.4f}", state_->metric_name, *state_->validation);
  }
  if (std::isfinite(graphs_per_second())) {
    line += fmt::format("  {} graphs/s", format_count(std::llround(graphs_per_second())));
    if (state_->graphs_done < state_->graphs_total) {
      line += fmt::format("  {} left", format_duration(seconds_left()));
    }
  }
  return line;
}

std::string ProgressDisplay::draw_line(const Terminal& terminal) const {
  // One column stays free: some terminals wrap when the last one is filled.
  const int room = terminal.width - 1;
  // Parts in the order they are shown; `keep` says which survive in a narrow window (a small number stays longer).
  struct Part {
    int keep;
    std::string text;
  };
  std::vector<Part> parts;
  parts.push_back({0, where_it_stands(*state_)});
  parts.push_back({2, fmt::format("loss {:.4f}", state_->loss)});
  if (state_->validation) {
    parts.push_back({3, fmt::format("validation {} {:.4f}", state_->metric_name, *state_->validation)});
  }
  if (std::isfinite(graphs_per_second())) {
    parts.push_back({4, fmt::format("{} graphs/s", format_count(std::llround(graphs_per_second())))});
    parts.push_back({1, fmt::format("{} left", format_duration(seconds_left()))});
  }
  const auto joined = [](const std::vector<Part>& some) {
    std::string text;
    for (const auto& part : some) {
      text += (text.empty() ? "" : "  ") + part.text;
    }
    return text;
  };
  while (parts.size() > 1 && display_width(joined(parts)) + 2 + kShortestBar > room) {
    parts.erase(
        std::max_element(parts.begin(), parts.end(), [](const Part& a, const Part& b) { return a.keep < b.keep; }));
  }
  const std::string text = joined(parts);
  const int bar = std::min(kLongestBar, room - 2 - display_width(text));
  if (bar < kShortestBar) {
    return cut_to_width(text, room);
  }
  return draw_bar(share_done(*state_), bar, terminal) + "  " + text;
}

}  // namespace factorgcn
