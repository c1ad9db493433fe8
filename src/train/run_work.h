// What a run is about, whatever its data are: what run.cpp needs to begin, continue and end it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/run_metrics.h"
#include "factorgcn/train/trained_on.h"
#include "train/train_work.h"

namespace factorgcn {

struct RunWork {
  std::shared_ptr<GraphModel> model;
  std::shared_ptr<const Dataset> dataset;  ///< null where no process has the whole of it
  RunData data;                            ///< for whoever watches
  std::string content;                     ///< that processes must agree in
  TrainedOn trained_on;                    ///< for config.json
  ProtocolSlips slips;
  std::function<void()> learn_input;  ///< before the first step of a new run
  std::function<TrainWork(const TrainOptions&)> train_work;
  std::function<NamedTensors(std::uint64_t seed)> fresh_weights;  ///< as another seed draws them
  std::function<RunMetrics(const RunConfig&)> measure;  ///< with the best weights in the model
  bool measured_together = false;       ///< all processes call measure(), not the first alone
};

}  // namespace factorgcn
