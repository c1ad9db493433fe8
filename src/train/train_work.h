// What a trainer goes over and how steps and scores are made of it: a data set in memory, or one graph in parts.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "factorgcn/train/data_part.h"
#include "factorgcn/train/trainer.h"
#include "train/part_scorer.h"
#include "train/step_runner.h"

namespace factorgcn {

struct TrainWork {
  std::string name;  ///< of the data, for errors
  Task task = Task::kNone;
  DataPart train;
  Part monitored = Part::kValidation;  ///< scored after each epoch to choose the best model
  /// Called once, with the model's parameters in the optimiser's buffer.
  std::function<std::unique_ptr<StepRunner>(Adam&, const DataPart& train)> make_runner;
  /// Null where the data have no such part.
  std::function<std::unique_ptr<PartScorer>(Part)> make_scorer;
  /// Of a model that has an objective of its own: its value on what is monitored; what it draws follows from the seed.
  std::function<OwnObjective(std::uint64_t seed)> score_objective;
};

/// All must outlive the work.
TrainWork work_on_dataset(GraphModel& model, const Dataset& dataset, const TrainOptions& options);

}  // namespace factorgcn
