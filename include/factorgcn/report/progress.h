// Progress of a training run: one redrawn line on a terminal, occasional plain lines anywhere else.
//
//   ██████████░░░░░░░░  epoch 41/80  loss 0.1382  validation micro-F1 0.9821  61,204 graphs/s  7 s left
//
// The line is drawn at most ten times a second and never wider than the terminal. Plain lines come once per tenth of
// the run, and at least every fifteen seconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn {

/// Where a run stands. Graphs count over the whole run, so the share that is done is graphs_done / graphs_total.
struct FACTORGCN_API ProgressState {
  std::int64_t epoch = 0;  ///< the epoch being worked on, from 1
  std::int64_t epochs = 0;
  std::int64_t start = 0, starts = 1;  ///< where starts are compared: which one, from 1; else 0
  std::int64_t graphs_done = 0;
  std::int64_t graphs_total = 0;
  double loss = 0;                   ///< mean training loss so far in this epoch
  std::string metric_name;           ///< e.g. "micro-F1"
  std::optional<double> validation;  ///< the last validation's value; none before the first
};

/// Times and rates count from the display's creation and the first state it is given, so that a resumed run shows its
/// own speed. Not thread-safe: call from the training thread.
class FACTORGCN_API ProgressDisplay {
 public:
  using Write = std::function<void(std::string_view)>;
  using Look = std::function<Terminal()>;  ///< asked before each redraw: windows change their width
  using Clock = std::function<double()>;   ///< seconds, steady

  ProgressDisplay(Write write, Look look, Clock clock);

  /// To standard error, whatever it is.
  ProgressDisplay();

  /// Takes the line off the screen.
  ~ProgressDisplay();
  ProgressDisplay(const ProgressDisplay&) = delete;
  ProgressDisplay& operator=(const ProgressDisplay&) = delete;

  /// Shows the state, where it is time to.
  void update(const ProgressState& state);

  /// Prints a line above the progress line.
  void message(std::string_view line);

  /// Ends the display: on a terminal the line is removed, elsewhere the last state is printed if it was not yet.
  void finish();

 private:
  std::string draw_line(const Terminal& terminal) const;
  std::string plain_line() const;
  void erase_line();
  double seconds_left() const;
  double graphs_per_second() const;

  Write write_;
  Look look_;
  Clock clock_;
  std::optional<ProgressState> state_;
  double start_time_ = 0;
  double now_ = 0;
  std::int64_t start_graphs_ = 0;
  double last_shown_ = 0;
  std::int64_t last_tenth_ = -1;
  bool line_on_screen_ = false;
  bool state_shown_ = false;
};

}  // namespace factorgcn
