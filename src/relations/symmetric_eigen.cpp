// Cyclic sweeps; a rotation that would change nothing is left out.
#include "relations/symmetric_eigen.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>

namespace factorgcn::relations {
namespace {

constexpr int kMostSweeps = 60;

/// Columns (or rows, with the strides exchanged) p and q turn into c p - s q and s p + c q.
void rotate(std::vector<double>& matrix, int n, std::size_t p, std::size_t q, std::size_t step, double c, double s) {
  for (int at = 0; at < n; ++at, p += step, q += step) {
    const double one = matrix[p], other = matrix[q];
    matrix[p] = c * one - s * other;
    matrix[q] = s * one + c * other;
  }
}

}  // namespace

SymmetricEigen symmetric_eigen(std::vector<double> matrix, int n) {
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> turned(size * size, 0);
  double all = 0;
  for (std::size_t row = 0; row < size; ++row) {
    turned[row * size + row] = 1;
    for (std::size_t column = 0; column <= row; ++column) {
      const double mean = (matrix[row * size + column] + matrix[column * size + row]) / 2;
      matrix[row * size + column] = matrix[column * size + row] = mean;
      all += mean * mean;
    }
  }
  for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
    double off = 0;
    for (std::size_t p = 0; p < size; ++p) {
      for (std::size_t q = p + 1; q < size; ++q) {
        const double entry = matrix[p * size + q];
        off += entry * entry;
        if (entry * entry <= 1e-30 * all) {
          continue;
        }
        const double ratio = (matrix[q * size + q] - matrix[p * size + p]) / (2 * entry);
        const double tangent = (ratio >= 0 ? 1 : -1) / (std::abs(ratio) + std::sqrt(ratio * ratio + 1));
        const double c = 1 / std::sqrt(tangent * tangent + 1), s = tangent * c;
        rotate(matrix, n, p, q, size, c, s);
        rotate(matrix, n, p * size, q * size, 1, c, s);
        rotate(turned, n, p, q, size, c, s);
      }
    }
    if (off <= 1e-26 * all) {
      break;
    }
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return matrix[a * size + a] > matrix[b * size + b]; });
  SymmetricEigen result;
  result.vectors.resize(size * size);
  for (std::size_t at = 0; at < size; ++at) {
    result.values.push_back(matrix[order[at] * size + order[at]]);
    for (std::size_t row = 0; row < size; ++row) {
      result.vectors[row * size + at] = turned[row * size + order[at]];
    }
  }
  return result;
}

}  // namespace factorgcn::relations
