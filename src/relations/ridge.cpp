// Cholesky's factor, then the inverse's columns: weights and the diagonal that leaving one out needs.
#include "relations/ridge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace factorgcn::relations {
namespace {

/// The lower factor in place; a kernel that is not quite positive is held up at tiny pivots.
void factorise(std::vector<double>& matrix, int count) {
  for (int row = 0; row < count; ++row) {
    double* mine = matrix.data() + static_cast<std::size_t>(row) * count;
    for (int column = 0; column <= row; ++column) {
      const double* theirs = matrix.data() + static_cast<std::size_t>(column) * count;
      double sum = mine[column];
      for (int at = 0; at < column; ++at) {
        sum -= mine[at] * theirs[at];
      }
      mine[column] = row == column ? std::sqrt(std::max(sum, 1e-10)) : sum / theirs[column];
    }
  }
}

void solve(const std::vector<double>& factor, int count, std::vector<double>& right) {
  for (int row = 0; row < count; ++row) {
    double sum = right[row];
    for (int at = 0; at < row; ++at) {
      sum -= factor[static_cast<std::size_t>(row) * count + at] * right[at];
    }
    right[row] = sum / factor[static_cast<std::size_t>(row) * count + row];
  }
  for (int row = count; row-- > 0;) {
    double sum = right[row];
    for (int at = row + 1; at < count; ++at) {
      sum -= factor[static_cast<std::size_t>(at) * count + row] * right[at];
    }
    right[row] = sum / factor[static_cast<std::size_t>(row) * count + row];
  }
}

}  // namespace

RidgeFit fit_ridge(std::vector<double> kernel, int count, const std::vector<double>& targets, int outputs,
                   double penalty) {
  for (int row = 0; row < count; ++row) {
    kernel[static_cast<std::size_t>(row) * count + row] += penalty;
  }
  factorise(kernel, count);
  RidgeFit fit;
  fit.weights.resize(targets.size());
  std::vector<double> column(static_cast<std::size_t>(count));
  for (int output = 0; output < outputs; ++output) {
    for (int row = 0; row < count; ++row) {
      column[row] = targets[static_cast<std::size_t>(row) * outputs + output];
    }
    solve(kernel, count, column);
    for (int row = 0; row < count; ++row) {
      fit.weights[static_cast<std::size_t>(row) * outputs + output] = column[row];
    }
  }
  fit.left_out.resize(targets.size());
  for (int row = 0; row < count; ++row) {
    std::fill(column.begin(), column.end(), 0.0);
    column[row] = 1;
    solve(kernel, count, column);
    for (int output = 0; output < outputs; ++output) {
      const std::size_t at = static_cast<std::size_t>(row) * outputs + output;
      fit.left_out[at] = targets[at] - fit.weights[at] / std::max(column[row], 1e-12);
    }
  }
  return fit;
}

}  // namespace factorgcn::relations
