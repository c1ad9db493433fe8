// The result of a run as RUN/metrics.json holds it.
//
//   {"dataset", "model", "preset", "protocol", "seed", "device", "parameters", "epochs_run", "best_epoch", "seconds",
//    "status", "factors", "validation": {"loss", "micro_f1"}, "test": {"micro_f1", "ged_e", "ged_e_std",
//    "ged_e_share", "relation_auc", "c_score"}, "splits": {"micro_f1": "test", "ged_e": "test"},
//    "metric": "micro_f1", "samples": {"test", "validation"}, "intervals": {"micro_f1": [low, high]},
//    "chance": {"micro_f1", "ged_e"}}
//
// "splits" says on which part each test score was computed: the published protocol takes some from elsewhere. "metric"
// is the task's: it chose the epoch. Every other metric for the task stands beside it (eval/metrics.h) and was computed
// on the same part; null: not known. Files of older versions end with "splits".
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/eval/disentanglement.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

class Group;

class GraphModel;

enum class RunStatus { kFinished, kInterrupted, kDiverged };

/// finished, interrupted, diverged
FACTORGCN_API const char* status_name(RunStatus status);
FACTORGCN_API RunStatus status_from_name(const std::string& name);

struct FACTORGCN_API RunMetrics {
  std::string dataset, model, preset, protocol;
  std::uint64_t seed = 0;
  std::string device = "cpu";
  std::int64_t parameters = 0;
  std::int64_t epochs_run = 0;
  std::int64_t best_epoch = 0;  ///< from 1; 0 where no epoch was completed and the initial weights were scored
  double seconds = 0;           ///< of training and evaluation, all sessions together
  RunStatus status = RunStatus::kFinished;
  std::optional<std::int64_t> factors;          ///< relation types of the ground truth
  std::map<std::string, double> validation;     ///< loss, the task's metric and the others for the task
  std::map<std::string, double> test;           ///< the same without loss; scores of factors where there are any
  std::map<std::string, std::string> splits;    ///< the task's metric and ged_e: "test", "validation" or "train"
  std::string metric;                           ///< the task's; may be empty in older files
  std::map<std::string, std::int64_t> samples;  ///< graphs or nodes of each part scored: "validation", "test"
  std::map<std::string, Interval> intervals;    ///< 95 %, of scores under `test`, where they are known
  std::map<std::string, double> chance;         ///< what a guess scores there, where that is known
};

FACTORGCN_API nlohmann::ordered_json to_json(const RunMetrics& metrics);
FACTORGCN_API RunMetrics metrics_from_json(const nlohmann::json& object, const std::string& where = "metrics");

/// Reads RUN/metrics.json; errors name the file.
FACTORGCN_API RunMetrics read_metrics(const std::string& path);

/// Puts scores under `test`, with their intervals and chance values; NaN where a value is not known.
FACTORGCN_API void put_test_scores(const std::vector<ScoredMetric>& scores, RunMetrics& metrics);

/// Puts scores of factors and their chance values under `test`; NaN where a value is not known. A single graph has no
/// C-Score and no spread.
FACTORGCN_API void put_factor_scores(const DisentanglementScore& score, RunMetrics& metrics);

/// Scores the model on validation and test under the configuration's protocol, and fills in what the configuration, the
/// data and the model tell. Where there is no test part, validation scores stand in its place and `splits` says so.
/// epochs_run, best_epoch, seconds and status stay the caller's. `group`: processes that share the batches; all call
/// this together and get the same, the bits of one process.
FACTORGCN_API RunMetrics measure(GraphModel& model, const Dataset& dataset, const RunConfig& config,
                                 Group* group = nullptr);

}  // namespace factorgcn
