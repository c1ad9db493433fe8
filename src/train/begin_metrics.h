// What the metrics of every run begin with, whatever trained it.
#pragma once

#include "factorgcn/data/dataset.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

inline RunMetrics begin_metrics(const Dataset& dataset, const RunConfig& config) {
  RunMetrics metrics;
  metrics.dataset = dataset.name;
  metrics.model = config.model;
  metrics.preset = config.preset;
  metrics.protocol = config.protocol;
  metrics.seed = config.seed;
  return metrics;
}

}  // namespace factorgcn
