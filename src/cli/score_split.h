// A run's best model on one part of its data.
#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace factorgcn::cli {

/// Loss, the task's metric and, where there is a ground truth, ged_e, ged_e_std and c_score. `split` is train,
/// validation or test. Cost: makes the data, then one forward pass over that part.
std::map<std::string, double> score_split(const std::filesystem::path& run, const std::string& split,
                                          const std::string& device);

}  // namespace factorgcn::cli
