// Scores the same graphs again and again, as training does after each epoch: what can be prepared once is.
//
// Plainly (the CPU) this is score_task(). On a GPU the forward pass over fixed shapes is recorded, predictions are
// gathered there and copied back once; loss and metric are then computed in main memory, over the same batches as on
// the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/evaluate.h"
#include "train/device_data.h"

namespace factorgcn {

class Group;

class PartScorer {
 public:
  virtual ~PartScorer() = default;
  /// `seed`: of dropout, where a protocol leaves it on.
  virtual TaskScore score(std::uint64_t seed) = 0;
};

/// Model and data set must outlive the scorer. `data`: null for the plain way. `group`: processes that share the plain
/// way's batches; all call score() together and get the same.
std::unique_ptr<PartScorer> make_part_scorer(GraphModel& model, const Dataset& dataset, const DataPart& part,
                                             std::int64_t batch_size, bool last_batch_only,
                                             std::shared_ptr<const DeviceData> data, Group* group = nullptr);

}  // namespace factorgcn
