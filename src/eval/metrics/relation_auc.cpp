// Relation AUC: computed by the disentanglement scorer (eval/disentanglement.h); its entry says how it is read.
#include "eval/metrics/list.h"

namespace factorgcn {

Metric metric_entries::relation_auc() {
  return {.name = "relation_auc",
          .label = "relation AUC",
          .measures =
              "how often an edge of a true relation ranks before another edge in the factor that stands for the "
              "relation, averaged over the relations (1 is perfect)",
          .unknown_because = "every true relation has all of the edges or none"};
}

}  // namespace factorgcn
