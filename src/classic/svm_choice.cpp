// Trials kernel by kernel: one matrix is in memory, its trainings (costs x folds) run in parallel.
#include "factorgcn/classic/svm_choice.h"

#include <algorithm>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/data/folds.h"

namespace factorgcn {
namespace {

/// What is trained on and what is asked.
struct Part {
  std::vector<std::int64_t> train, asked;
};

std::vector<Part> parts_of(std::span<const std::int64_t> classes, std::span<const std::int64_t> train,
                           std::span<const std::int64_t> validation, const ChoiceOptions& options) {
  if (!validation.empty()) {
    return {{{train.begin(), train.end()}, {validation.begin(), validation.end()}}};
  }
  std::vector<std::int64_t> own;
  for (const std::int64_t item : train) {
    own.push_back(classes[static_cast<std::size_t>(item)]);
  }
  require_usage(train.size() >= 2, "there are ", train.size(),
                " training graphs; choosing a support vector machine takes at least 2");
  const int count = std::min(options.inner_folds, static_cast<int>(train.size()));
  const std::vector<int> folds = stratified_folds(own, count, options.seed);
  std::vector<Part> parts(static_cast<std::size_t>(count));
  for (std::size_t index = 0; index < train.size(); ++index) {
    for (std::size_t fold = 0; fold < parts.size(); ++fold) {
      const bool asked = static_cast<std::size_t>(folds[index]) == fold;
      (asked ? parts[fold].asked : parts[fold].train).push_back(train[index]);
    }
  }
  return parts;
}

SvmKernel svm_kernel(const GramMatrix& products, const KernelFunction& function) {
  SvmKernel kernel(products.size());
  parallel_tasks(products.size(), [&](std::int64_t row) {
    std::vector<double> values(static_cast<std::size_t>(products.size()));
    kernel_row(products, function, row, values);
    kernel.set_row(row, values);
  });
  return kernel;
}

std::int64_t count_right(const SvmModel& model, const SvmKernel& kernel, std::span<const std::int64_t> items,
                         std::span<const std::int64_t> classes) {
  std::vector<double> row(static_cast<std::size_t>(kernel.size()));
  std::int64_t right = 0;
  for (const std::int64_t item : items) {
    kernel.get_row(item, row);
    right += predict_svm(model, row) == classes[static_cast<std::size_t>(item)] ? 1 : 0;
  }
  return right;
}

/// Accuracy of each cost over all parts together.
std::vector<double> accuracies(const SvmKernel& kernel, std::span<const std::int64_t> classes,
                               const std::vector<Part>& parts, const ChoiceOptions& options) {
  const std::size_t costs = options.costs.size();
  std::vector<std::int64_t> right(costs * parts.size());
  parallel_tasks(static_cast<std::int64_t>(right.size()), [&](std::int64_t task) {
    // The largest costs take longest: they begin.
    const std::size_t index = right.size() - 1 - static_cast<std::size_t>(task);
    const Part& part = parts[index % parts.size()];
    const SvmModel model =
        train_svm(kernel, part.train, classes, {options.costs[index / parts.size()], options.tolerance});
    right[index] = count_right(model, kernel, part.asked, classes);
  });
  std::size_t asked = 0;
  for (const Part& part : parts) {
    asked += part.asked.size();
  }
  std::vector<double> result;
  for (std::size_t cost = 0; cost < costs; ++cost) {
    std::int64_t sum = 0;
    for (std::size_t part = 0; part < parts.size(); ++part) {
      sum += right[cost * parts.size() + part];
    }
    result.push_back(static_cast<double>(sum) / static_cast<double>(asked));
  }
  return result;
}

}  // namespace

std::optional<ChosenSvm> choose_svm(const FeatureChoices& choices, std::span<const std::int64_t> classes,
                                    std::span<const std::int64_t> train, std::span<const std::int64_t> validation,
                                    const ChoiceOptions& options, const GoOn& go_on) {
  require(!choices.names.empty() && !choices.kernels.empty() && !options.costs.empty(),
          "there is nothing to choose from: ", choices.names.size(), " feature sets, ", choices.kernels.size(),
          " kernels, ", options.costs.size(), " costs");
  require(options.inner_folds >= 2, "inner folds are ", options.inner_folds, "; they must be at least 2");
  const std::vector<Part> parts = parts_of(classes, train, validation, options);
  ChosenSvm result;
  const std::size_t total = choices.names.size() * choices.kernels.size() + 1;
  std::size_t done = 0;
  const auto stopped = [&](const std::string& what) { return go_on && !go_on(done++, total, what); };
  for (std::size_t features = 0; features < choices.names.size(); ++features) {
    const GramMatrix products = inner_products(choices.make(features));
    for (std::size_t index = 0; index < choices.kernels.size(); ++index) {
      if (stopped(choices.names[features] + ", " + choices.kernels[index].text())) {
        return std::nullopt;
      }
      const SvmKernel kernel = svm_kernel(products, choices.kernels[index]);
      const std::vector<double> found = accuracies(kernel, classes, parts, options);
      for (std::size_t cost = 0; cost < found.size(); ++cost) {
        result.trials.push_back({features, index, options.costs[cost], found[cost]});
        if (result.trials.size() == 1 || found[cost] > result.chosen.accuracy) {
          result.chosen = result.trials.back();
        }
      }
    }
  }
  if (stopped("the machine itself")) {
    return std::nullopt;
  }
  const GramMatrix products = inner_products(choices.make(result.chosen.features));
  const SvmKernel kernel = svm_kernel(products, choices.kernels[result.chosen.kernel]);
  result.model = train_svm(kernel, train, classes, {result.chosen.cost, options.tolerance});
  return result;
}

std::vector<std::int64_t> svm_classes(const SvmModel& model, const GramMatrix& products, const KernelFunction& kernel,
                                      std::span<const std::int64_t> items) {
  std::vector<std::int64_t> chosen(items.size());
  parallel_tasks(static_cast<std::int64_t>(items.size()), [&](std::int64_t index) {
    std::vector<double> row(static_cast<std::size_t>(products.size()));
    kernel_row(products, kernel, items[static_cast<std::size_t>(index)], row);
    chosen[static_cast<std::size_t>(index)] = predict_svm(model, row);
  });
  return chosen;
}

double svm_accuracy(const SvmModel& model, const GramMatrix& products, const KernelFunction& kernel,
                    std::span<const std::int64_t> items, std::span<const std::int64_t> classes) {
  require(!items.empty(), "there are no graphs to score");
  const std::vector<std::int64_t> chosen = svm_classes(model, products, kernel, items);
  std::int64_t right = 0;
  for (std::size_t index = 0; index < items.size(); ++index) {
    right += chosen[index] == classes[static_cast<std::size_t>(items[index])];
  }
  return static_cast<double>(right) / static_cast<double>(items.size());
}

}  // namespace factorgcn
