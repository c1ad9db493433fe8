// Cross-validation: one run per fold and protocol, and what they say together.
//
//   published  each fold trains on all the other folds; the test curves are averaged over the folds, and the best epoch
//              of that average counts. It looks at the test graphs to choose, as much of the literature does.
//   corrected  an inner validation split of the training folds picks each fold's epoch; its test score counts.
//
// Fold f of F has the seed S * F + f - 1, S being the configuration's: no two folds, and no two cross-validations,
// start from the same weights.
//
// Folder: OUT/PROTOCOL/fold-NN is an ordinary run directory; OUT/folds.json tells what is to be done, OUT/config.json
// the configuration that the folds share, OUT/metrics.json (written last) the result. Folds that are over are never
// repeated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/shelf/open.h"
#include "factorgcn/train/observer.h"
#include "factorgcn/train/run.h"
#include "factorgcn/train/run_config.h"

namespace factorgcn {

/// The folds of one protocol together.
struct FACTORGCN_API FoldSummary {
  std::string protocol;
  double mean = 0, deviation = 0;         ///< of the accuracy over the folds; population deviation
  std::vector<double> accuracy;           ///< of each fold
  std::vector<std::int64_t> best_epochs;  ///< of each fold; the same one for all under the published protocol
};

struct FACTORGCN_API FoldMetrics {
  RunMetrics shared;  ///< test holds accuracy and accuracy_std of the configuration's own protocol
  std::vector<FoldSummary> protocols;
};

FACTORGCN_API nlohmann::ordered_json to_json(const FoldMetrics& metrics);
FACTORGCN_API FoldMetrics fold_metrics_from_json(const nlohmann::json& object, const std::string& where);

/// Told before and after each fold.
class FACTORGCN_API FoldObserver : public Observer {
 public:
  struct Fold {
    std::string protocol;
    int fold = 0, folds = 0;           ///< from 1
    std::int64_t done = 0, total = 0;  ///< runs of all protocols, this one not counted
  };
  virtual void on_fold_start(const Fold& /*fold*/) {}
  virtual void on_fold_end(const Fold& /*fold*/, const RunMetrics& /*metrics*/, bool /*was_done_before*/) {}
};

struct FACTORGCN_API FoldResult {
  RunStatus status = RunStatus::kFinished;  ///< kDiverged where any fold diverged
  std::string message;
  std::filesystem::path folder;
  std::optional<FoldMetrics> metrics;  ///< nothing where interrupted
  int signal = 0;
};

/// Runs every fold under each protocol, the configuration's own first. UsageError where the data set has no folds.
/// `data`, here and below: what has been opened before; all folds share it.
FACTORGCN_API FoldResult run_folds(const RunConfig& config, const std::vector<std::string>& protocols,
                                   FoldObserver& observer, bool force = false, const OpenedData& data = {});

/// One training of a cross-validation: an ordinary run, which run_training() can do by itself.
struct FACTORGCN_API FoldTraining {
  std::string protocol;
  int fold = 0;      ///< from 1
  RunConfig config;  ///< with the fold's own seed and folder
};

/// What run_folds() trains, in its order. UsageError where the data set has no folds.
FACTORGCN_API std::vector<FoldTraining> list_folds(const RunConfig& config, const std::vector<std::string>& protocols);

/// The folder as run_folds() makes it, with nothing trained: for whoever trains the folds of list_folds() in an order
/// of their own, several at a time, and lets resume_folds() put them together. Folds that are there already are kept.
FACTORGCN_API void prepare_folds(const RunConfig& config, const std::vector<std::string>& protocols, bool force = false,
                                 const OpenedData& data = {});

/// Goes on with the folds that are not over; where all are, it only puts them together.
FACTORGCN_API FoldResult resume_folds(const std::filesystem::path& folder, FoldObserver& observer,
                                      const ResumeOptions& options = {}, const OpenedData& data = {});

/// True where the folder was made by run_folds().
FACTORGCN_API bool is_fold_run(const std::filesystem::path& folder);

/// Of a folder that run_folds() or prepare_folds() made: what it asks for.
FACTORGCN_API std::vector<std::string> fold_protocols(const std::filesystem::path& folder);

/// OUT/metrics.json of a fold run that is over.
FACTORGCN_API FoldMetrics read_fold_metrics(const std::filesystem::path& folder);

/// Average of equally long curves, best epoch (from 1; the first among equals), and the folds' values there.
FACTORGCN_API FoldSummary summarise_curves(const std::vector<std::vector<double>>& curves);

/// Mean and deviation of each fold's own score.
FACTORGCN_API FoldSummary summarise_scores(const std::vector<double>& accuracy);

}  // namespace factorgcn
