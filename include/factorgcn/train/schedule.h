// How the learning rate changes from epoch to epoch.
//
//   none     constant
//   plateau  times `factor` after `patience` epochs in a row without a better validation loss
//   step     times `factor` every `every` epochs
//   one_cycle  up from a 25th along half a cosine over the share `warmup` of all epochs, then down along another to
//              1 / 250,000 or the floor; an epoch has the rate of its middle
//
// The rate never falls below `floor`. The state is four numbers, saved with every checkpoint.
#pragma once

#include <cstdint>
#include <string>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API ScheduleOptions {
  std::string kind = "none";   ///< none, plateau, step or one_cycle
  double factor = 0.5;         ///< in (0, 1]
  std::int64_t patience = 50;  ///< plateau: at least 1
  std::int64_t every = 100;    ///< step: at least 1
  double floor = 0.0;          ///< at least 0
  double warmup = 0.3;         ///< one_cycle: in 0 .. 1
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

  /// `epochs`: that are planned, which one_cycle goes by.
  Schedule(const ScheduleOptions& options, double initial_rate, std::int64_t epochs = 1);

  /// The rate of the epoch to come.
  double rate() const { return state_.rate; }

  /// To be called after each epoch. A loss that is not finite counts as no better.
  void finish_epoch(double validation_loss);

  const State& state() const { return state_; }
  void set_state(const State& state) { state_ = state; }

 private:
  void cut();
  double cycle_rate() const;

  ScheduleOptions options_;
  double initial_rate_;
  std::int64_t planned_epochs_;
  State state_;
};

}  // namespace factorgcn
