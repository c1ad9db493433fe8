// What a move gains is known from the node's own links and the sums of its groups alone.
#include "relations/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"
#include "relations/group_rates.h"

namespace factorgcn::relations {
namespace {

constexpr double kSmallRate = 0.3;
constexpr std::int64_t kNodesOneByOne = 3'000, kBlocks = 128, kNodesPerTask = 64;

class Mover {
 public:
  Mover(const Links& links, Partitions& partitions, const MoveOptions& options)
      : links_(links),
        partitions_(partitions),
        options_(options),
        relations_(partitions.relations()),
        totals_(links, partitions),
        random_(options.seed, options.purpose),
        block_(links.nodes <= kNodesOneByOne ? 1 : links.nodes / kBlocks + 1),
        groups_(static_cast<std::size_t>(links.nodes) * relations_) {
    for (std::int64_t node = 0; node < links.nodes; ++node) {
      for (int relation = 0; relation < relations_; ++relation) {
        groups_[node * relations_ + relation] = partitions.group[relation * links.nodes + node];
      }
    }
    wanted_.resize(static_cast<std::size_t>(block_) * relations_);
    if (partitions.told >= 0) {
      const std::vector<std::int32_t>& classes = *partitions.classes;
      told_groups_ = partitions.groups_in[partitions.told];
      cells_.assign(static_cast<std::size_t>(*std::max_element(classes.begin(), classes.end()) + 1) * told_groups_, 0);
      for (std::int64_t node = 0; node < links.nodes; ++node) {
        ++cell(node, partitions.group[partitions.told * links.nodes + node]);
      }
    }
  }

  /// How many places changed.
  std::int64_t sweep() {
    std::int64_t moved = 0;
    prepare_tables();
    choose_order();
    const auto count = static_cast<std::int64_t>(order_.size());
    for (std::int64_t first = 0; first < count; first += block_) {
      const std::int64_t last = std::min(count, first + block_);
      const auto choose = [&](std::int64_t task) {
        Scratch scratch;
        for (std::int64_t at = first + task * kNodesPerTask; at < std::min(last, first + (task + 1) * kNodesPerTask);
             ++at) {
          choose_groups(order_[at], wanted_.data() + (at - first) * relations_, scratch);
        }
      };
      if (block_ == 1) {
        choose_groups(order_[first], wanted_.data(), scratch_);
      } else {
        parallel_tasks((last - first + kNodesPerTask - 1) / kNodesPerTask, choose);
      }
      for (std::int64_t at = first; at < last; ++at) {
        moved += put(order_[at], wanted_.data() + (at - first) * relations_);
      }
    }
    refit_rates(links_, totals_, partitions_);
    return moved;
  }

 private:
  struct Scratch {
    std::vector<double> gains;
    std::vector<double> activities;  // of the node times the neighbour's
    std::vector<double> weights;
    std::vector<std::int32_t> theirs;  // [degree, K] groups of the neighbours
  };

  void choose_order() {
    if (!options_.closed_alone) {
      order_.resize(static_cast<std::size_t>(links_.nodes));
      std::iota(order_.begin(), order_.end(), 0);
    } else {
      order_.clear();
      for (std::int64_t node = 0; node < links_.nodes; ++node) {
        if (groups_[node * relations_ + options_.closed_relation] == options_.closed_group) {
          order_.push_back(static_cast<std::int32_t>(node));
        }
      }
    }
    random_.shuffle(std::span(order_));
  }

  /// What a link inside a group gains where no other relation joins its ends, and logarithms of sizes.
  void prepare_tables() {
    log_alone_.clear();
    log_size_.clear();
    for (int relation = 0; relation < relations_; ++relation) {
      log_alone_.emplace_back();
      log_size_.emplace_back();
      for (int group = 0; group < partitions_.groups_in[relation]; ++group) {
        const double base = partitions_.background;
        log_alone_.back().push_back(std::log((base + partitions_.rate[relation][group]) / base));
        log_size_.back().push_back(log_size(relation, group));
      }
    }
  }

  /// How many nodes of the node's class are in the told relation's group.
  std::int64_t& cell(std::int64_t node, std::int32_t group) {
    return cells_[static_cast<std::size_t>((*partitions_.classes)[node]) * told_groups_ + group];
  }

  double log_told(std::int64_t node, int to, int stays) const {
    const std::int64_t there = cells_[static_cast<std::size_t>((*partitions_.classes)[node]) * told_groups_ + to];
    return std::log(static_cast<double>(there - (to == stays ? 1 : 0)) + 0.5);
  }

  double log_size(int relation, int group) const {
    return std::log(static_cast<double>(totals_.nodes[relation][group]) + 1.0);
  }

  /// The best groups of a node, relation by relation; nothing but `mine` and `scratch` changes.
  void choose_groups(std::int32_t node, std::int32_t* mine, Scratch& scratch) const {
    std::copy_n(groups_.data() + static_cast<std::int64_t>(node) * relations_, relations_, mine);
    const double activity = partitions_.activities[node];
    scratch.activities.clear();
    scratch.weights.clear();
    scratch.theirs.clear();
    for (std::int64_t at = links_.offsets[node]; at < links_.offsets[node + 1]; ++at) {
      const std::int64_t other = links_.neighbours[at];
      scratch.activities.push_back(activity * partitions_.activities[other]);
      if (links_.weighted()) {
        scratch.weights.push_back(links_.weights[at]);
      }
      const std::int32_t* theirs = groups_.data() + other * relations_;
      scratch.theirs.insert(scratch.theirs.end(), theirs, theirs + relations_);
    }
    for (int relation = 0; relation < relations_; ++relation) {
      choose_group(node, activity, groups_[static_cast<std::int64_t>(node) * relations_ + relation], relation, mine,
                   scratch);
    }
  }

  void choose_group(std::int64_t node, double activity, int stays, int relation, std::int32_t* mine,
                    Scratch& scratch) const {
    const int groups = partitions_.groups_in[relation];
    const std::vector<double>& rates = partitions_.rate[relation];
    std::vector<double>& gains = scratch.gains;
    gains.assign(static_cast<std::size_t>(groups), 0);
    const std::int32_t* theirs = scratch.theirs.data();
    for (std::size_t at = 0; at < scratch.activities.size(); ++at, theirs += relations_) {
      double base = partitions_.background;
      bool alone = true;
      for (int also = 0; also < relations_; ++also) {
        if (also != relation && mine[also] == theirs[also]) {
          base += partitions_.rate[also][mine[also]];
          alone = false;
        }
      }
      const int there = theirs[relation];
      const double both = scratch.activities[at];
      const double with = base + rates[there];
      if (links_.weighted()) {
        gains[there] += scratch.weights[at] * (alone ? log_alone_[relation][there] : std::log(with / base));
      } else if (with * both < kSmallRate) {
        // log(exp(x) - 1) = log x + x / 2 + x^2 / 24 - x^4 / 2880 + ...
        gains[there] += (alone ? log_alone_[relation][there] : std::log(with / base)) + (with - base) * both / 2 +
                        (with - base) * (with + base) * both * both / 24;
      } else {
        gains[there] += log_link(with * both) - log_link(base * both);
      }
    }
    for (int to = 0; to < groups; ++to) {
      const double activities = totals_.first[relation][to] - (to == stays ? activity : 0);
      const double size = relation == partitions_.told ? log_told(node, to, stays)
                          : to == stays ? std::log(static_cast<double>(totals_.nodes[relation][to] - 1) + 1.0)
                                        : log_size_[relation][to];
      gains[to] += size - activity * rates[to] * activities;
    }
    if (relation == options_.closed_relation && groups > 1) {
      gains[options_.closed_group] = -1e300;
    }
    int found = stays;
    for (int to = 0; to < groups; ++to) {
      if (gains[to] > gains[found] + 1e-9) {
        found = to;
      }
    }
    mine[relation] = found;
  }

  int put(std::int32_t node, const std::int32_t* wanted) {
    int moved = 0;
    const double activity = partitions_.activities[node];
    for (int relation = 0; relation < relations_; ++relation) {
      std::int32_t& group = groups_[static_cast<std::int64_t>(node) * relations_ + relation];
      if (group == wanted[relation]) {
        continue;
      }
      for (const auto& [where, sign] : {std::pair{group, -1}, std::pair{wanted[relation], 1}}) {
        totals_.first[relation][where] += sign * activity;
        totals_.second[relation][where] += sign * activity * activity;
        totals_.nodes[relation][where] += sign;
        log_size_[relation][where] = log_size(relation, where);
      }
      if (relation == partitions_.told) {
        --cell(node, group);
        ++cell(node, wanted[relation]);
      }
      group = wanted[relation];
      partitions_.group[relation * links_.nodes + node] = group;
      ++moved;
    }
    return moved;
  }

  const Links& links_;
  Partitions& partitions_;
  const MoveOptions& options_;
  const int relations_;
  GroupTotals totals_;
  RandomStream random_;
  const std::int64_t block_;          // nodes that choose at once
  std::vector<std::int32_t> groups_;  // [N, K], a node's side by side
  std::vector<std::int32_t> wanted_;  // [block, K]
  std::vector<std::int32_t> order_;
  int told_groups_ = 0;
  std::vector<std::int64_t> cells_;                        // [classes, groups of the told relation]
  std::vector<std::vector<double>> log_alone_, log_size_;  // [K][groups]
  Scratch scratch_;
};

/// Relation and group, the smallest first; no group that is all of its relation.
std::vector<std::pair<int, int>> groups_by_size(const Links& links, const Partitions& partitions) {
  const GroupTotals totals(links, partitions);
  std::vector<std::pair<int, int>> groups;
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    for (int group = 0; group < partitions.groups_in[relation] && partitions.groups_in[relation] > 1; ++group) {
      groups.emplace_back(relation, group);
    }
  }
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return totals.nodes[a.first][a.second] < totals.nodes[b.first][b.second];
  });
  return groups;
}

}  // namespace

void move_nodes(const Links& links, Partitions& partitions, const MoveOptions& options) {
  Mover mover(links, partitions, options);
  const double few = options.enough * static_cast<double>(links.nodes) * partitions.relations();
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    if (static_cast<double>(mover.sweep()) <= few || (options.stop && options.stop())) {
      break;
    }
  }
}

void dissolve_small_groups(const Links& links, Partitions& partitions, const MoveOptions& options) {
  constexpr double kSmall = 0.25;
  int kept = 0;  // groups that were tried and stay
  for (bool more = true; more && !(options.stop && options.stop());) {
    const std::vector<std::pair<int, int>> groups = groups_by_size(links, partitions);
    more = false;
    if (kept >= static_cast<int>(groups.size())) {
      break;
    }
    const auto [relation, group] = groups[kept];
    const GroupTotals totals(links, partitions);
    const double mean = static_cast<double>(links.nodes) / partitions.groups_in[relation];
    if (static_cast<double>(totals.nodes[relation][group]) >= kSmall * mean) {
      break;
    }
    Partitions without = partitions;
    MoveOptions leave = options;
    leave.closed_relation = relation;
    leave.closed_group = group;
    leave.closed_alone = true;
    leave.sweeps = 1;
    move_nodes(links, without, leave);
    fit_rates(links, without, 2);
    more = true;
    if (without.bits < partitions.bits) {
      partitions = std::move(without);
    } else {
      ++kept;
    }
  }
}

void dissolve_groups(const Links& links, Partitions& partitions, const MoveOptions& options) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const auto& [relation, group] : groups_by_size(links, partitions)) {
      Partitions without = partitions;
      MoveOptions leave = options;
      leave.closed_relation = relation;
      leave.closed_group = group;
      leave.sweeps = 2;
      move_nodes(links, without, leave);
      fit_rates(links, without, 3);
      move_nodes(links, without, options);
      fit_rates(links, without);
      if (without.bits < partitions.bits - 1e-6) {
        partitions = std::move(without);
        shorter = true;
        break;
      }
    }
  }
}

}  // namespace factorgcn::relations
