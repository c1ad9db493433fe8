// A search over settings: every combination is trained, or some of them drawn at random, and the validation part alone
// chooses.
//
//   OUT/search.json                  what is searched
//   OUT/runs/TRIAL                   the runs of one combination, a folder of seeds (train/seed_runs.h); TRIAL is its
//                                    name, "hidden=32,factors=4"
//   OUT/metrics.json                 every trial's validation score, the chosen one and its test score
//   OUT/chosen.json                  the chosen configuration, for train --config
//
// Trials are known by their settings, so a repeated search trains what is missing only, and one with more values or
// more trials takes up what is there. Test scores of other trials than the chosen one are shown nowhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/several_runs.h"
#include "factorgcn/reproduce/execute.h"
#include "factorgcn/reproduce/plan.h"
#include "factorgcn/train/run_metrics.h"

namespace factorgcn {

/// One setting and the values to try.
struct FACTORGCN_API SearchedSetting {
  std::string name;  ///< as it was typed: "hidden", "learning-rate"
  std::string key;   ///< of the configuration: "model_settings.hidden", "learning_rate"
  std::vector<std::string> values;
};

/// "hidden=32,64"; where a value is itself a list, "factors=8,4:4,4:2,2". Names are those of train --set or of train's
/// options without dashes; a dotted name reaches any key. UsageError for other forms, values given twice, and for what
/// cannot be searched: seeds, data and what changes no result.
FACTORGCN_API SearchedSetting parse_searched_setting(const std::string& text);

struct FACTORGCN_API SearchPlan {
  nlohmann::json layer;                             ///< what all trials share, without a seed
  nlohmann::json typed = nlohmann::json::object();  ///< of that, what somebody gave for this search: what has an effect
                                                    ///< in no trial is refused. Not kept in files
  std::vector<SearchedSetting> over;
  std::int64_t trials = 0;              ///< 0: all combinations, or kUsualTrials of them where there are more
  std::vector<std::uint64_t> seeds{0};  ///< each trial's; the mean of their validation scores counts
  std::uint64_t seed = 0;               ///< that draws trials
};

inline constexpr std::int64_t kUsualTrials = 50;

struct FACTORGCN_API Trial {
  std::string name;
  std::vector<std::string> values;  ///< one per searched setting
  nlohmann::json layer;             ///< without a seed
};

/// All combinations, the last setting changing fastest; or, of more than are asked for, some at random without
/// repetition. Asking for more adds to those that fewer would have given.
FACTORGCN_API std::vector<Trial> list_trials(const SearchPlan& plan);

/// How many combinations there are.
FACTORGCN_API std::int64_t count_combinations(const SearchPlan& plan);

struct FACTORGCN_API TrialResult {
  enum class State { kFinished, kDiverged, kFailed, kMissing };
  Trial trial;
  State state = State::kMissing;
  Spread validation;    ///< of the task's metric over the trial's seeds
  double loss = 0;      ///< mean validation loss; NaN where it is not known
  double seconds = 0;   ///< of training
  std::string message;  ///< why it failed
};

struct FACTORGCN_API SearchResult {
  std::string metric;  ///< the task's
  std::int64_t combinations = 0;
  std::vector<std::uint64_t> seeds;
  std::vector<TrialResult> trials;         ///< the best first, those without a score last
  std::optional<std::size_t> chosen;       ///< 0, unless no trial has a score
  std::vector<RunMetrics> test_of_chosen;  ///< of each seed
  bool complete = false;                   ///< nothing is left to do
  std::int64_t failed_runs = 0;            ///< of the last call, not by their settings: they are tried again
};

/// Trains what is missing below options.out. UsageError, before anything is trained, where the settings fit no trial,
/// where the data have no validation part, or where the folder holds runs with other settings. Trials whose settings do
/// not fit each other, that are searched over without effect, or that fail or diverge are told in the result; they stop
/// nothing. Of processes that share the runs the first has the result, the others have an empty one.
FACTORGCN_API SearchResult run_search(const SearchPlan& plan, const ExecuteOptions& options, ExecuteObserver& observer);

FACTORGCN_API bool is_search_folder(const std::filesystem::path& folder);
FACTORGCN_API SearchPlan read_search_plan(const std::filesystem::path& folder);

/// What the finished runs of a search say, whether or not all are there.
FACTORGCN_API SearchResult gather_search(const std::filesystem::path& folder);

FACTORGCN_API nlohmann::ordered_json to_json(const SearchResult& result);

}  // namespace factorgcn
