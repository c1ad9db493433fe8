// A folder of runs that differ in their seed alone, and what they say together.
//
//   OUT/seeds.json    what is to be done: the configuration layer that all share, and the seeds
//   OUT/runs/seed-N   an ordinary run directory, or a cross-validation; each can be resumed by itself
//   OUT/logs          what each printed
//   OUT/metrics.json  the result, written when no run is left to do; OUT/page.html shows it
//
// The seed draws what one run's seed draws: first weights, order of the graphs, and the data or their split where these
// are drawn and the layer has no data.seed of its own. Who trains the runs: reproduce/train_seeds.h.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/several_runs.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

struct FACTORGCN_API SeedPlan {
  nlohmann::json layer;  ///< without a seed
  std::vector<std::uint64_t> seeds;
  bool folds = false;  ///< each seed a cross-validation under both protocols
  bool pages = true;   ///< each run with a page of its own
};

/// "5": five seeds from `first` on; "3,8,21": these. UsageError for anything else, and for a seed given twice.
FACTORGCN_API std::vector<std::uint64_t> parse_seeds(const std::string& text, std::uint64_t first);

/// True where the folder holds a seeds.json.
FACTORGCN_API bool is_seed_folder(const std::filesystem::path& folder);
FACTORGCN_API SeedPlan read_seed_plan(const std::filesystem::path& folder);
FACTORGCN_API void write_seed_plan(const std::filesystem::path& folder, const SeedPlan& plan);

/// "seed-3", below OUT/runs.
FACTORGCN_API std::string seed_run_name(std::uint64_t seed);
FACTORGCN_API std::filesystem::path seed_run_folder(const std::filesystem::path& folder, std::uint64_t seed);

/// One run of the folder.
struct FACTORGCN_API SeedRun {
  std::uint64_t seed = 0;
  std::optional<RunMetrics> metrics;  ///< of a cross-validation, what its folds share; nothing: it did not get there
  std::string message;                ///< why it has no metrics, where that is known

  /// Whether its scores go into the means: runs that diverged are counted by themselves.
  bool counts() const { return metrics && metrics->status == RunStatus::kFinished; }
};

struct FACTORGCN_API SeedMetrics {
  std::vector<SeedRun> runs;  ///< in the plan's order

  /// The first run that counts, else the first with metrics; nullptr where none has.
  const RunMetrics* example() const;
  /// Scores by metric, over the runs that count. `part`: RunMetrics::test or RunMetrics::validation.
  std::map<std::string, Spread> spreads(std::map<std::string, double> RunMetrics::*part) const;
  /// A metric's value of each run that counts, in order; NaN where a run has none.
  std::vector<double> values(const std::string& metric, std::map<std::string, double> RunMetrics::*part) const;
  /// Mean of the runs' chance values; nothing where not all have one.
  std::optional<double> chance(const std::string& metric) const;
  double seconds() const;
  std::vector<std::uint64_t> diverged() const, without_metrics() const;
};

/// What the finished runs below the folder say, whether or not all are there.
FACTORGCN_API SeedMetrics gather_seed_runs(const std::filesystem::path& folder);

/// {"dataset", "model", ..., "metric", "seeds", "runs", "diverged", "missing", "seconds", "test": {METRIC: {"mean",
/// "deviation", "interval", "lowest", "highest", "runs", "chance", "values"}}, "validation": ...}
FACTORGCN_API nlohmann::ordered_json to_json(const SeedMetrics& metrics);

}  // namespace factorgcn
