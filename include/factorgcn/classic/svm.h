// Support vector classification on a kernel matrix. Training is libsvm's; a build without it says so when asked to
// train.
//
// A model holds the items (graphs) it leans on by their number in the kernel matrix, and needs no library to predict.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// True where this build can train.
FACTORGCN_API bool can_train_svm();

/// A kernel matrix in the layout that libsvm reads. Shared by all trainings on parts of its items, also in parallel.
class FACTORGCN_API SvmKernel {
 public:
  /// Memory: 16 bytes a pair.
  explicit SvmKernel(std::int64_t items);
  ~SvmKernel();
  SvmKernel(SvmKernel&&) noexcept;
  SvmKernel& operator=(SvmKernel&&) noexcept;

  std::int64_t size() const;

  /// Writes a row; different rows may be written in parallel. Throws Error unless all values are finite.
  void set_row(std::int64_t item, std::span<const double> values);

  /// Copies a row to `out`.
  void get_row(std::int64_t item, std::span<double> out) const;

  struct Matrix;
  const Matrix& matrix() const { return *matrix_; }

 private:
  std::unique_ptr<Matrix> matrix_;
};

/// One classifier for each pair of classes; the class with most votes wins, the first among equals.
struct FACTORGCN_API SvmModel {
  std::vector<std::int64_t> classes;         ///< in the order in which they vote
  std::vector<std::int64_t> support;         ///< items, grouped by class
  std::vector<std::int64_t> support_counts;  ///< of each class
  std::vector<double> coefficients;          ///< [classes - 1, support]
  std::vector<double> offsets;               ///< of each pair of classes (0, 1), (0, 2), .. (1, 2), ..
};

struct FACTORGCN_API SvmOptions {
  double cost = 1;
  double tolerance = 1e-3;  ///< of libsvm's stopping rule
};

/// Trains on the given items; `classes` has one entry per item of the kernel. Throws Error where there are no items.
/// Items of one class alone give a model that always answers it.
FACTORGCN_API SvmModel train_svm(const SvmKernel& kernel, std::span<const std::int64_t> items,
                                 std::span<const std::int64_t> classes, const SvmOptions& options);

/// The class of the item whose kernel values with all items are `row`.
FACTORGCN_API std::int64_t predict_svm(const SvmModel& model, std::span<const double> row);

/// Throws Error, naming `where`, unless the parts fit each other and all items are below `items`.
FACTORGCN_API void check_svm(const SvmModel& model, std::int64_t items, const std::string& where);

}  // namespace factorgcn
