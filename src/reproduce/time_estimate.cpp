// Means on three levels.
#include "reproduce/time_estimate.h"

namespace factorgcn {
namespace {

std::string group_of(const std::string& run) { return run.substr(0, run.rfind('/')); }
std::string data_of(const std::string& run) { return run.substr(0, run.find('/')); }

}  // namespace

void TimeEstimate::add(const std::string& run, double seconds) {
  Finished& group = groups_[group_of(run)];
  group.seconds += seconds;
  group.count += 1;
}

double TimeEstimate::expected(const std::string& run) const {
  const std::string own_group = group_of(run), own_data = data_of(run);
  Finished levels[3];
  for (const auto& [group, finished] : groups_) {
    const int level = group == own_group ? 0 : data_of(group) == own_data ? 1 : 2;
    for (int reached = level; reached < 3; ++reached) {
      levels[reached].seconds += finished.seconds;
      levels[reached].count += finished.count;
    }
  }
  for (const Finished& level : levels) {
    if (level.count > 0) {
      return level.seconds / level.count;
    }
  }
  return -1;
}

}  // namespace factorgcn
