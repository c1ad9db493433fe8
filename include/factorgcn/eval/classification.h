// Metrics of predictions against targets, computed exactly (integer counts, double sums).
//
// Tensors of any number type, on any device. Shapes that do not fit each other are refused, never broadcast. A NaN
// prediction never counts as right. value() is NaN where nothing was added, except for MicroF1. These are gathered
// batch by batch and choose the best epoch; eval/metrics.h has them in the table of all metrics.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

/// Micro-averaged F1 over all labels of all samples, from counts that can be gathered batch by batch.
class FACTORGCN_API MicroF1 : public MetricSum {
 public:
  /// logits and targets: [B, C], targets 0 or 1; a label is predicted where its logit is above 0. A NaN logit is wrong
  /// whatever the target.
  void add(const at::Tensor& logits, const at::Tensor& targets) override;
  /// 2 TP / (2 TP + FP + FN); 1 where nothing was to be found and nothing was predicted.
  double value() const override;

 private:
  std::int64_t true_positive_ = 0, false_positive_ = 0, false_negative_ = 0;
};

/// Mean absolute error over all entries; NaN as soon as one prediction is.
class FACTORGCN_API MeanAbsoluteError : public MetricSum {
 public:
  /// predictions and targets: of one shape, whichever it is.
  void add(const at::Tensor& predictions, const at::Tensor& targets) override;
  double value() const override;

 private:
  double sum_ = 0;
  std::int64_t count_ = 0;
};

/// Share of rows whose largest score is at the target class. Ties go to the smaller class.
class FACTORGCN_API Accuracy : public MetricSum {
 public:
  /// scores: [B, C]; classes: integers [B] in 0 .. C - 1. A row with a NaN score is wrong.
  void add(const at::Tensor& scores, const at::Tensor& classes) override;
  double value() const override;

 private:
  std::int64_t right_ = 0, count_ = 0;
};

/// Mean over the classes present of each class's recall.
class FACTORGCN_API MeanRecall : public MetricSum {
 public:
  explicit MeanRecall(std::int64_t num_classes);
  /// As for Accuracy, with C = num_classes.
  void add(const at::Tensor& scores, const at::Tensor& classes) override;
  double value() const override;

 private:
  std::vector<std::int64_t> right_, count_;
};

}  // namespace factorgcn
