// From folders to sides, from sides to differences.
#include "factorgcn/report/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/report/run_report.h"
#include "factorgcn/train/fold_run.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/seed_runs.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostSides = 26;  // as many as there are letters

void take_seeds(ComparedSide& side) {
  const SeedMetrics all = gather_seed_runs(side.folder);
  const RunMetrics* const example = all.example();
  require_usage(example != nullptr, side.folder.string(),
                " has no scores yet: none of its runs is over; continue with factorgcn train --resume");
  side.unit = ComparedSide::Unit::kSeeds;
  side.example = *example;
  side.config = read_run_config(seed_run_folder(side.folder, example->seed));
  side.seconds = all.seconds();
  for (const SeedRun& run : all.runs) {
    if (run.counts()) {
      side.numbers.push_back(run.seed);
      side.runs.push_back(seed_run_folder(side.folder, run.seed));
    }
  }
  for (const auto& [metric, spread] : all.spreads(&RunMetrics::test)) {
    side.values[metric] = all.values(metric, &RunMetrics::test);
    if (const auto chance = all.chance(metric)) {
      side.chance[metric] = *chance;
    }
  }
  const std::size_t left_out = all.runs.size() - side.numbers.size();
  if (left_out > 0) {
    side.note = concat(left_out, " of its ", all.runs.size(), " runs diverged or failed and ",
                       left_out == 1 ? "is" : "are", " left out");
  }
}

void take_folds(ComparedSide& side) {
  const FoldMetrics metrics = read_fold_metrics(side.folder);
  side.unit = ComparedSide::Unit::kFolds;
  side.example = metrics.shared;
  side.seconds = metrics.shared.seconds;
  side.chance = metrics.shared.chance;
  const std::string metric = task_metric(metrics.shared);
  for (const FoldSummary& summary : metrics.protocols) {
    if (summary.protocol == metrics.shared.protocol) {
      side.values[metric.empty() ? "accuracy" : metric] = summary.accuracy;
      for (std::size_t fold = 1; fold <= summary.accuracy.size(); ++fold) {
        side.numbers.push_back(fold);
        side.runs.push_back(side.folder / summary.protocol / concat("fold-", fold < 10 ? "0" : "", fold));
      }
    }
  }
  if (metrics.shared.status == RunStatus::kDiverged) {
    side.note = "training diverged in at least one fold, whose score is that of its model before";
  }
}

void take_run(ComparedSide& side) {
  const RunPaths paths(side.folder);
  require_usage(fs::exists(paths.metrics), side.folder.string(),
                " has no scores yet; continue the run with factorgcn train --resume");
  side.example = read_metrics(paths.metrics.string());
  side.seconds = side.example.seconds;
  side.numbers = {side.example.seed};
  side.runs = {side.folder};
  side.chance = side.example.chance;
  if (side.example.status == RunStatus::kDiverged && side.example.best_epoch == 0) {
    side.note = "training diverged before any epoch was complete: it has no score";
    return;
  }
  for (const std::string& metric : all_metrics(side.example)) {
    side.values[metric] = {side.example.test.at(metric)};
  }
  if (side.example.status == RunStatus::kDiverged) {
    side.note = concat("training diverged; the scores are those of epoch ", side.example.best_epoch, " before it");
  }
}

ComparedSide side_of(const fs::path& folder, std::size_t index) {
  ComparedSide side;
  side.letter = std::string(1, static_cast<char>('A' + index));
  side.folder = folder;
  if (is_seed_folder(folder)) {
    take_seeds(side);
    return side;
  }
  side.config = read_run_config(folder);
  if (is_fold_run(folder)) {
    take_folds(side);
  } else {
    take_run(side);
  }
  return side;
}

/// "data.factors" -> "4" and so on, for every setting that can change a result.
void flatten(const json& object, const std::string& prefix, std::map<std::string, std::string>& flat) {
  static const std::set<std::string> kWithoutEffect{
      "out", "threads", "device", "data_on_device", "checkpoint_seconds", "score_test"};
  for (const auto& [key, value] : object.items()) {
    if (value.is_object()) {
      flatten(value, prefix + key + ".", flat);
    } else if (!prefix.empty() || !kWithoutEffect.contains(key)) {
      flat[prefix + key] = value.is_string() ? value.get<std::string>() : value.dump();
    }
  }
}

std::map<std::string, std::string> settings_of(const ComparedSide& side) {
  std::map<std::string, std::string> flat;
  flatten(to_json(side.config), "", flat);
  if (side.unit != ComparedSide::Unit::kRun) {  // the units' numbers say more
    flat.erase("seed");
    flat.erase("data.seed");
  }
  return flat;
}

void collect_settings(RunComparison& comparison) {
  std::vector<std::map<std::string, std::string>> all;
  std::set<std::string> keys;
  for (const ComparedSide& side : comparison.sides) {
    all.push_back(settings_of(side));
    for (const auto& [key, value] : all.back()) {
      keys.insert(key);
    }
  }
  for (const std::string& key : keys) {
    std::vector<std::string> values;
    for (const auto& settings : all) {
      const auto found = settings.find(key);
      values.push_back(found == settings.end() ? "not set" : found->second);
    }
    if (std::any_of(values.begin(), values.end(), [&](const std::string& each) { return each != values.front(); })) {
      comparison.settings.emplace_back(key, std::move(values));
    }
  }
}

/// Why scores of the two cannot be set against each other; empty where they can.
std::string unlike(const ComparedSide& left, const ComparedSide& right, const std::string& metric) {
  const RunMetrics &a = left.example, &b = right.example;
  if (a.dataset != b.dataset) {
    return "other data";
  }
  const std::string part = metric_split(a, metric), other = metric_split(b, metric);
  if (part != other) {
    return concat("scored on the ", part, " part and on the ", other, " part");
  }
  if (a.protocol != b.protocol) {
    return "other protocols";
  }
  const auto samples = a.samples.find(part), of_other = b.samples.find(part);
  if (left.unit == right.unit && samples != a.samples.end() && of_other != b.samples.end() &&
      samples->second != of_other->second) {
    return concat("scored on ", samples->second, " and on ", of_other->second, " samples");
  }
  for (const char* key : {"factors", "edges"}) {
    const auto mine = left.config.data.find(key), yours = right.config.data.find(key);
    if (mine != left.config.data.end() && yours != right.config.data.end() && mine->second != yours->second) {
      return concat("data of another '", key, "'");
    }
  }
  return "";
}

/// The values of those numbers that both sides have.
struct Paired {
  std::vector<double> left, right;
};

Paired pair_up(const ComparedSide& left, const ComparedSide& right, const std::string& metric) {
  Paired pairs;
  const auto &mine = left.values.at(metric), &yours = right.values.at(metric);
  for (std::size_t index = 0; index < left.numbers.size(); ++index) {
    const auto found = std::find(right.numbers.begin(), right.numbers.end(), left.numbers[index]);
    if (found == right.numbers.end()) {
      continue;
    }
    const double a = mine[index], b = yours[static_cast<std::size_t>(found - right.numbers.begin())];
    if (std::isfinite(a) && std::isfinite(b)) {
      pairs.left.push_back(a);
      pairs.right.push_back(b);
    }
  }
  return pairs;
}

/// The runs of both sides come to the same each: seeds change nothing here, and say nothing about chance.
bool all_the_same(const ComparedSide& left, const ComparedSide& right, const std::string& metric) {
  const Spread mine = left.spread(metric), yours = right.spread(metric);
  return mine.lowest == mine.highest && yours.lowest == yours.highest;
}

Difference difference_of(const ComparedSide& left, const ComparedSide& right, const std::string& metric, double level) {
  const auto &mine = left.values.at(metric), &yours = right.values.at(metric);
  if (all_the_same(left, right, metric)) {
    const auto a = left.example.intervals.find(metric), b = right.example.intervals.find(metric);
    if (a != left.example.intervals.end() && b != right.example.intervals.end()) {
      return sampled_difference(mine.front(), a->second, yours.front(), b->second, level);
    }
  }
  if (left.unit == right.unit && left.unit != ComparedSide::Unit::kRun) {
    const bool folds = left.unit == ComparedSide::Unit::kFolds;
    const Paired pairs = pair_up(left, right, metric);
    // Most of both sides must be in a pair: otherwise pairing throws away more than it gains.
    if (pairs.left.size() >= 2 && 2 * pairs.left.size() >= std::max(mine.size(), yours.size())) {
      const double overlap = folds ? 1.0 / static_cast<double>(mine.size() - 1) : 0.0;
      return paired_difference(pairs.left, pairs.right, level, overlap);
    }
  }
  return unpaired_difference(mine, yours, level);
}

void collect_pairs(RunComparison& comparison) {
  const ComparedSide& first = comparison.sides.front();
  comparison.level = 1 - 0.05 / static_cast<double>(comparison.sides.size() - 1);
  for (std::size_t index = 1; index < comparison.sides.size(); ++index) {
    const ComparedSide& side = comparison.sides[index];
    for (const std::string& metric : comparison.metrics) {
      if (first.values.contains(metric) && side.values.contains(metric)) {
        ComparedPair pair{index, metric, {}, unlike(side, first, metric)};
        if (pair.not_comparable.empty()) {
          pair.difference = difference_of(side, first, metric, comparison.level);
        }
        comparison.pairs.push_back(std::move(pair));
      }
    }
  }
}

std::string how_in_words(const ComparedSide& side, const Difference& difference) {
  switch (difference.how) {
    case Comparison::kPaired:
      return concat("Paired, ", difference.pairs, side.unit == ComparedSide::Unit::kFolds ? " folds." : " seeds.");
    case Comparison::kUnpaired:
      return "Unpaired: two groups of runs.";
    case Comparison::kOneToMany:
      return "One run against several: whether it might be one more of them.";
    case Comparison::kOneToOne:
      return "Unpaired, from the samples' intervals: it knows of other samples, not of other seeds.";
    case Comparison::kNotPossible:
      break;
  }
  return "One run each: nothing says how much such runs differ by chance; --seeds would.";
}

}  // namespace

Spread ComparedSide::spread(const std::string& metric) const {
  const auto found = values.find(metric);
  return found == values.end() ? Spread() : spread_of(found->second);
}

std::optional<Interval> ComparedSide::interval(const std::string& metric) const {
  if (unit != Unit::kRun) {
    return spread(metric).interval;
  }
  const auto found = example.intervals.find(metric);
  return found == example.intervals.end() || !values.contains(metric) ? std::nullopt : std::optional(found->second);
}

RunComparison compare_runs(std::span<const fs::path> folders) {
  require_usage(folders.size() >= 2, "a comparison needs two runs or more; name their folders");
  require_usage(folders.size() <= kMostSides, folders.size(), " runs are too many to be read side by side; at most ",
                kMostSides);
  RunComparison comparison;
  for (std::size_t index = 0; index < folders.size(); ++index) {
    comparison.sides.push_back(side_of(folders[index], index));
  }
  for (const ComparedSide& side : comparison.sides) {
    for (const std::string& metric : all_metrics(side.example)) {
      if (std::find(comparison.metrics.begin(), comparison.metrics.end(), metric) == comparison.metrics.end()) {
        comparison.metrics.push_back(metric);
      }
    }
  }
  collect_pairs(comparison);
  collect_settings(comparison);
  return comparison;
}

std::string pair_in_words(const RunComparison& comparison, const ComparedPair& pair) {
  const ComparedSide &first = comparison.sides.front(), &side = comparison.sides[pair.side];
  const std::string name = metric_title(pair.metric);
  if (!pair.not_comparable.empty()) {
    return concat(side.letter, " and ", first.letter, " cannot be compared in ", name, ": ", pair.not_comparable, ".");
  }
  const Difference& difference = pair.difference;
  if (!std::isfinite(difference.value)) {
    return concat(side.letter, " and ", first.letter, " cannot be compared in ", name, ": it is not known for both.");
  }
  const bool better = smaller_is_better(pair.metric) ? difference.value < 0 : difference.value > 0;
  const std::string size = metric_text(pair.metric, std::abs(difference.value));
  std::string text = difference.value == 0 ? concat(side.letter, " and ", first.letter, " have the same ", name)
                                           : concat(side.letter, " is ", better ? "better" : "worse", " than ",
                                                    first.letter, " in ", name, " by ", size);
  if (const auto beyond = difference.more_than_noise()) {
    text += concat(" (", side.letter, " - ", first.letter, ": ", metric_text(pair.metric, difference.interval->low),
                   " to ", metric_text(pair.metric, difference.interval->high),
                   "): ", *beyond ? "more than noise" : "no more than noise explains");
  }
  return concat(text, ". ", how_in_words(side, difference));
}

}  // namespace factorgcn
