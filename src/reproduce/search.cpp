// Trials from settings, results from their runs.
#include "factorgcn/reproduce/search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/folder_lock.h"
#include "factorgcn/base/interrupt.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/base/random.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/idle_settings.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_config.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;
using TrialState = TrialResult::State;

constexpr std::int64_t kMostCombinations = 1'000'000'000'000;
constexpr std::int64_t kMostTrials = 10'000;

fs::path search_path(const fs::path& folder) { return folder / "search.json"; }

std::vector<std::string> split_at(const std::string& text, char separator) {
  std::vector<std::string> pieces;
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find(separator, begin)) != std::string::npos; begin = end + 1) {
    pieces.push_back(text.substr(begin, end - begin));
  }
  pieces.push_back(text.substr(begin));
  return pieces;
}

/// Keys of the configuration that one may not search over, and why.
std::string why_not_searched(const std::string& key) {
  if (key == "seed") {
    return "seeds are no setting to choose; --seeds trains each trial with several";
  }
  if (key == "dataset" || key.starts_with("data.")) {
    return "scores on other data cannot be compared";
  }
  for (const char* other :
       {"out", "threads", "device", "data_on_device", "checkpoint_seconds", "score_test", "metric_layer", "protocol"}) {
    if (key == other) {
      return "it is no setting of the model or its training";
    }
  }
  return "";
}

/// "learning-rate" -> "learning_rate", "hidden" -> "model_settings.hidden", "schedule.kind" as it is.
std::string config_key(const std::string& name) {
  if (name.find('.') != std::string::npos) {
    return name;
  }
  std::string key = name;
  std::replace(key.begin(), key.end(), '-', '_');
  const ordered_json known = to_json(RunConfig());
  return known.contains(key) && !known.at(key).is_object() ? key : "model_settings." + name;
}

/// A trial's name is a folder's too.
std::string folder_name(const std::string& text) {
  constexpr std::size_t kLongest = 180;
  std::string name;
  for (const char each : text) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(each)) != 0 || std::string(",=._+-").find(each) != std::string::npos;
    name += plain ? each : '_';
  }
  return name.size() <= kLongest ? name : concat(name.substr(0, kLongest), "-", RandomStream(0, text).next());
}

Trial trial_of(const SearchPlan& plan, std::int64_t number) {
  Trial trial;
  trial.layer = plan.layer;
  trial.values.resize(plan.over.size());
  for (std::size_t index = plan.over.size(); index-- > 0;) {
    const auto count = static_cast<std::int64_t>(plan.over[index].values.size());
    trial.values[index] = plan.over[index].values[static_cast<std::size_t>(number % count)];
    number /= count;
  }
  std::string name;
  for (std::size_t index = 0; index < plan.over.size(); ++index) {
    const SearchedSetting& setting = plan.over[index];
    set_config_value(trial.layer, setting.key, trial.values[index]);
    name += concat(index == 0 ? "" : ",", setting.name, "=", trial.values[index]);
  }
  trial.name = folder_name(name);
  return trial;
}

/// The runs of the trials; `skipped` ones are not possible.
Plan plan_of_trials(const SearchPlan& search, const std::vector<Trial>& trials,
                    const std::map<std::string, std::string>& skipped) {
  Plan plan;
  for (const Trial& trial : trials) {
    if (skipped.contains(trial.name)) {
      continue;
    }
    for (const std::uint64_t seed : search.seeds) {
      PlannedRun run{concat(trial.name, "/runs/", seed_run_name(seed)), trial.layer, false};
      run.layer["seed"] = seed;
      plan.runs.push_back(std::move(run));
    }
  }
  return plan;
}

/// A trial's own settings alone.
json searched_values(const SearchPlan& search, const Trial& trial) {
  json layer = json::object();
  for (std::size_t index = 0; index < search.over.size(); ++index) {
    set_config_value(layer, search.over[index].key, trial.values[index]);
  }
  return layer;
}

/// What is wrong with single trials, by name, found by making their networks, which takes no time beside training.
/// UsageError where it is all of them, or the whole search.
std::map<std::string, std::string> impossible_trials(const SearchPlan& search, const std::vector<Trial>& trials) {
  const OpenedData data;
  std::map<std::string, std::string> wrong;
  std::size_t possible = 0, idle = 0;
  std::string why_idle;
  for (const Trial& trial : trials) {
    json layer = trial.layer;
    layer["seed"] = search.seeds.front();
    try {
      const RunConfig config = resolve_config(std::array{layer}, data);
      require_usage(config.protocol == "corrected", "a search needs --protocol corrected: the ", config.protocol,
                    " one may choose on test samples");
      refuse_idle_settings(searched_values(search, trial), config, data);
      ++possible;
      try {
        refuse_idle_settings(search.typed, config, data);
      } catch (const UsageError& error) {
        why_idle = error.what();
        ++idle;
      }
      if (is_kernel_machine(config.model)) {
        continue;
      }
      const auto dataset = open_run_data(config, data);
      require_usage(!data_part(*dataset, Part::kValidation).empty(), "data set ", dataset->name,
                    " has no validation part, which is what a search chooses on");
      build_network(config, *dataset);
    } catch (const UsageError& error) {
      wrong[trial.name] = error.what();
    }
  }
  if (!wrong.empty() && wrong.size() == trials.size()) {
    throw UsageError(wrong.begin()->second);
  }
  if (possible > 0 && idle == possible) {
    throw UsageError(why_idle);
  }
  return wrong;
}

void write_search_plan(const fs::path& folder, const SearchPlan& plan) {
  ordered_json over = ordered_json::array();
  for (const SearchedSetting& setting : plan.over) {
    over.push_back({{"name", setting.name}, {"key", setting.key}, {"values", setting.values}});
  }
  const ordered_json object{
      {"layer", plan.layer}, {"over", over}, {"trials", plan.trials}, {"seeds", plan.seeds}, {"seed", plan.seed}};
  fs::create_directories(folder);
  remove_half_written(folder);
  write_file_atomically(search_path(folder), object.dump(2) + "\n");
}

/// Each trial's folder can be shown, compared and continued by itself. Seeds of former searches stay.
void write_seed_plans(const fs::path& folder, const SearchPlan& search, const std::vector<Trial>& trials,
                      const std::map<std::string, std::string>& skipped) {
  for (const Trial& trial : trials) {
    if (skipped.contains(trial.name)) {
      continue;
    }
    const fs::path own = run_folder(folder, trial.name);
    SeedPlan plan;
    plan.layer = trial.layer;
    plan.seeds = search.seeds;
    plan.pages = false;
    if (is_seed_folder(own)) {
      for (const std::uint64_t seed : read_seed_plan(own).seeds) {
        if (std::find(plan.seeds.begin(), plan.seeds.end(), seed) == plan.seeds.end()) {
          plan.seeds.push_back(seed);
        }
      }
    }
    write_seed_plan(own, plan);
  }
}

/// A trial's runs, of the search's seeds alone.
SeedMetrics runs_of(const fs::path& folder, const SearchPlan& search, const Trial& trial) {
  SeedMetrics own;
  for (const std::uint64_t seed : search.seeds) {
    const fs::path metrics = RunPaths(seed_run_folder(run_folder(folder, trial.name), seed)).metrics;
    own.runs.push_back({seed, fs::exists(metrics) ? std::optional(read_metrics(metrics.string())) : std::nullopt, ""});
  }
  return own;
}

TrialResult result_of(const Trial& trial, const SeedMetrics& runs) {
  TrialResult result;
  result.trial = trial;
  result.loss = std::numeric_limits<double>::quiet_NaN();
  result.seconds = runs.seconds();
  if (!runs.diverged().empty()) {
    result.state = TrialState::kDiverged;
  } else if (runs.without_metrics().empty()) {
    const std::string metric = task_metric(*runs.example());
    const auto scores = runs.values(metric, &RunMetrics::validation);
    result.validation = spread_of(scores);
    result.loss = spread_of(runs.values("loss", &RunMetrics::validation)).mean;
    const bool scored = result.validation.runs == static_cast<std::int64_t>(scores.size());
    result.state = scored ? TrialState::kFinished : TrialState::kFailed;
    result.message = scored ? "" : "it has no validation score";
  }
  return result;
}

bool ranks_ahead(const TrialResult& left, const TrialResult& right, const std::string& metric) {
  const bool a = left.state == TrialState::kFinished, b = right.state == TrialState::kFinished;
  if (a != b || !a) {
    return a && !b;
  }
  if (left.validation.mean != right.validation.mean) {
    return smaller_is_better(metric) ? left.validation.mean < right.validation.mean
                                     : left.validation.mean > right.validation.mean;
  }
  return left.loss < right.loss;
}

SearchResult gather(const fs::path& folder, const SearchPlan& search, const std::vector<Trial>& trials) {
  SearchResult result;
  result.combinations = count_combinations(search);
  result.seeds = search.seeds;
  for (const Trial& trial : trials) {
    const SeedMetrics runs = runs_of(folder, search, trial);
    if (result.metric.empty() && runs.example() != nullptr) {
      result.metric = task_metric(*runs.example());
    }
    result.trials.push_back(result_of(trial, runs));
  }
  std::stable_sort(result.trials.begin(), result.trials.end(), [&](const TrialResult& left, const TrialResult& right) {
    return ranks_ahead(left, right, result.metric);
  });
  if (!result.trials.empty() && result.trials.front().state == TrialState::kFinished) {
    result.chosen = 0;
    for (const SeedRun& run : runs_of(folder, search, result.trials.front().trial).runs) {
      result.test_of_chosen.push_back(*run.metrics);
    }
  }
  result.complete = std::none_of(result.trials.begin(), result.trials.end(),
                                 [](const TrialResult& each) { return each.state == TrialState::kMissing; });
  return result;
}

void write_result(const fs::path& folder, const SearchResult& result) {
  write_file_atomically(RunPaths(folder).metrics, to_json(result).dump(2) + "\n");
  const fs::path chosen = folder / "chosen.json";
  if (result.chosen) {
    write_file_atomically(chosen, result.trials[*result.chosen].trial.layer.dump(2) + "\n");
  } else {
    fs::remove(chosen);
  }
}

const char* trial_state_name(TrialState state) {
  switch (state) {
    case TrialState::kFinished:
      return "finished";
    case TrialState::kDiverged:
      return "diverged";
    case TrialState::kFailed:
      return "failed";
    case TrialState::kMissing:
      break;
  }
  return "missing";
}

}  // namespace

SearchedSetting parse_searched_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  require_usage(equals != std::string::npos && equals > 0 && equals + 1 < text.size(), "--over '", text,
                "': write NAME=VALUE,VALUE,..., e.g. --over hidden=32,64");
  SearchedSetting setting;
  setting.name = text.substr(0, equals);
  setting.key = config_key(setting.name);
  const std::string why = why_not_searched(setting.key);
  require_usage(why.empty(), "--over ", setting.name, ": ", why);
  const std::string values = text.substr(equals + 1);
  setting.values = split_at(values, values.find(':') != std::string::npos ? ':' : ',');
  std::set<std::string> seen;
  for (const std::string& value : setting.values) {
    require_usage(!value.empty(), "--over '", text, "': a value is missing between two separators");
    require_usage(seen.insert(value).second, "--over '", text, "': ", value, " stands there twice");
  }
  return setting;
}

std::int64_t count_combinations(const SearchPlan& plan) {
  std::int64_t count = 1;
  for (const SearchedSetting& setting : plan.over) {
    count *= static_cast<std::int64_t>(setting.values.size());
    require_usage(count <= kMostCombinations, "--over: there are more than ", kMostCombinations,
                  " combinations; give fewer values");
  }
  return count;
}

std::vector<Trial> list_trials(const SearchPlan& plan) {
  require_usage(!plan.over.empty(), "a search needs something to search over, e.g. --over hidden=32,64");
  std::set<std::string> keys;
  for (const SearchedSetting& setting : plan.over) {
    require_usage(keys.insert(setting.key).second, "--over ", setting.name, ": it is searched over twice");
  }
  const std::int64_t combinations = count_combinations(plan);
  const std::int64_t wanted = std::min(combinations, plan.trials > 0 ? plan.trials : kUsualTrials);
  require_usage(wanted <= kMostTrials, "--trials ", wanted, ": at most ", kMostTrials);
  std::vector<Trial> trials;
  if (wanted == combinations) {
    for (std::int64_t number = 0; number < combinations; ++number) {
      trials.push_back(trial_of(plan, number));
    }
    return trials;
  }
  RandomStream random(plan.seed, "search/trials");
  std::set<std::int64_t> drawn;
  while (static_cast<std::int64_t>(drawn.size()) < wanted) {
    const auto number = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(combinations)));
    if (drawn.insert(number).second) {
      trials.push_back(trial_of(plan, number));
    }
  }
  return trials;
}

SearchResult run_search(const SearchPlan& search, const ExecuteOptions& options, ExecuteObserver& observer) {
  const fs::path& folder = options.out;
  require_usage(!fs::exists(folder) || (fs::is_directory(folder) && (!has_content(folder) || is_search_folder(folder))),
                folder.string(), " is not empty and holds no search; choose another --out");
  const std::vector<Trial> trials = list_trials(search);
  const auto impossible = impossible_trials(search, trials);
  const Plan plan = plan_of_trials(search, trials, impossible);
  check_plan(plan, folder);
  if (options.speaks()) {
    if (fs::exists(folder)) {
      const FolderLock lock = lock_runs(folder);  // what another process is at work with must not change
    }
    write_search_plan(folder, search);
    write_seed_plans(folder, search, trials, impossible);
  }
  check_one_folder(options.group, folder);
  std::map<std::string, std::string> failures = impossible;
  const std::vector<RunOutcome> outcomes = execute_plan(plan, options, observer);
  if (!options.speaks()) {
    return {};
  }
  for (const RunOutcome& outcome : outcomes) {
    if (outcome.state == RunOutcome::State::kFailed) {
      failures.try_emplace(outcome.name.substr(0, outcome.name.find('/')), outcome.message);
    }
  }
  SearchResult result = gather(folder, search, trials);
  result.failed_runs = std::count_if(outcomes.begin(), outcomes.end(), [](const RunOutcome& outcome) {
    return outcome.state == RunOutcome::State::kFailed;
  });
  for (TrialResult& trial : result.trials) {
    const auto found = failures.find(trial.trial.name);
    if (found != failures.end() && trial.state == TrialState::kMissing) {
      trial.state = TrialState::kFailed;
      trial.message = found->second;
    }
  }
  result.complete = interrupt_signal() == 0;
  if (result.complete) {
    write_result(folder, result);
  }
  return result;
}

bool is_search_folder(const fs::path& folder) { return fs::exists(search_path(folder)); }

SearchPlan read_search_plan(const fs::path& folder) {
  const std::string path = search_path(folder).string();
  require_usage(fs::exists(path), folder.string(), " holds no search: it has no search.json");
  try {
    const json object = read_json(path, 1U << 24);
    SearchPlan plan;
    plan.layer = object.at("layer");
    for (const json& each : object.at("over")) {
      plan.over.push_back({each.at("name"), each.at("key"), each.at("values").get<std::vector<std::string>>()});
    }
    plan.trials = object.at("trials").get<std::int64_t>();
    plan.seeds = object.at("seeds").get<std::vector<std::uint64_t>>();
    plan.seed = object.at("seed").get<std::uint64_t>();
    require(!plan.seeds.empty(), path, ": it asks for no runs");
    return plan;
  } catch (const json::exception& error) {
    fail(path, " is damaged: ", error.what());
  }
}

SearchResult gather_search(const fs::path& folder) {
  const SearchPlan plan = read_search_plan(folder);
  return gather(folder, plan, list_trials(plan));
}

ordered_json to_json(const SearchResult& result) {
  ordered_json object = ordered_json::object();
  object["metric"] = result.metric;
  object["chosen_on"] = "validation";
  object["combinations"] = result.combinations;
  object["seeds"] = result.seeds;
  auto& trials = object["trials"] = ordered_json::array();
  for (const TrialResult& each : result.trials) {
    ordered_json shown{{"name", each.trial.name},
                       {"values", each.trial.values},
                       {"status", trial_state_name(each.state)},
                       {"seconds", each.seconds}};
    if (each.state == TrialState::kFinished) {
      shown["validation"] = each.validation.mean;
      if (each.validation.deviation) {
        shown["validation_deviation"] = *each.validation.deviation;
      }
    }
    if (!each.message.empty()) {
      shown["message"] = each.message;
    }
    trials.push_back(std::move(shown));
  }
  if (result.chosen) {
    object["chosen"] = result.trials[*result.chosen].trial.name;
    SeedMetrics chosen;
    for (const RunMetrics& metrics : result.test_of_chosen) {
      chosen.runs.push_back({metrics.seed, metrics, ""});
    }
    auto& test = object["test"] = ordered_json::object();
    for (const auto& [metric, spread] : chosen.spreads(&RunMetrics::test)) {
      test[metric] = std::isfinite(spread.mean) ? ordered_json(spread.mean) : ordered_json();
      if (spread.deviation) {
        test[metric + "_deviation"] = *spread.deviation;
      }
    }
  }
  return object;
}

}  // namespace factorgcn
