// Progress of a computation in steps: one redrawn line on a terminal, a plain line now and then anywhere else.
//
//   ██████████░░░░░░░░  3 relations of 5 groups, start 2  7 s left
//
// The line is drawn at most ten times a second and never wider than the terminal.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "factorgcn/base/export.h"
#include "factorgcn/report/terminal.h"

namespace factorgcn {

/// Time counts from the first step. Not thread-safe.
class FACTORGCN_API StepProgress {
 public:
  using Write = std::function<void(std::string_view)>;
  using Look = std::function<Terminal()>;
  using Clock = std::function<double()>;  ///< seconds, steady

  StepProgress(Write write, Look look, Clock clock);

  /// To standard error, whatever it is.
  StepProgress();

  /// Takes the line off the screen.
  ~StepProgress();
  StepProgress(const StepProgress&) = delete;
  StepProgress& operator=(const StepProgress&) = delete;

  /// What is being done, and the share of all work that is done, 0 .. 1. Shown where it is time to.
  void at(const std::string& step, double done);

  /// Takes the line off the screen.
  void finish();

 private:
  std::string line(const std::string& step, double done, const Terminal& terminal) const;
  std::string time_left(double done) const;

  Write write_;
  Look look_;
  Clock clock_;
  bool started_ = false, line_on_screen_ = false;
  double start_ = 0, start_done_ = 0, now_ = 0, last_shown_ = 0;
};

}  // namespace factorgcn
