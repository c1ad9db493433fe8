// Real processes that train together, started as torchrun would.
#pragma once

#include <string>
#include <vector>

#include "cli/workplace.h"
#include "collective/free_port.h"

namespace factorgcn::cli {

inline std::vector<Child> start_together(const Workplace& place, int size, const std::string& arguments,
                                         const std::vector<std::string>& environment = {}) {
  const std::string port = std::to_string(testing::free_port());
  std::vector<Child> ranks;
  for (int rank = 0; rank < size; ++rank) {
    std::vector<std::string> own = environment;
    own.insert(own.end(), {"RANK=" + std::to_string(rank), "WORLD_SIZE=" + std::to_string(size),
                           "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + port});
    ranks.push_back(place.start(arguments, own));
  }
  return ranks;
}

inline std::vector<Outcome> wait_for_all(std::vector<Child>& ranks) {
  std::vector<Outcome> outcomes;
  for (Child& rank : ranks) {
    outcomes.push_back(rank.wait());
  }
  return outcomes;
}

inline std::vector<Outcome> run_together(const Workplace& place, int size, const std::string& arguments,
                                         const std::vector<std::string>& environment = {}) {
  std::vector<Child> ranks = start_together(place, size, arguments, environment);
  return wait_for_all(ranks);
}

}  // namespace factorgcn::cli
