// Counting.
#include "factorgcn/eval/confusion.h"

#include "factorgcn/base/error.h"

namespace factorgcn {

Confusion::Confusion(std::int64_t classes)
    : classes_(classes), counts_(static_cast<std::size_t>(classes * (classes + 1)), 0) {}

Confusion::Confusion(const Answers& answers) : Confusion(answers.columns()) {
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    add(answers.target_class(row), answers.chosen_class(row));
  }
}

void Confusion::add(std::int64_t target, std::int64_t chosen, std::int64_t times) {
  require(target >= 0 && target < classes_ && chosen >= -1 && chosen < classes_, "confusion: class ", target,
          " put into ", chosen, "; there are ", classes_, " classes");
  counts_[static_cast<std::size_t>(target * (classes_ + 1) + (chosen < 0 ? classes_ : chosen))] += times;
  rows_ += times;
}

std::int64_t Confusion::size(std::int64_t target) const {
  std::int64_t rows = 0;
  for (std::int64_t chosen = -1; chosen < classes_; ++chosen) {
    rows += count(target, chosen);
  }
  return rows;
}

std::vector<ScoredMetric> score_confusion(const Confusion& confusion) {
  require(confusion.rows() > 0, "there are no samples to score");
  std::vector<ScoredMetric> scores;
  for (const Metric& metric : metrics()) {
    if (metric.score_counts != nullptr) {
      scores.push_back({&metric, metric.score_counts(confusion)});
    }
  }
  return scores;
}

}  // namespace factorgcn
