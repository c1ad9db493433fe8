// What is remembered of each epoch; one JSON line each in history.jsonl.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

struct FACTORGCN_API EpochRecord {
  std::int64_t epoch = 0;  ///< from 1
  double loss = 0;         ///< training: mean over graphs of each batch's total loss
  double task_loss = 0;
  double regulariser = 0;                ///< unweighted
  std::string monitored = "validation";  ///< the part scored after the epoch; "test" where a protocol chooses on it
  double validation_loss = 0;            ///< the task's loss alone, on that part
  std::string metric_name;               ///< micro_f1, mae, accuracy or mean_recall
  double validation_metric = 0;
  std::optional<double> test_loss, test_metric;  ///< where the test part is scored beside the validation part
  double learning_rate = 0;                      ///< used in this epoch
  bool best = false;                             ///< the best validation model so far
  std::int64_t start = 0;                        ///< of a run of several starts: which one, from 1
  /// Of models with an objective of their own, on the monitored part: the objective, and what it is made of.
  std::optional<double> objective;
  std::map<std::string, double> objective_terms;
  double seconds = 0;  ///< since the run began, earlier sessions included; the only part that varies
};

/// {"start", "epoch", "loss", "task_loss", "regulariser", "validation" (or "test", or both): {"loss", metric},
/// "objective": {"value", terms}, "learning_rate", "best", "seconds"}; values that are not finite become null; "start"
/// and "objective" where there are such.
FACTORGCN_API nlohmann::ordered_json to_json(const EpochRecord& record);
FACTORGCN_API EpochRecord record_from_json(const nlohmann::json& object);

/// One line per record.
FACTORGCN_API std::string history_text(const std::vector<EpochRecord>& history);

/// The reverse; errors name `where` and the line.
FACTORGCN_API std::vector<EpochRecord> history_from_text(const std::string& text, const std::string& where);

/// The records of one course from the first epoch on: of several starts, the one that the last record belongs to.
FACTORGCN_API std::vector<EpochRecord> course_of(const std::vector<EpochRecord>& history);

/// The course in RUN/history.jsonl; starts that were given up are left out.
FACTORGCN_API std::vector<EpochRecord> read_history(const std::string& path);

}  // namespace factorgcn
