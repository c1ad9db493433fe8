// Runs side by side: their scores, whether they differ by more than noise, and in which settings they differ.
//
// A side is a run, a cross-validation or a folder of several seeds. The first is what the others are compared with. How
// a difference is judged follows from what there is (eval/several_runs.h): pairs of seeds or folds where both sides
// have them, two groups of runs, one run against several, or two single runs by their intervals over samples. With
// more than two sides, intervals are as much wider as it takes for all of them together to hold in 95 % (Bonferroni).
#pragma once

#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/several_runs.h"
#include "factorgcn/report/page.h"
#include "factorgcn/report/terminal.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

struct FACTORGCN_API ComparedSide {
  enum class Unit { kRun, kSeeds, kFolds };
  std::string letter;  ///< "A", "B", ...: its name in the tables
  std::filesystem::path folder;
  Unit unit = Unit::kRun;
  RunConfig config;                                   ///< of seeds, the first one's
  RunMetrics example;                                 ///< of a single run the run itself; of several, what they share
  std::vector<std::uint64_t> numbers;                 ///< of the values: seeds, or folds from 1
  std::map<std::string, std::vector<double>> values;  ///< by metric; what diverged is left out
  std::map<std::string, double> chance;
  std::vector<std::filesystem::path> runs;  ///< whose histories are drawn
  std::string note;                         ///< what is left out, in words; may be empty
  double seconds = 0;

  /// Of a single run, its interval over samples; of several, that of the mean.
  Spread spread(const std::string& metric) const;
  std::optional<Interval> interval(const std::string& metric) const;
};

struct FACTORGCN_API ComparedPair {
  std::size_t side = 0;  ///< less the first one
  std::string metric;
  Difference difference;
  std::string not_comparable;  ///< why no difference is given; empty where one is
};

struct FACTORGCN_API RunComparison {
  std::vector<ComparedSide> sides;
  std::vector<std::string> metrics;  ///< of all sides, the first one's task's metric in front
  std::vector<ComparedPair> pairs;   ///< for each side but the first, every metric that both have
  double level = 0.95;               ///< of the pairs' intervals
  /// Settings in which not all agree, one value per side; "not set" where a side has none.
  std::vector<std::pair<std::string, std::vector<std::string>>> settings;
};

/// UsageError for fewer than two folders, folders that are no runs, and runs without scores.
FACTORGCN_API RunComparison compare_runs(std::span<const std::filesystem::path> folders);

/// "B is better than A by 0.0123 (0.0031 to 0.0215): more than noise. Paired, 5 seeds."
FACTORGCN_API std::string pair_in_words(const RunComparison& comparison, const ComparedPair& pair);

FACTORGCN_API nlohmann::ordered_json to_json(const RunComparison& comparison);
FACTORGCN_API std::string comparison_report(const RunComparison& comparison, const Terminal& terminal);

/// The same tables, and the sides' training curves over each other.
FACTORGCN_API Page comparison_page(const RunComparison& comparison);

}  // namespace factorgcn
