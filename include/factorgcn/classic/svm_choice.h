// Choosing features, kernel and cost of a support vector machine, and training it.
//
// Every combination is tried. Where validation graphs are given, the one with the best accuracy on them is chosen;
// otherwise cross-validation inside the training graphs decides. Test graphs take no part. Among equals the first wins:
// choices are listed from the simplest to the strongest.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/classic/kernel.h"
#include "factorgcn/classic/sparse_features.h"
#include "factorgcn/classic/svm.h"

namespace factorgcn {

/// Features to choose from, made when asked for: only one set need be in memory.
struct FACTORGCN_API FeatureChoices {
  std::vector<std::string> names;  ///< of each set, for people: "3 rounds"
  std::function<SparseFeatures(std::size_t index)> make;
  std::vector<KernelFunction> kernels;
};

struct FACTORGCN_API ChoiceOptions {
  std::vector<double> costs;
  int inner_folds = 10;  ///< of the cross-validation where there are no validation graphs
  std::uint64_t seed = 0;
  double tolerance = 1e-3;
};

struct FACTORGCN_API SvmTrial {
  std::size_t features = 0, kernel = 0;
  double cost = 0;
  double accuracy = 0;
};

struct FACTORGCN_API ChosenSvm {
  SvmModel model;
  SvmTrial chosen;
  std::vector<SvmTrial> trials;  ///< in the order in which they were made
};

/// Called before each kernel; false: stop.
using GoOn = std::function<bool(std::size_t done, std::size_t total, const std::string& what)>;

/// `classes` has one entry per graph. The final model is trained on the training graphs alone. Nothing where `go_on`
/// stopped it. The same for any number of threads. Cost: kernels x costs x folds trainings, in parallel.
FACTORGCN_API std::optional<ChosenSvm> choose_svm(const FeatureChoices& choices, std::span<const std::int64_t> classes,
                                                  std::span<const std::int64_t> train,
                                                  std::span<const std::int64_t> validation,
                                                  const ChoiceOptions& options, const GoOn& go_on = {});

/// The class that the model puts each of `items` into.
FACTORGCN_API std::vector<std::int64_t> svm_classes(const SvmModel& model, const GramMatrix& products,
                                                    const KernelFunction& kernel, std::span<const std::int64_t> items);

/// Share of `items` that the model puts into their class.
FACTORGCN_API double svm_accuracy(const SvmModel& model, const GramMatrix& products, const KernelFunction& kernel,
                                  std::span<const std::int64_t> items, std::span<const std::int64_t> classes);

}  // namespace factorgcn
