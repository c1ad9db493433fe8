// Folds are ordinary runs in folders of their own: resuming, interrupts and checkpoints are theirs.
#include "factorgcn/train/fold_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/json_text.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/evaluate.h"
#include "factorgcn/train/history.h"
#include "factorgcn/train/model_table.h"
#include "factorgcn/train/run_directory.h"
#include "train/json_reader.h"

namespace factorgcn {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using nlohmann::ordered_json;

/// Folds are for classes of graphs.
const char* fold_metric() { return metric_name(Task::kGraphClass); }
std::string fold_spread() { return concat(fold_metric(), "_std"); }

fs::path plan_path(const fs::path& folder) { return folder / "folds.json"; }

/// What is to be done, as OUT/folds.json holds it.
struct FoldPlan {
  int folds = 0;
  std::vector<std::string> protocols;
};

void write_plan(const fs::path& folder, const FoldPlan& plan) {
  const ordered_json object{{"folds", plan.folds}, {"protocols", plan.protocols}};
  write_file_atomically(plan_path(folder), object.dump(2) + "\n");
}

FoldPlan read_plan(const fs::path& folder) {
  const std::string path = plan_path(folder).string();
  return reading_file(path, [&] {
    const json object = read_json(path, 1U << 20);
    FoldPlan plan{object.at("folds").get<int>(), object.at("protocols").get<std::vector<std::string>>()};
    require(plan.folds >= 1 && !plan.protocols.empty(), path, ": it asks for no folds");
    return plan;
  });
}

RunConfig fold_config(const RunConfig& shared, const std::string& protocol, int fold, int folds) {
  RunConfig config = shared;
  config.protocol = protocol;
  // With one seed for all, a fortunate start would be fortunate in every fold.
  config.seed = shared.seed * static_cast<std::uint64_t>(folds) + static_cast<std::uint64_t>(fold - 1);
  config.data["seed"] = static_cast<std::int64_t>(config.seed);
  config.data["fold"] = std::int64_t{fold};
  config.data["inner_validation"] = protocol != "published";
  config.out = (fs::path(shared.out) / protocol / fmt::format("fold-{:02}", fold)).string();
  return config;
}

/// The configuration with the settings of a fold, also where the data keep a split of their own, which folds replace.
RunConfig with_folds(RunConfig config, const OpenedData& data) {
  if (!config.data.contains("folds") && data.describe(config.dataset, config.data).has_folds) {
    Settings asked = config.data;
    asked["fold"] = std::int64_t{1};
    config.data = data.describe(config.dataset, asked).settings;
  }
  return config;
}

/// Every fold under each protocol, the configuration's own first: it is the one that metrics.json puts in front.
FoldPlan make_fold_plan(const RunConfig& config, const std::vector<std::string>& protocols) {
  require_usage(config.data.contains("folds"), "data set ", config.dataset,
                " has no folds: they are for classes of graphs, and its task is another; leave out --folds");
  FoldPlan plan{static_cast<int>(std::get<std::int64_t>(config.data.at("folds"))), protocols};
  std::stable_partition(plan.protocols.begin(), plan.protocols.end(),
                        [&](const std::string& protocol) { return protocol == config.protocol; });
  require_usage(!plan.protocols.empty(), "no protocol was chosen; give published, corrected or both");
  return plan;
}

/// The folder as it is before the first fold: configuration and plan.
RunDirectory begin_folds(const RunConfig& config, const FoldPlan& plan, bool force, const OpenedData& data) {
  RunDirectory::check_free(config.out, force);
  data.open(config.dataset, config.data);  // what is missing is said before a former run is touched
  RunDirectory directory = RunDirectory::create(config.out, force);
  // The plan first: whatever has a configuration but no plan is taken for an ordinary run.
  write_plan(config.out, plan);
  directory.write_config(config);
  return directory;
}

/// Starts, continues or only reads the run of one fold.
RunResult run_fold(const RunConfig& config, Observer& observer, const OpenedData& data, bool fresh, bool& was_done) {
  const RunPaths paths(config.out);
  was_done = false;
  if (fresh || !fs::exists(paths.config)) {
    return run_training(config, observer, /*force=*/true, data);
  }
  if (fs::exists(paths.metrics)) {
    const RunMetrics metrics = read_metrics(paths.metrics.string());
    if (metrics.status != RunStatus::kInterrupted &&
        (metrics.epochs_run >= config.epochs || metrics.status == RunStatus::kDiverged ||
         is_kernel_machine(config.model))) {
      was_done = true;
      RunResult result;
      result.folder = config.out;
      result.status = metrics.status;
      result.metrics = metrics;
      return result;
    }
  }
  ResumeOptions options;
  options.epochs = config.epochs;
  options.threads = config.threads;
  options.checkpoint_seconds = config.checkpoint_seconds;
  options.device = config.device;
  options.data_on_device = config.data_on_device;
  return resume_training(config.out, observer, options, data);
}

std::vector<double> test_curve(const fs::path& run) {
  std::vector<double> curve;
  for (const EpochRecord& record : read_history(RunPaths(run).history.string())) {
    curve.push_back(record.validation_metric);
  }
  return curve;
}

void spread(FoldSummary& summary) {
  const auto count = static_cast<double>(summary.accuracy.size());
  summary.mean = std::accumulate(summary.accuracy.begin(), summary.accuracy.end(), 0.0) / count;
  double squares = 0;
  for (const double value : summary.accuracy) {
    squares += (value - summary.mean) * (value - summary.mean);
  }
  summary.deviation = std::sqrt(squares / count);
}

FoldSummary summarise(const std::string& protocol, const std::vector<RunResult>& runs) {
  FoldSummary summary;
  const bool has_curves = !is_kernel_machine(runs.front().metrics->model);
  if (protocol == "published" && has_curves) {
    std::vector<std::vector<double>> curves;
    std::size_t shortest = std::numeric_limits<std::size_t>::max();
    for (const RunResult& run : runs) {
      curves.push_back(test_curve(run.folder));
      shortest = std::min(shortest, curves.back().size());
    }
    for (auto& curve : curves) {
      curve.resize(shortest);  // a fold that diverged has fewer epochs
    }
    require(shortest > 0, "a fold completed no epoch: there is nothing to average");
    summary = summarise_curves(curves);
  } else {
    std::vector<double> accuracy;
    for (const RunResult& run : runs) {
      accuracy.push_back(run.metrics->test.at(fold_metric()));
    }
    summary = summarise_scores(accuracy);
    for (const RunResult& run : runs) {
      if (has_curves) {
        summary.best_epochs.push_back(run.metrics->best_epoch);
      }
    }
  }
  summary.protocol = protocol;
  return summary;
}

/// All folds' test graphs together: each graph is tested once. Older folds do not say how many they had.
void pool_samples(const std::vector<RunResult>& runs, RunMetrics& shared) {
  shared.samples.clear();
  shared.intervals.clear();
  shared.chance.clear();
  std::int64_t samples = 0;
  double chance = 0;
  for (const RunResult& run : runs) {
    const auto tested = run.metrics->samples.find("test");
    const auto guessed = run.metrics->chance.find(fold_metric());
    if (tested == run.metrics->samples.end() || guessed == run.metrics->chance.end()) {
      return;
    }
    samples += tested->second;
    chance += static_cast<double>(tested->second) * guessed->second;
  }
  shared.samples["test"] = samples;
  shared.chance[fold_metric()] = chance / static_cast<double>(samples);
  shared.intervals[fold_metric()] = wilson_interval(shared.test.at(fold_metric()), static_cast<double>(samples));
}

FoldResult run_plan(const RunDirectory& directory, const RunConfig& config, const FoldPlan& plan,
                    FoldObserver& observer, const OpenedData& data, bool fresh) {
  FoldResult result;
  result.folder = directory.paths().folder;
  FoldMetrics metrics;
  metrics.shared.epochs_run = config.epochs;
  FoldObserver::Fold at;
  at.folds = plan.folds;
  at.total = plan.folds * static_cast<std::int64_t>(plan.protocols.size());
  double seconds = 0;
  for (const std::string& protocol : plan.protocols) {
    std::vector<RunResult> runs;
    for (int fold = 1; fold <= plan.folds; ++fold, ++at.done) {
      at.protocol = protocol;
      at.fold = fold;
      observer.on_fold_start(at);
      bool was_done = false;
      RunResult run = run_fold(fold_config(config, protocol, fold, plan.folds), observer, data, fresh, was_done);
      run.loaded = nullptr;  // a fold's model is of no more use here
      if (run.status == RunStatus::kInterrupted) {
        result.status = run.status;
        result.signal = run.signal;
        result.message = fmt::format("interrupted in fold {} of {} ({} protocol); all is saved in {}", fold, plan.folds,
                                     protocol, result.folder.string());
        return result;
      }
      if (run.status == RunStatus::kDiverged) {
        result.status = run.status;
        result.message = fmt::format("fold {} ({} protocol) diverged: its best model was kept", fold, protocol);
      }
      observer.on_fold_end(at, *run.metrics, was_done);
      seconds += run.metrics->seconds;
      runs.push_back(std::move(run));
    }
    metrics.protocols.push_back(summarise(protocol, runs));
    if (protocol == config.protocol || metrics.shared.dataset.empty()) {
      const FoldSummary& summary = metrics.protocols.back();
      metrics.shared = *runs.front().metrics;
      metrics.shared.protocol = protocol;
      metrics.shared.seed = config.seed;
      const bool one_epoch = protocol == "published" && !summary.best_epochs.empty();
      metrics.shared.best_epoch = one_epoch ? summary.best_epochs.front() : 0;
      metrics.shared.validation.clear();
      metrics.shared.test = {{fold_metric(), summary.mean}, {fold_spread(), summary.deviation}};
      metrics.shared.splits = {{fold_metric(), "test"}};
      pool_samples(runs, metrics.shared);
    }
  }
  metrics.shared.seconds = seconds;
  metrics.shared.status = result.status;
  write_file_atomically(directory.paths().metrics, to_json(metrics).dump(2) + "\n");
  result.metrics = std::move(metrics);
  return result;
}

}  // namespace

FoldSummary summarise_curves(const std::vector<std::vector<double>>& curves) {
  require(!curves.empty() && !curves.front().empty(), "there are no test curves to average");
  std::size_t best = 0;
  double best_sum = 0;
  for (std::size_t epoch = 0; epoch < curves.front().size(); ++epoch) {
    double sum = 0;
    for (const auto& curve : curves) {
      require(curve.size() == curves.front().size(), "test curves have ", curves.front().size(), " and ", curve.size(),
              " epochs; they must be equally long");
      sum += curve[epoch];
    }
    if (epoch == 0 || sum > best_sum) {
      best = epoch;
      best_sum = sum;
    }
  }
  FoldSummary summary;
  for (const auto& curve : curves) {
    summary.accuracy.push_back(curve[best]);
    summary.best_epochs.push_back(static_cast<std::int64_t>(best) + 1);
  }
  spread(summary);
  return summary;
}

FoldSummary summarise_scores(const std::vector<double>& accuracy) {
  require(!accuracy.empty(), "there are no folds to average");
  FoldSummary summary;
  summary.accuracy = accuracy;
  spread(summary);
  return summary;
}

ordered_json to_json(const FoldMetrics& metrics) {
  ordered_json object = to_json(metrics.shared);
  object["folds"] = ordered_json::object();
  for (const FoldSummary& summary : metrics.protocols) {
    object["folds"][summary.protocol] = {{fold_metric(), summary.mean},
                                         {fold_spread(), summary.deviation},
                                         {"per_fold", summary.accuracy},
                                         {"best_epochs", summary.best_epochs}};
  }
  return object;
}

FoldMetrics fold_metrics_from_json(const json& object, const std::string& where) {
  FoldMetrics metrics;
  metrics.shared = metrics_from_json(object, where);
  for (const auto& [protocol, value] : object.at("folds").items()) {
    FoldSummary summary;
    summary.protocol = protocol;
    summary.mean = value.at(fold_metric()).get<double>();
    summary.deviation = value.at(fold_spread()).get<double>();
    summary.accuracy = value.at("per_fold").get<std::vector<double>>();
    summary.best_epochs = value.at("best_epochs").get<std::vector<std::int64_t>>();
    metrics.protocols.push_back(std::move(summary));
  }
  return metrics;
}

FoldResult run_folds(const RunConfig& given, const std::vector<std::string>& protocols, FoldObserver& observer,
                     bool force, const OpenedData& data) {
  check_config(given);
  const RunConfig config = with_folds(given, data);
  const FoldPlan plan = make_fold_plan(config, protocols);
  const RunDirectory directory = begin_folds(config, plan, force, data);
  return run_plan(directory, config, plan, observer, data, /*fresh=*/true);
}

std::vector<FoldTraining> list_folds(const RunConfig& config, const std::vector<std::string>& protocols) {
  const FoldPlan plan = make_fold_plan(config, protocols);
  std::vector<FoldTraining> list;
  for (const std::string& protocol : plan.protocols) {
    for (int fold = 1; fold <= plan.folds; ++fold) {
      list.push_back({protocol, fold, fold_config(config, protocol, fold, plan.folds)});
    }
  }
  return list;
}

void prepare_folds(const RunConfig& given, const std::vector<std::string>& protocols, bool force,
                   const OpenedData& data) {
  check_config(given);
  const RunConfig config = with_folds(given, data);
  begin_folds(config, make_fold_plan(config, protocols), force, data);
}

FoldResult resume_folds(const fs::path& folder, FoldObserver& observer, const ResumeOptions& options,
                        const OpenedData& data) {
  const FoldPlan plan = read_plan(folder);
  const RunDirectory directory = RunDirectory::open(folder);
  RunConfig config = read_run_config(folder);
  config.out = folder.string();
  apply(options, config);
  directory.write_config(config);
  fs::remove(directory.paths().metrics);
  return run_plan(directory, config, plan, observer, data, /*fresh=*/false);
}

std::vector<std::string> fold_protocols(const fs::path& folder) { return read_plan(folder).protocols; }

bool is_fold_run(const fs::path& folder) { return fs::exists(plan_path(folder)); }

FoldMetrics read_fold_metrics(const fs::path& folder) {
  const std::string path = RunPaths(folder).metrics.string();
  require_usage(fs::exists(path), folder.string(), " is not over yet: continue it with factorgcn train --resume");
  return reading_file(path, [&] { return fold_metrics_from_json(read_json(path, 1U << 24), path); });
}

}  // namespace factorgcn
