// GED_E as a share of its chance value, so that graphs of different sizes can be read side by side.
#include "eval/metrics/list.h"

namespace factorgcn {

Metric metric_entries::ged_e_share() {
  return {.name = "ged_e_share",
          .label = "GED_E of chance",
          .measures = "GED_E as a share of what random coefficients on the same edges score (0 is perfect, 100 chance)",
          .better = Better::kLower,
          .unit = "%",
          .decimals = 1,
          .unknown_because = "coefficients drawn at random are right here too"};
}

}  // namespace factorgcn
