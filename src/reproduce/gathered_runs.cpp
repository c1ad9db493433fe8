// Reads metrics.json of plain runs and of cross-validations.
#include "reproduce/gathered_runs.h"

#include <cmath>
#include <optional>

#include "factorgcn/eval/metrics.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {
namespace {

struct Score {
  double value;
  std::optional<double> own_deviation;  // over samples or folds
};

std::optional<Score> score_of(const std::filesystem::path& folder, const std::string& metric,
                              const std::string& protocol) {
  const Metric* const entry = find_metric(metric);
  const double unit = entry == nullptr ? 1 : entry->shown(1);
  if (is_fold_run(folder)) {
    const FoldMetrics metrics = read_fold_metrics(folder);
    for (const FoldSummary& summary : metrics.protocols) {
      if (summary.protocol == protocol) {
        return Score{unit * summary.mean, unit * summary.deviation};
      }
    }
    return {};
  }
  const RunMetrics metrics = read_metrics(RunPaths(folder).metrics.string());
  const auto found = metrics.test.find(metric);
  if (found == metrics.test.end()) {
    return {};
  }
  const auto spread = metrics.test.find(metric + "_std");
  return Score{unit * found->second,
               spread == metrics.test.end() ? std::nullopt : std::optional(unit * spread->second)};
}

}  // namespace

GatheredScore gather_score(const RunGroup& group, const std::filesystem::path& out, const std::string& metric,
                           const std::string& protocol) {
  std::vector<Score> scores;
  for (const std::string& name : group.runs) {
    const std::filesystem::path folder = run_folder(out, name);
    if (std::filesystem::exists(RunPaths(folder).metrics)) {
      if (const auto score = score_of(folder, metric, protocol)) {
        scores.push_back(*score);
      }
    }
  }
  GatheredScore result;
  result.runs = static_cast<std::int64_t>(scores.size());
  if (scores.empty()) {
    return result;
  }
  const auto count = static_cast<double>(scores.size());
  double own = 0;
  for (const Score& score : scores) {
    result.mean += score.value / count;
    result.spread_is_of_samples = score.own_deviation.has_value();
    own += score.own_deviation.value_or(0) / count;
  }
  double squares = 0;
  for (const Score& score : scores) {
    squares += (score.value - result.mean) * (score.value - result.mean) / count;
  }
  result.deviation = result.spread_is_of_samples ? own : std::sqrt(squares);
  return result;
}

double gather_seconds(const RunGroup& group, const std::filesystem::path& out) {
  double seconds = 0;
  for (const std::string& name : group.runs) {
    const std::filesystem::path folder = run_folder(out, name);
    if (std::filesystem::exists(RunPaths(folder).metrics)) {
      seconds += is_fold_run(folder) ? read_fold_metrics(folder).shared.seconds
                                     : read_metrics(RunPaths(folder).metrics.string()).seconds;
    }
  }
  return seconds;
}

}  // namespace factorgcn
