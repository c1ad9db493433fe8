// Every reader that has a fuzz target, on its stored inputs.
#pragma once

#include <algorithm>
#include <filesystem>
#include <vector>

#include "factorgcn/base/files.h"
#include "fuzz/targets.h"
#include "memory/refused_requests.h"

namespace factorgcn {

/// The stored inputs of a target, the smallest first.
inline std::vector<std::string> stored_inputs(std::string_view target) {
  std::vector<std::string> inputs;
  for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(FACTORGCN_FUZZ_CORPUS) / target)) {
    inputs.push_back(read_file(entry.path()));
  }
  std::sort(inputs.begin(), inputs.end(), [](const std::string& left, const std::string& right) {
    return std::pair(left.size(), left) < std::pair(right.size(), right);
  });
  return inputs;
}

/// Refuses requests of a reader; it must return or throw.
inline RefusedRequests refuse_to_reader(const FuzzTarget& target, const std::string& input, long step) {
  const auto work = [&] {
    target.run(input);
    return std::string();
  };
  work();  // what is kept for good is asked for once
  return refuse_requests(work, step);
}

}  // namespace factorgcn
