// GED_E: computed by the disentanglement scorer (eval/disentanglement.h); its entry says how it is read and shown.
#include "eval/metrics/list.h"

namespace factorgcn {

Metric metric_entries::ged_e() {
  return {.name = "ged_e",
          .label = "GED_E",
          .measures =
              "how many entries of a factor graph differ from the true graph it matches best (0 is perfect; the "
              "number after ± is the spread over samples)",
          .better = Better::kLower,
          .decimals = 2,
          .unknown_because = "no true relation has an edge in the graphs scored"};
}

}  // namespace factorgcn
