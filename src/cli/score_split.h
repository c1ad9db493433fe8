// A run's best model on one part of its data, or on other data.
#pragma once

#include <filesystem>
#include <string>

#include "factorgcn/collective/group.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/loaded_run.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn::cli {

/// Loss, the metrics for the task and, where there is a ground truth, ged_e, ged_e_std and c_score, all under `test` of
/// what is returned. `split` is train, validation or test. Cost: makes the data, then one forward pass over that part.
/// `group`, here and below: processes that share the batches; all of them get the same.
RunMetrics score_split(const std::filesystem::path& run, const std::string& split, const std::string& device,
                       const OpenedData& data, Group* group = nullptr);

/// The same for any part of a run's data, called `name`.
RunMetrics score_part_of(const LoadedRun& run, const DataPart& part, const std::string& name, const std::string& device,
                         Group* group = nullptr);

/// Every graph, or node for node tasks, whose target is known.
DataPart labelled_part(const Dataset& dataset);

/// train, validation or test.
Part part_from_name(const std::string& option, const std::string& name);

}  // namespace factorgcn::cli
