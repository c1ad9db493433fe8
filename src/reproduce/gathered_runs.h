// The metrics of the finished runs of a group, and what they say together.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "factorgcn/report/page.h"
#include "factorgcn/reproduce/plan.h"

namespace factorgcn {

struct GatheredScore {
  double mean = 0, deviation = 0;
  std::int64_t runs = 0;  // behind the mean; 0: there is no value
  bool spread_is_of_samples = false;
};

/// Mean of a metric over the group's finished runs. The deviation is over the runs; for GED_E it is the mean deviation
/// over samples, for a cross-validation the mean deviation over folds, as the paper's tables have them. Shares are in
/// % where the paper's are. A lone run of the other metrics has deviation 0.
GatheredScore gather_score(const RunGroup& group, const std::filesystem::path& out, const std::string& metric,
                           const std::string& protocol);

/// Training time of the group's finished runs in seconds.
double gather_seconds(const RunGroup& group, const std::filesystem::path& out);

}  // namespace factorgcn
