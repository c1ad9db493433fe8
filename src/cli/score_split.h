// A run's best model on one part of its data.
#pragma once

#include <filesystem>
#include <string>

#include "factorgcn/train/run_metrics.h"

namespace factorgcn::cli {

/// Loss, the metrics for the task and, where there is a ground truth, ged_e, ged_e_std and c_score, all under `test` of
/// what is returned. `split` is train, validation or test. Cost: makes the data, then one forward pass over that part.
RunMetrics score_split(const std::filesystem::path& run, const std::string& split, const std::string& device);

}  // namespace factorgcn::cli
