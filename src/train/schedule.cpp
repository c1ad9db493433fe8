// The learning rate's three courses.
#include "factorgcn/train/schedule.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"

namespace factorgcn {

void check_schedule(const ScheduleOptions& options) {
  require_usage(options.kind == "none" || options.kind == "plateau" || options.kind == "step", "schedule.kind is '",
                options.kind, "'; choose none, plateau or step");
  require_usage(options.factor > 0 && options.factor <= 1, "schedule.factor is ", options.factor,
                "; it must be above 0 and at most 1");
  require_usage(options.patience >= 1, "schedule.patience is ", options.patience, "; it must be at least 1");
  require_usage(options.every >= 1, "schedule.every is ", options.every, "; it must be at least 1");
  require_usage(options.floor >= 0 && std::isfinite(options.floor), "schedule.floor is ", options.floor,
                "; it must be at least 0");
}

Schedule::Schedule(const ScheduleOptions& options, double initial_rate) : options_(options) {
  check_schedule(options);
  state_.rate = initial_rate;
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
  }
}

void Schedule::cut() {
  // A rate that starts below the floor is the user's choice: it stays rather than being raised.
  state_.rate = std::min(state_.rate, std::max(state_.rate * options_.factor, options_.floor));
}

}  // namespace factorgcn
