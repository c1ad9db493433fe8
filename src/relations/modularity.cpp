// Links are kept as a map per node, which merging keeps short.
#include "relations/modularity.h"

#include <map>
#include <numeric>

namespace factorgcn::relations {
namespace {

class ModularityCommunities {
 public:
  ModularityCommunities(std::int64_t nodes, const std::vector<std::int32_t>& sources,
                        const std::vector<std::int32_t>& targets, const std::vector<double>& weights)
      : community_(static_cast<std::size_t>(nodes)) {
    std::iota(community_.begin(), community_.end(), 0);
    links_.resize(static_cast<std::size_t>(nodes));
    for (std::size_t edge = 0; edge < sources.size(); ++edge) {
      if (weights[edge] > 0) {
        links_[static_cast<std::size_t>(sources[edge])][targets[edge]] += weights[edge];
        links_[static_cast<std::size_t>(targets[edge])][sources[edge]] += weights[edge];
        total_ += 2 * weights[edge];
      }
    }
  }

  std::vector<std::int32_t> run() {
    while (total_ > 0 && move_nodes()) {
      merge();
    }
    return community_;
  }

 private:
  bool move_nodes() {
    const std::size_t count = links_.size();
    group_.resize(count);
    std::iota(group_.begin(), group_.end(), 0);
    std::vector<double> degree(count, 0.0);
    for (std::size_t node = 0; node < count; ++node) {
      for (const auto& [other, weight] : links_[node]) {
        degree[node] += weight;
      }
    }
    std::vector<double> sum = degree;
    bool any = false;
    bool moved = true;
    for (int round = 0; moved && round < 100; ++round) {
      moved = false;
      for (std::size_t node = 0; node < count; ++node) {
        std::map<std::int32_t, double> to;
        for (const auto& [other, weight] : links_[node]) {
          if (static_cast<std::size_t>(other) != node) {
            to[group_[static_cast<std::size_t>(other)]] += weight;
          }
        }
        const std::int32_t own = group_[node];
        sum[static_cast<std::size_t>(own)] -= degree[node];
        const auto gain = [&](std::int32_t group, double weight) {
          return weight - degree[node] * sum[static_cast<std::size_t>(group)] / total_;
        };
        std::int32_t best = own;
        double most = gain(own, to.contains(own) ? to[own] : 0.0) + 1e-12;
        for (const auto& [group, weight] : to) {
          if (gain(group, weight) > most) {
            most = gain(group, weight);
            best = group;
          }
        }
        sum[static_cast<std::size_t>(best)] += degree[node];
        group_[node] = best;
        moved = moved || best != own;
      }
      any = any || moved;
    }
    return any;
  }

  void merge() {
    std::map<std::int32_t, std::int32_t> number;
    for (const std::int32_t group : group_) {
      number.try_emplace(group, static_cast<std::int32_t>(number.size()));
    }
    std::vector<std::map<std::int32_t, double>> merged(number.size());
    for (std::size_t node = 0; node < links_.size(); ++node) {
      for (const auto& [other, weight] : links_[node]) {
        merged[static_cast<std::size_t>(number[group_[node]])][number[group_[static_cast<std::size_t>(other)]]] +=
            weight;
      }
    }
    for (std::int32_t& community : community_) {
      community = number[group_[static_cast<std::size_t>(community)]];
    }
    links_ = std::move(merged);
  }

  std::vector<std::int32_t> community_, group_;
  std::vector<std::map<std::int32_t, double>> links_;
  double total_ = 0;
};

}  // namespace

std::vector<std::int32_t> modularity_communities(std::int64_t nodes, const std::vector<std::int32_t>& sources,
                                                 const std::vector<std::int32_t>& targets,
                                                 const std::vector<double>& weights) {
  return ModularityCommunities(nodes, sources, targets, weights).run();
}

}  // namespace factorgcn::relations
