// Every metric there is, one line each, in the order in which people see them; factorgcn/eval/metrics.h says how to add
// one.
#pragma once

#include "factorgcn/eval/metrics.h"

#define FACTORGCN_METRICS(entry)                                                                     \
  entry(micro_f1) entry(mae) entry(accuracy) entry(balanced_accuracy) entry(macro_f1) entry(roc_auc) \
      entry(average_precision) entry(rmse) entry(r2) entry(ged_e) entry(ged_e_share) \
      entry(relation_auc) entry(c_score)

namespace factorgcn::metric_entries {

#define FACTORGCN_DECLARE_METRIC(name) Metric name();
FACTORGCN_METRICS(FACTORGCN_DECLARE_METRIC)
#undef FACTORGCN_DECLARE_METRIC

}  // namespace factorgcn::metric_entries
