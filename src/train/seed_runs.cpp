// The folder's plan, and its runs' metrics put together.
#include "factorgcn/train/seed_runs.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <set>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_directory.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::uint64_t kMostSeeds = 1000;
constexpr std::uint64_t kLastSeed = std::numeric_limits<std::int64_t>::max();

fs::path seed_plan_path(const fs::path& folder) { return folder / "seeds.json"; }

[[noreturn]] void refuse_seeds(const std::string& text) {
  throw UsageError(concat("--seeds '", text, "': give how many, from 1 to ", kMostSeeds,
                          ", or a list such as 3,8,21 (seeds from 0 to ", kLastSeed, ")"));
}

/// The scores that a run in the folder may be asked for, one for one cross-validation too.
std::optional<RunMetrics> metrics_in(const fs::path& run) {
  const fs::path file = RunPaths(run).metrics;
  if (!fs::exists(file)) {
    return {};
  }
  return is_fold_run(run) ? read_fold_metrics(run).shared : read_metrics(file.string());
}

ordered_json number_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(); }

ordered_json spread_json(const Spread& spread, const std::vector<double>& values) {
  ordered_json object{{"mean", number_or_null(spread.mean)}, {"runs", spread.runs}};
  if (spread.deviation) {
    object["deviation"] = *spread.deviation;
  }
  if (spread.interval) {
    object["interval"] = {spread.interval->low, spread.interval->high};
  }
  object["lowest"] = number_or_null(spread.lowest);
  object["highest"] = number_or_null(spread.highest);
  auto& list = object["values"] = ordered_json::array();
  for (const double value : values) {
    list.push_back(number_or_null(value));
  }
  return object;
}

}  // namespace

std::vector<std::uint64_t> parse_seeds(const std::string& text, std::uint64_t first) {
  std::vector<std::uint64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    std::uint64_t number = 0;
    const auto [stopped, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number > kLastSeed || (stopped != end && *stopped != ',')) {
      refuse_seeds(text);
    }
    numbers.push_back(number);
    if (stopped == end) {
      break;
    }
    at = stopped + 1;
  }
  if (numbers.size() == 1) {
    const std::uint64_t count = numbers.front();
    if (count < 1 || count > kMostSeeds || first > kLastSeed - count) {
      refuse_seeds(text);
    }
    numbers.clear();
    for (std::uint64_t index = 0; index < count; ++index) {
      numbers.push_back(first + index);
    }
  }
  if (numbers.size() > kMostSeeds) {
    refuse_seeds(text);
  }
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : numbers) {
    require_usage(seen.insert(seed).second, "--seeds ", text, ": seed ", seed, " stands there twice");
  }
  return numbers;
}

bool is_seed_folder(const fs::path& folder) { return fs::exists(seed_plan_path(folder)); }

SeedPlan read_seed_plan(const fs::path& folder) {
  const std::string path = seed_plan_path(folder).string();
  require_usage(fs::exists(path), folder.string(), " holds no runs of several seeds: it has no seeds.json");
  return reading_file(path, [&] {
    const json object = read_json(path, 1U << 24);
    SeedPlan plan;
    plan.layer = object.at("layer");
    plan.seeds = object.at("seeds").get<std::vector<std::uint64_t>>();
    plan.folds = object.value("folds", false);
    plan.pages = object.value("pages", true);
    require(plan.layer.is_object() && !plan.seeds.empty(), path, ": it asks for no runs");
    return plan;
  });
}

void write_seed_plan(const fs::path& folder, const SeedPlan& plan) {
  fs::create_directories(folder);
  remove_half_written(folder);
  const ordered_json object{{"layer", plan.layer}, {"seeds", plan.seeds}, {"folds", plan.folds}, {"pages", plan.pages}};
  write_file_atomically(seed_plan_path(folder), object.dump(2) + "\n");
}

std::string seed_run_name(std::uint64_t seed) { return concat("seed-", seed); }

fs::path seed_run_folder(const fs::path& folder, std::uint64_t seed) { return folder / "runs" / seed_run_name(seed); }

const RunMetrics* SeedMetrics::example() const {
  const RunMetrics* any = nullptr;
  for (const SeedRun& run : runs) {
    if (run.counts()) {
      return &*run.metrics;
    }
    any = any == nullptr && run.metrics ? &*run.metrics : any;
  }
  return any;
}

std::vector<double> SeedMetrics::values(const std::string& metric,
                                        std::map<std::string, double> RunMetrics::*part) const {
  std::vector<double> values;
  for (const SeedRun& run : runs) {
    if (run.counts()) {
      const auto& scores = (*run.metrics).*part;
      const auto found = scores.find(metric);
      values.push_back(found == scores.end() ? std::numeric_limits<double>::quiet_NaN() : found->second);
    }
  }
  return values;
}

std::map<std::string, Spread> SeedMetrics::spreads(std::map<std::string, double> RunMetrics::*part) const {
  std::map<std::string, Spread> result;
  for (const SeedRun& run : runs) {
    for (const auto& [name, value] : run.counts() ? (*run.metrics).*part : std::map<std::string, double>()) {
      // What a single run says of its own spread is not what runs differ by.
      if (!name.ends_with("_std") && !result.contains(name)) {
        result[name] = spread_of(values(name, part));
      }
    }
  }
  return result;
}

std::optional<double> SeedMetrics::chance(const std::string& metric) const {
  double sum = 0, count = 0;
  for (const SeedRun& run : runs) {
    if (run.counts()) {
      const auto found = run.metrics->chance.find(metric);
      if (found == run.metrics->chance.end()) {
        return {};
      }
      sum += found->second;
      count += 1;
    }
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

double SeedMetrics::seconds() const {
  double sum = 0;
  for (const SeedRun& run : runs) {
    sum += run.metrics ? run.metrics->seconds : 0;
  }
  return sum;
}

std::vector<std::uint64_t> SeedMetrics::diverged() const {
  std::vector<std::uint64_t> seeds;
  for (const SeedRun& run : runs) {
    if (run.metrics && !run.counts()) {
      seeds.push_back(run.seed);
    }
  }
  return seeds;
}

std::vector<std::uint64_t> SeedMetrics::without_metrics() const {
  std::vector<std::uint64_t> seeds;
  for (const SeedRun& run : runs) {
    if (!run.metrics) {
      seeds.push_back(run.seed);
    }
  }
  return seeds;
}

SeedMetrics gather_seed_runs(const fs::path& folder) {
  SeedMetrics all;
  for (const std::uint64_t seed : read_seed_plan(folder).seeds) {
    all.runs.push_back({seed, metrics_in(seed_run_folder(folder, seed)), ""});
  }
  return all;
}

ordered_json to_json(const SeedMetrics& all) {
  ordered_json object = ordered_json::object();
  if (const RunMetrics* example = all.example()) {
    object["dataset"] = example->dataset;
    object["model"] = example->model;
    object["preset"] = example->preset;
    object["protocol"] = example->protocol;
    object["metric"] = example->metric;
    object["splits"] = example->splits;
    if (!example->samples.empty()) {
      object["samples"] = example->samples;
    }
  }
  object["status"] = !all.without_metrics().empty() ? "incomplete" : !all.diverged().empty() ? "diverged" : "finished";
  auto& seeds = object["seeds"] = ordered_json::array();
  std::int64_t counted = 0;
  for (const SeedRun& run : all.runs) {
    seeds.push_back(run.seed);
    counted += run.counts() ? 1 : 0;
  }
  object["runs"] = counted;
  object["diverged"] = all.diverged();
  object["missing"] = all.without_metrics();
  object["seconds"] = all.seconds();
  for (const auto& [name, part] : {std::pair{"test", &RunMetrics::test}, {"validation", &RunMetrics::validation}}) {
    auto& scores = object[name] = ordered_json::object();
    for (const auto& [metric, spread] : all.spreads(part)) {
      scores[metric] = spread_json(spread, all.values(metric, part));
      if (const auto chance = part == &RunMetrics::test ? all.chance(metric) : std::nullopt) {
        scores[metric]["chance"] = *chance;
      }
    }
  }
  return object;
}

}  // namespace factorgcn
