// A part of a data set whose batches several processes share: dealt out in turn, each predicts its own, all get all
// answers in the order of the batches. So scores are those of one process, to the bit.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/collective/group.h"
#include "factorgcn/nn/graph_model.h"
#include "factorgcn/train/data_part.h"
#include "factorgcn/train/labelled_batch.h"

namespace factorgcn {

/// Batches that are dealt out: which are a process's own, and how what each process has comes together.
class DealtBatches {
 public:
  /// `rows`: that each batch gives.
  DealtBatches(std::vector<std::int64_t> rows, Group& group) : rows_(std::move(rows)), group_(group) {}

  const std::vector<std::int64_t>& rows() const { return rows_; }
  bool is_own(std::size_t batch) const {
    return batch % static_cast<std::size_t>(group_.size()) == static_cast<std::size_t>(group_.rank());
  }

  /// [rows of all batches, columns], by batch. `own`: what this process's batches gave, one after the other. All
  /// processes call this together.
  at::Tensor gather(const at::Tensor& own) const;

 private:
  std::vector<std::int64_t> rows_;
  Group& group_;
};

class DealtPart {
 public:
  /// The data set must outlive this.
  DealtPart(const Dataset& dataset, const DataPart& part, std::int64_t batch_size, Group& group);
  DealtPart(const DealtPart&) = delete;
  DealtPart& operator=(const DealtPart&) = delete;

  /// Predictions that count, [rows, columns], and their targets. All processes call this together. The model is in
  /// evaluation mode.
  at::Tensor predict(GraphModel& model) const;
  const at::Tensor& targets() const { return targets_.targets; }
  const std::vector<std::int64_t>& batch_rows() const { return dealt_.rows(); }

 private:
  const Dataset& dataset_;
  DataPart part_;
  std::vector<std::span<const std::int64_t>> batches_;
  PartTargets targets_;
  DealtBatches dealt_;
};

}  // namespace factorgcn
