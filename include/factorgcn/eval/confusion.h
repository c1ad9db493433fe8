// Classes as counts: how often each was put into which. For parts too large to keep every answer of, or spread over
// processes: counts of pieces add up. Scores that need the order of answers cannot be had from them.
#pragma once

#include <cstdint>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/eval/metrics.h"

namespace factorgcn {

class FACTORGCN_API Confusion {
 public:
  explicit Confusion(std::int64_t classes);
  /// Of answers that are classes.
  explicit Confusion(const Answers& answers);

  /// `chosen`: -1 where an answer is none, which is wrong.
  void add(std::int64_t target, std::int64_t chosen, std::int64_t times = 1);

  std::int64_t classes() const { return classes_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t count(std::int64_t target, std::int64_t chosen) const {
    return counts_[static_cast<std::size_t>(target * (classes_ + 1) + (chosen < 0 ? classes_ : chosen))];
  }
  std::int64_t right(std::int64_t target) const { return count(target, target); }
  std::int64_t size(std::int64_t target) const;  ///< rows of the class
  /// [classes, classes + 1]: rows by target, then by choice, none behind the last class.
  const std::vector<std::int64_t>& counts() const { return counts_; }

 private:
  std::int64_t classes_, rows_ = 0;
  std::vector<std::int64_t> counts_;
};

/// The metrics for classes that counts suffice for, in the table's order. There must be a row.
FACTORGCN_API std::vector<ScoredMetric> score_confusion(const Confusion& confusion);

}  // namespace factorgcn
