// Scores of a model on part of a data set. The model is put into evaluation mode for the time of the call.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/data/dataset.h"
#include "factorgcn/eval/disentanglement.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/data_part.h"

namespace factorgcn {

class Group;

/// The metric that chooses a task's best epoch: micro_f1, mae, accuracy or mean_recall. All that is to be known of it
/// is in the table (eval/metrics.h).
FACTORGCN_API const char* metric_name(Task task);

/// What the task's targets look like to metrics.
FACTORGCN_API TargetKind target_kind(Task task);

/// True where `left` is the better value of the task's metric.
FACTORGCN_API bool better_metric(Task task, double left, double right);

struct FACTORGCN_API TaskScore {
  double loss = 0;    ///< the task's loss without regulariser, averaged over graphs (nodes for node tasks)
  double metric = 0;  ///< metric_name(task)
};

/// One forward pass over the part, without gradients or regulariser. `last_batch_only` scores nothing but the last
/// batch.
FACTORGCN_API TaskScore score_task(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                   std::int64_t batch_size, bool last_batch_only = false);

/// The objective of a model that has its own (nn/graph_model.h) over the part, batch by batch, each counting its
/// graphs; what is drawn follows from `seed`.
FACTORGCN_API OwnObjective score_objective(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                           std::int64_t batch_size, std::uint64_t seed);

/// What score_task() says, from predictions that are there already, all of them in main memory: batch after batch, each
/// of that many rows.
FACTORGCN_API TaskScore score_predictions(const Dataset& dataset, const at::Tensor& prediction,
                                          const at::Tensor& targets, std::span<const std::int64_t> batch_rows);

/// What score_task() says, and every metric of the table for this task.
struct FACTORGCN_API PartScores {
  TaskScore task;
  std::int64_t samples = 0;  ///< graphs, or the nodes that count
  std::vector<ScoredMetric> metrics;
};

/// As score_task(), the same forward pass; for the end of a run, since predictions are kept and ranked. `group`, here
/// and below: processes that share the batches; all call this together and get the same, the bits of one process.
FACTORGCN_API PartScores score_part(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                    std::int64_t batch_size, Group* group = nullptr);

/// GED_E, relation AUC and C-Score, with chance beside the first two, of factor layer `layer` (from 1) over the given
/// graphs. Nothing where the data set has no ground truth, the model no such layer, or layer is 0.
FACTORGCN_API std::optional<DisentanglementScore> score_factors(GraphModel& model, const Dataset& dataset,
                                                                std::span<const std::int64_t> graphs, int layer,
                                                                std::int64_t batch_size, Group* group = nullptr);

}  // namespace factorgcn
