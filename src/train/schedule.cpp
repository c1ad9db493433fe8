// The learning rate's courses.
#include "factorgcn/train/schedule.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {

void check_schedule(const ScheduleOptions& options) {
  require_usage(
      options.kind == "none" || options.kind == "plateau" || options.kind == "step" || options.kind == "one_cycle",
      "schedule.kind is '", options.kind, "'; choose none, plateau, step or one_cycle");
  require_usage(options.factor > 0 && options.factor <= 1, "schedule.factor is ", options.factor,
                "; it must be above 0 and at most 1");
  require_usage(options.patience >= 1, "schedule.patience is ", options.patience, "; it must be at least 1");
  require_usage(options.every >= 1, "schedule.every is ", options.every, "; it must be at least 1");
  require_usage(options.floor >= 0 && std::isfinite(options.floor), "schedule.floor is ", options.floor,
                "; it must be at least 0");
  require_usage(options.warmup >= 0 && options.warmup <= 1, "schedule.warmup is ", options.warmup,
                "; it must be in 0 .. 1");
}

Schedule::Schedule(const ScheduleOptions& options, double initial_rate, std::int64_t epochs)
    : options_(options), initial_rate_(initial_rate), planned_epochs_(epochs) {
  check_schedule(options);
  state_.rate = options.kind == "one_cycle" ? cycle_rate() : initial_rate;
}

void Schedule::finish_epoch(double validation_loss) {
  ++state_.epochs;
  if (std::isfinite(validation_loss) && (!state_.has_best || validation_loss < state_.best)) {
    state_.has_best = true;
    state_.best = validation_loss;
    state_.waited = 0;
  } else {
    ++state_.waited;
  }
  if (options_.kind == "plateau" && state_.waited >= options_.patience) {
    cut();
    state_.waited = 0;
  } else if (options_.kind == "step" && state_.epochs % options_.every == 0) {
    cut();
  } else if (options_.kind == "one_cycle") {
    state_.rate = cycle_rate();
  }
}

double Schedule::cycle_rate() const {
  constexpr double kRise = 25, kFall = 250'000;
  constexpr double kPi = 3.141592653589793;
  const double middle = (static_cast<double>(state_.epochs) + 0.5) / static_cast<double>(planned_epochs_);
  const double done = std::min(middle, 1.0);
  const bool rising = done < options_.warmup;
  const double share = rising ? done / options_.warmup : (done - options_.warmup) / (1 - options_.warmup);
  const double from = rising ? initial_rate_ / kRise : initial_rate_,
               to = rising ? initial_rate_ : initial_rate_ / kFall;
  const double rate = to + (from - to) * (1 + std::cos(kPi * share)) / 2;
  return std::max(rate, std::min(options_.floor, initial_rate_));
}

void Schedule::cut() {
  // A rate that starts below the floor is the user's choice: it stays rather than being raised.
  state_.rate = std::min(state_.rate, std::max(state_.rate * options_.factor, options_.floor));
}

}  // namespace factorgcn
