// See the header. Columns are scored one after the other: their influences add up in one array.
#include "eval/metrics/ranked_average.h"

#include <algorithm>

namespace factorgcn {

MetricScore average_over_rankings(const Answers& answers, RankedScore (*score)(const RankedColumn&),
                                  double (*chance)(double positive_share)) {
  if (!answers.can_be_ranked()) {
    return {};
  }
  const auto rows = static_cast<std::size_t>(answers.rows());
  std::vector<char> positive(rows);
  std::vector<double> influences(rows);
  std::vector<AveragedPart> parts;
  double chances = 0;
  for (std::int64_t column = 0; column < answers.columns(); ++column) {
    double positives = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      positive[row] = answers.is_positive(static_cast<std::int64_t>(row), column) ? 1 : 0;
      positives += positive[row];
    }
    const double negatives = static_cast<double>(rows) - positives;
    if (positives == 0 || negatives == 0) {
      continue;
    }
    const RankedScore one =
        score({answers.rankings()[static_cast<std::size_t>(column)], positive, positives, negatives});
    const double variance = influence_variance(one.influences);
    parts.push_back({one.value, share_interval(one.value, std::max(variance, one.variance), one.samples), variance});
    chances += chance(positives / static_cast<double>(rows));
    std::transform(influences.begin(), influences.end(), one.influences.begin(), influences.begin(), std::plus<>());
  }
  if (parts.empty()) {
    return {};
  }
  const auto columns = static_cast<double>(parts.size());
  const AveragedPart all =
      average_parts(parts, influence_variance(influences) / (columns * columns), usual_dependence(answers));
  return {all.value, chances / columns, all.interval};
}

}  // namespace factorgcn
