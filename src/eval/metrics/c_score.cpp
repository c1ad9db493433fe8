// C-Score: computed by the disentanglement scorer (eval/disentanglement.h); its entry says how it is read and shown.
#include "eval/metrics/list.h"

namespace factorgcn {

Metric metric_entries::c_score() {
  return {.name = "c_score",
          .label = "C-Score",
          .measures = "how often a kind of true graph is found by the same factor (1 is always)"};
}

}  // namespace factorgcn
