// Votes of a trained model. Cost: classes x support vectors.
#include <algorithm>
#include <numeric>

#include "factorgcn/base/error.h"
#include "factorgcn/classic/svm.h"

namespace factorgcn {

std::int64_t predict_svm(const SvmModel& model, std::span<const double> row) {
  const std::size_t classes = model.classes.size();
  std::vector<std::size_t> first(classes + 1, 0);
  for (std::size_t index = 0; index < classes; ++index) {
    first[index + 1] = first[index] + static_cast<std::size_t>(model.support_counts[index]);
  }
  const auto sum = [&](std::size_t of, std::size_t coefficients) {
    double total = 0;
    for (std::size_t at = first[of]; at < first[of + 1]; ++at) {
      total += model.coefficients[coefficients * model.support.size() + at] *
               row[static_cast<std::size_t>(model.support[at])];
    }
    return total;
  };
  std::vector<int> votes(classes, 0);
  std::size_t pair = 0;
  for (std::size_t left = 0; left < classes; ++left) {
    for (std::size_t right = left + 1; right < classes; ++right, ++pair) {
      const double decision = sum(left, right - 1) + sum(right, left) - model.offsets[pair];
      ++votes[decision > 0 ? left : right];
    }
  }
  return model.classes[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) - votes.begin())];
}

void check_svm(const SvmModel& model, std::int64_t items, const std::string& where) {
  const std::size_t classes = model.classes.size();
  const std::size_t support = model.support.size();
  require(classes >= 1 && model.support_counts.size() == classes && model.offsets.size() == classes * (classes - 1) / 2,
          where, ": ", classes, " classes, ", model.support_counts.size(), " counts and ", model.offsets.size(),
          " offsets do not fit each other");
  std::int64_t counted = 0;
  for (const std::int64_t count : model.support_counts) {
    require(count >= 0 && count <= static_cast<std::int64_t>(support), where, ": a class has ", count,
            " support vectors of ", support);
    counted += count;
  }
  require(counted == static_cast<std::int64_t>(support) && model.coefficients.size() == (classes - 1) * support, where,
          ": ", support, " support vectors, ", counted, " counted, ", model.coefficients.size(), " coefficients");
  for (const std::int64_t item : model.support) {
    require(item >= 0 && item < items, where, ": support vector ", item, " is not among the ", items, " graphs");
  }
}

}  // namespace factorgcn
