// What all generators' settings have in common: how many graphs each part has, and the seed.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "factorgcn/base/settings.h"
#include "factorgcn/data/registry.h"

namespace factorgcn {

inline std::int64_t whole_number(const Settings& settings, const std::string& name) {
  return std::get<std::int64_t>(settings.at(name));
}

inline double real_number(const Settings& settings, const std::string& name) {
  return std::get<double>(settings.at(name));
}

/// Options have train, validation, test and seed.
template <class Options>
void add_common_settings(std::vector<GeneratorSetting>& settings, const Options& usual) {
  constexpr std::int64_t kMostGraphs = std::int64_t{1} << 31;
  settings.push_back({"train", usual.train, 0, kMostGraphs, "graphs to train on"});
  settings.push_back({"validation", usual.validation, 0, kMostGraphs, "graphs to choose the best model on"});
  settings.push_back({"test", usual.test, 0, kMostGraphs, "graphs to report on"});
  settings.push_back({"seed", static_cast<std::int64_t>(usual.seed), 0, std::numeric_limits<std::int64_t>::max(),
                      "of the random numbers"});
}

template <class Options>
void read_common_settings(const Settings& settings, Options& options) {
  options.train = whole_number(settings, "train");
  options.validation = whole_number(settings, "validation");
  options.test = whole_number(settings, "test");
  options.seed = static_cast<std::uint64_t>(whole_number(settings, "seed"));
}

}  // namespace factorgcn
