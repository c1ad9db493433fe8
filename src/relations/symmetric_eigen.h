// Eigenvalues and eigenvectors of a small symmetric matrix, by Jacobi's rotations: a few dozen rows.
#pragma once

#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn::relations {

struct SymmetricEigen {
  std::vector<double> values;   // [n] falling
  std::vector<double> vectors;  // [n, n] column j belongs to value j
};

/// `matrix` [n, n]; only the mean of it and its transpose counts. Cost: O(n^3), some ten times.
FACTORGCN_API SymmetricEigen symmetric_eigen(std::vector<double> matrix, int n);

}  // namespace factorgcn::relations
