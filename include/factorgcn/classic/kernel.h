// Kernel matrices of sparse features.
//
//   linear        <x, y>
//   polynomial    (gamma <x, y> + 1)^degree
//   rbf           exp(-gamma |x - y|^2)
//
// With `normalised` every x is first brought to length 1 (a graph without features stays 0), so that a linear kernel
// becomes the cosine and large graphs do not outweigh small ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/classic/sparse_features.h"

namespace factorgcn {

enum class KernelKind { kLinear, kPolynomial, kRbf };

/// linear, polynomial, rbf
FACTORGCN_API const char* kernel_kind_name(KernelKind kind);
FACTORGCN_API KernelKind kernel_kind_from_name(const std::string& name);

struct FACTORGCN_API KernelFunction {
  KernelKind kind = KernelKind::kLinear;
  bool normalised = true;
  double gamma = 1;
  int degree = 2;

  /// "linear", "polynomial of degree 2", "rbf, gamma 10"
  std::string text() const;
};

/// All inner products of rows: symmetric, row-major.
class FACTORGCN_API GramMatrix {
 public:
  explicit GramMatrix(std::int64_t size) : size_(size), values_(static_cast<std::size_t>(size * size)) {}

  std::int64_t size() const { return size_; }
  std::span<const double> row(std::int64_t index) const {
    return {values_.data() + index * size_, static_cast<std::size_t>(size_)};
  }
  std::span<double> row(std::int64_t index) {
    return {values_.data() + index * size_, static_cast<std::size_t>(size_)};
  }
  double at(std::int64_t row, std::int64_t column) const {
    return values_[static_cast<std::size_t>(row * size_ + column)];
  }

 private:
  std::int64_t size_;
  std::vector<double> values_;
};

/// In parallel by rows; each value is summed in the order of columns, so it is the same for any number of threads.
/// Cost: the sum over columns of the squared number of graphs that have it; memory for graphs^2 values.
FACTORGCN_API GramMatrix inner_products(const SparseFeatures& features);

/// One row of the kernel matrix from the inner products; `out` has one place per graph. Safe to call in parallel.
FACTORGCN_API void kernel_row(const GramMatrix& products, const KernelFunction& kernel, std::int64_t row,
                              std::span<double> out);

}  // namespace factorgcn
