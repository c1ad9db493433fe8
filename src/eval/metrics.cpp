// The table itself, and how it is asked.
#include "factorgcn/eval/metrics.h"

#include <algorithm>

#include "eval/metrics/list.h"
#include "factorgcn/base/error.h"

namespace factorgcn {

bool Metric::is_for(TargetKind kind) const { return std::find(kinds.begin(), kinds.end(), kind) != kinds.end(); }

std::string Metric::label_with_unit() const { return unit[0] == '\0' ? label : concat(label, " in ", unit); }

const std::vector<Metric>& metrics() {
#define FACTORGCN_CALL_METRIC(name) metric_entries::name(),
  static const std::vector<Metric> table{FACTORGCN_METRICS(FACTORGCN_CALL_METRIC)};
#undef FACTORGCN_CALL_METRIC
  return table;
}

const Metric* find_metric(std::string_view name) {
  for (const Metric& metric : metrics()) {
    if (metric.name == name) {
      return &metric;
    }
  }
  return nullptr;
}

std::string metric_label(std::string_view name) {
  const Metric* const metric = find_metric(name);
  return metric == nullptr ? std::string(name) : metric->label;
}

bool smaller_is_better(std::string_view name) {
  const Metric* const metric = find_metric(name);
  return metric == nullptr ? name == "loss" : metric->better == Better::kLower;
}

std::vector<ScoredMetric> score_answers(const Answers& answers) {
  require(answers.rows() > 0, "there are no samples to score");
  std::vector<ScoredMetric> scores;
  for (const Metric& metric : metrics()) {
    if (metric.is_for(answers.kind())) {
      scores.push_back({&metric, metric.score(answers)});
    }
  }
  return scores;
}

}  // namespace factorgcn
