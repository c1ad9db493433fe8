// How the learning rate changes from epoch to epoch.
//
//   none     constant
//   plateau  times `factor` after `patience` epochs in a row without a better validation loss
//   step     times `factor` every `every` epochs
//
// The rate never falls below `floor`. The state is four numbers, saved with every checkpoint.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API ScheduleOptions {
  std::string kind = "none";   ///< none, plateau or step
  double factor = 0.5;         ///< in (0, 1]
  std::int64_t patience = 50;  ///< plateau: at least 1
  std::int64_t every = 100;    ///< step: at least 1
  double floor = 0.0;          ///< at least 0
};

/// Throws UsageError naming the option and its value.
FACTORGCN_API void check_schedule(const ScheduleOptions& options);

class FACTORGCN_API Schedule {
 public:
  struct State {
    double rate = 0;  ///< for the next epoch
    bool has_best = false;
    double best = 0;          ///< lowest validation loss so far, where has_best
    std::int64_t waited = 0;  ///< epochs since then, or since the last cut
    std::int64_t epochs = 0;  ///< epochs seen
  };

  Schedule(const ScheduleOptions& options, double initial_rate);

  /// The rate of the epoch to come.
  double rate() const { return state_.rate; }

  /// To be called after each epoch. A loss that is not finite counts as no better.
  void finish_epoch(double validation_loss);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void cut();

  ScheduleOptions options_;
  State state_;
};

}  // namespace factorgcn
