// Micro-F1: over all labels of all samples together.
#include <algorithm>
#include <functional>

#include "eval/metrics/intervals.h"
#include "eval/metrics/list.h"
#include "factorgcn/eval/classification.h"

namespace factorgcn {
namespace {

/// The same labels for every sample, chosen as well as can be: the most frequent ones, as many of them as score best.
double best_constant_f1(const Answers& answers) {
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(answers.columns()));
  std::int64_t all = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    for (std::int64_t column = 0; column < answers.columns(); ++column) {
      wanted[static_cast<std::size_t>(column)] += answers.is_positive(row, column);
      all += answers.is_positive(row, column);
    }
  }
  std::sort(wanted.begin(), wanted.end(), std::greater<>());
  double best = all == 0 ? 1 : 0;
  std::int64_t found = 0, named = 0;
  for (const std::int64_t label : wanted) {
    found += label;
    named += answers.rows();
    best = std::max(best, static_cast<double>(2 * found) / static_cast<double>(all + named));
  }
  return best;
}

MetricScore score_micro_f1(const Answers& answers) {
  // Of each sample: twice the labels found, and labels wanted plus labels named.
  std::vector<double> doubled(static_cast<std::size_t>(answers.rows())), sizes(doubled.size());
  double found = 0, all = 0;
  for (std::int64_t row = 0; row < answers.rows(); ++row) {
    for (std::int64_t column = 0; column < answers.columns(); ++column) {
      const bool wanted = answers.is_positive(row, column), named = answers.names_label(row, column);
      doubled[row] += wanted && named ? 2 : 0;
      sizes[row] += static_cast<int>(wanted) + static_cast<int>(named);
    }
    found += doubled[row];
    all += sizes[row];
  }
  const double value = all == 0 ? 1.0 : found / all;
  std::vector<double> influences(doubled.size());
  for (std::size_t row = 0; row < doubled.size(); ++row) {
    influences[row] = all == 0 ? 0 : (doubled[row] - value * sizes[row]) / all;
  }
  return {value, best_constant_f1(answers),
          share_interval(value, influence_variance(influences), static_cast<double>(answers.rows()))};
}

}  // namespace

Metric metric_entries::micro_f1() {
  return {.name = "micro_f1",
          .label = "micro-F1",
          .measures = "how well the network names the labels of a graph it has never seen (1 is perfect)",
          .kinds = {TargetKind::kLabels},
          .score = score_micro_f1,
          .begin = [](std::int64_t) -> std::unique_ptr<MetricSum> { return std::make_unique<MicroF1>(); }};
}

}  // namespace factorgcn
