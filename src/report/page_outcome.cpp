#include "report/page_outcome.h"

#include <fmt/format.h>

#include "factorgcn/base/text.h"

namespace factorgcn {
namespace {

/// Empty where the task is one of nodes.
std::string outcome_text(const Dataset& dataset, const at::Tensor& row, bool is_prediction,
                         const std::vector<std::string>& names) {
  switch (dataset.task) {
    case Task::kMultiLabel: {
      std::vector<std::string> chosen;
      for (std::int64_t output = 0; output < dataset.num_outputs; ++output) {
        if (row[output].item<double>() > (is_prediction ? 0.0 : 0.5)) {
          chosen.push_back(names[static_cast<std::size_t>(output)]);
        }
      }
      return chosen.empty() ? "none" : join_words(chosen, " + ");
    }
    case Task::kRegression: {
      std::vector<std::string> values;
      for (std::int64_t output = 0; output < row.numel(); ++output) {
        values.push_back(format_fixed(row.reshape({-1})[output].item<double>(), 3));
      }
      return join_words(values, ", ");
    }
    case Task::kGraphClass:
      return names[static_cast<std::size_t>(is_prediction ? row.argmax().item<std::int64_t>()
                                                          : row.item<std::int64_t>())];
    default:
      return "";
  }
}

}  // namespace

std::string join_words(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

std::vector<std::string> names_of_outputs(const Dataset& dataset) {
  if (!dataset.output_names.empty()) {
    return dataset.output_names;
  }
  if (dataset.task == Task::kMultiLabel && dataset.truth.num_types() == dataset.num_outputs) {
    return dataset.truth.type_names;
  }
  std::vector<std::string> names;
  for (std::int64_t output = 0; output < dataset.num_outputs; ++output) {
    names.push_back(std::to_string(output));
  }
  return names;
}

std::vector<std::string> names_of_relations(const GroundTruth& truth) {
  std::vector<std::string> names = truth.type_names;
  for (std::string& name : names) {
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      name = "relation " + name;
    }
  }
  return names;
}

void add_outcome(const Dataset& dataset, const at::Tensor& target, const at::Tensor& prediction,
                 const std::vector<std::string>& names, PageSample& sample) {
  const std::string wanted = outcome_text(dataset, target, false, names);
  std::string got = outcome_text(dataset, prediction, true, names);
  if (sample.label.empty()) {
    sample.label = wanted;
  }
  const bool equal = dataset.task != Task::kRegression && wanted == got;
  if (!equal) {
    sample.facts.push_back({"target", wanted});
  } else {
    got = "correctly";
  }
  if (dataset.task == Task::kGraphClass) {
    got += fmt::format(", probability {}", format_fixed(prediction.softmax(0).max().item<double>(), 2));
  }
  sample.facts.push_back({"predicted", got});
}

}  // namespace factorgcn
