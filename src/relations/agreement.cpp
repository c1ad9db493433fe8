// The expectation under random relabelling is that of hypergeometric counts, cell by cell.
#include "factorgcn/relations/agreement.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/log_gamma.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr double kExactNodes = 20000;

double partition_entropy(const std::vector<double>& sizes, double nodes) {
  double entropy = 0;
  for (const double size : sizes) {
    entropy -= size > 0 ? size / nodes * std::log(size / nodes) : 0;
  }
  return entropy;
}

/// What a cell of sizes a x b adds to the mutual information on average.
double expected_cell(double a, double b, double nodes) {
  double sum = 0;
  const double fixed =
      log_gamma(a + 1) + log_gamma(b + 1) + log_gamma(nodes - a + 1) + log_gamma(nodes - b + 1) - log_gamma(nodes + 1);
  for (double both = std::max(1.0, a + b - nodes); both <= std::min(a, b); ++both) {
    const double chance = fixed - log_gamma(both + 1) - log_gamma(a - both + 1) - log_gamma(b - both + 1) -
                          log_gamma(nodes - a - b + both + 1);
    sum += both / nodes * std::log(nodes * both / (a * b)) * std::exp(chance);
  }
  return sum;
}

}  // namespace

double adjusted_mutual_information(std::span<const std::int32_t> left, std::span<const std::int32_t> right) {
  require(left.size() == right.size(), "agreement: ", left.size(), " nodes in one partition and ", right.size(),
          " in the other");
  std::int32_t rows = 0, columns = 0;
  for (std::size_t node = 0; node < left.size(); ++node) {
    if (left[node] >= 0 && right[node] >= 0) {
      rows = std::max(rows, left[node] + 1);
      columns = std::max(columns, right[node] + 1);
    }
  }
  std::vector<double> cells(static_cast<std::size_t>(rows) * columns, 0), a(rows, 0), b(columns, 0);
  double nodes = 0;
  for (std::size_t node = 0; node < left.size(); ++node) {
    if (left[node] >= 0 && right[node] >= 0) {
      ++cells[static_cast<std::size_t>(left[node]) * columns + right[node]];
      ++a[left[node]];
      ++b[right[node]];
      ++nodes;
    }
  }
  if (nodes == 0) {
    return 1;
  }
  const double entropy_left = partition_entropy(a, nodes), entropy_right = partition_entropy(b, nodes);
  if (entropy_left <= 0 && entropy_right <= 0) {
    return 1;
  }
  const double mutual = entropy_left + entropy_right - partition_entropy(cells, nodes);
  double expected = 0;
  if (nodes <= kExactNodes) {
    for (const double size : a) {
      for (const double other : b) {
        expected += size > 0 && other > 0 ? expected_cell(size, other, nodes) : 0;
      }
    }
  } else {
    const auto used = [](const std::vector<double>& sizes) {
      return static_cast<double>(std::count_if(sizes.begin(), sizes.end(), [](double size) { return size > 0; }));
    };
    expected = (used(a) - 1) * (used(b) - 1) / (2 * nodes);
  }
  const double most = (entropy_left + entropy_right) / 2 - expected;
  return std::abs(most) < 1e-12 ? 0 : (mutual - expected) / most;
}

}  // namespace factorgcn
