#include "report/node_pairs.h"

#include <algorithm>

namespace factorgcn {

NodePairs::NodePairs(std::span<const std::int32_t> sources, std::span<const std::int32_t> targets) {
  for (std::size_t entry = 0; entry < sources.size(); ++entry) {
    if (sources[entry] != targets[entry]) {
      pairs_.push_back(std::minmax(sources[entry], targets[entry]));
    }
  }
  std::sort(pairs_.begin(), pairs_.end());
  pairs_.erase(std::unique(pairs_.begin(), pairs_.end()), pairs_.end());
  pair_of_.resize(sources.size());
  entries_.assign(pairs_.size(), 0);
  ways_.assign(pairs_.size(), 0);
  for (std::size_t entry = 0; entry < sources.size(); ++entry) {
    const std::int64_t pair = find(sources[entry], targets[entry]);
    pair_of_[entry] = static_cast<std::int32_t>(pair);
    if (pair >= 0) {
      ++entries_[static_cast<std::size_t>(pair)];
      ways_[static_cast<std::size_t>(pair)] |= sources[entry] < targets[entry] ? 1 : 2;
    }
  }
}

std::int64_t NodePairs::find(std::int32_t a, std::int32_t b) const {
  const Pair key = std::minmax(a, b);
  const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), key);
  return a == b || found == pairs_.end() || *found != key ? -1 : found - pairs_.begin();
}

std::vector<std::int32_t> NodePairs::ends() const {
  std::vector<std::int32_t> ends;
  ends.reserve(2 * pairs_.size());
  for (const auto& [s, t] : pairs_) {
    ends.push_back(s);
    ends.push_back(t);
  }
  return ends;
}

std::vector<std::uint8_t> NodePairs::directions() const {
  if (std::all_of(ways_.begin(), ways_.end(), [](std::uint8_t ways) { return ways == 3; })) {
    return {};
  }
  std::vector<std::uint8_t> directions(ways_.size());
  std::transform(ways_.begin(), ways_.end(), directions.begin(),
                 [](std::uint8_t ways) { return static_cast<std::uint8_t>(ways == 3 ? 0 : ways); });
  return directions;
}

}  // namespace factorgcn
