// Moves of single nodes, and the bits that a description takes.
//
// In bits, a description is: each relation's groups, N times the entropy of their sizes and half a logarithm for each
// size and rate; the links given the rates. Activities take the same bits whatever the relations are.
#include "relations/partitions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "factorgcn/base/random.h"
#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

constexpr double kLeastBackground = 0.02;  // of the mean rate: anybody may be linked with anybody

/// log(exp(rate) - 1), what a link adds to the likelihood.
double log_link(double rate) { return rate < 0.02 ? std::log(rate) + rate / 2 : std::log(std::expm1(rate)); }

/// Sums of activities in each group, and of their squares.
struct GroupTotals {
  std::vector<std::vector<double>> first, second;
  std::vector<std::vector<std::int64_t>> nodes;
  double all = 0, all_squares = 0;

  GroupTotals(const Links& links, const Partitions& partitions) {
    for (const int groups : partitions.groups_in) {
      first.emplace_back(groups, 0);
      second.emplace_back(groups, 0);
      nodes.emplace_back(groups, 0);
    }
    for (std::int64_t node = 0; node < links.nodes; ++node) {
      const double activity = partitions.activities[node];
      all += activity;
      all_squares += activity * activity;
      for (int relation = 0; relation < partitions.relations(); ++relation) {
        const int group = partitions.group[relation * links.nodes + node];
        first[relation][group] += activity;
        second[relation][group] += activity * activity;
        ++nodes[relation][group];
      }
    }
  }

  double pairs(int relation, int group) const {
    return (first[relation][group] * first[relation][group] - second[relation][group]) / 2;
  }
  double all_pairs() const { return (all * all - all_squares) / 2; }
};

double mean_rate(const Links& links, const GroupTotals& totals) {
  return links.total() / std::max(totals.all_pairs(), 1e-9);
}

/// How many links each group and the background account for, and the links' likelihood at the end.
struct Allocation {
  std::vector<std::vector<double>> links;
  double background = 0, likelihood = 0;
};

Allocation allocate(const Links& links, const Partitions& partitions) {
  std::vector<int> first{1};
  for (const int groups : partitions.groups_in) {
    first.push_back(first.back() + groups);
  }
  const int width = first.back() + 1;
  const int relations = partitions.relations();
  const std::vector<double> sums = sum_rows(links, width, [&](std::int64_t row, double* into) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      const std::int32_t other = links.neighbours[at];
      if (other < row) {
        continue;
      }
      const double activity = static_cast<double>(partitions.activities[row]) * partitions.activities[other];
      double rate = partitions.background;
      for (int relation = 0; relation < relations; ++relation) {
        const std::int32_t* group = partitions.group.data() + relation * links.nodes;
        if (group[row] == group[other]) {
          rate += partitions.rate[relation][group[row]];
        }
      }
      const double full = std::max(rate * activity, 1e-20);
      const double weight = links.weighted() ? links.weights[at] : full / -std::expm1(-full);
      into[0] += weight * partitions.background / rate;
      into[width - 1] += links.weighted() ? weight * std::log(full) : log_link(full);
      for (int relation = 0; relation < relations; ++relation) {
        const std::int32_t* group = partitions.group.data() + relation * links.nodes;
        if (group[row] == group[other]) {
          into[first[relation] + group[row]] += weight * partitions.rate[relation][group[row]] / rate;
        }
      }
    }
  });
  Allocation result;
  result.background = sums[0];
  result.likelihood = sums[width - 1];
  for (int relation = 0; relation < relations; ++relation) {
    result.links.emplace_back(sums.begin() + first[relation], sums.begin() + first[relation + 1]);
  }
  return result;
}

/// Rates from the links that groups account for.
void set_rates(const Links& links, const GroupTotals& totals, const Allocation& allocation, Partitions& partitions) {
  const double mean = mean_rate(links, totals);
  partitions.background = std::max(allocation.background / std::max(totals.all_pairs(), 1e-9), kLeastBackground * mean);
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    for (int group = 0; group < partitions.groups_in[relation]; ++group) {
      // Half a link more than counted, and half a link's pairs: nobody's group does not run away.
      const double pairs = totals.pairs(relation, group);
      partitions.rate[relation][group] =
          (allocation.links[relation][group] + 0.5 * 0.1) / (pairs + 0.5 * 0.1 / std::max(mean, 1e-12));
    }
  }
}

double bits_of(const Links& links, const GroupTotals& totals, const Partitions& partitions, double likelihood) {
  double nats = -likelihood + partitions.background * totals.all_pairs();
  const double samples = std::max(links.total(), 2.0);
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    for (int group = 0; group < partitions.groups_in[relation]; ++group) {
      nats += partitions.rate[relation][group] * totals.pairs(relation, group);
      const auto size = static_cast<double>(totals.nodes[relation][group]);
      if (size > 0) {
        nats -= size * std::log(size / static_cast<double>(links.nodes));
        nats += 0.5 * std::log(samples) + 0.5 * std::log(static_cast<double>(links.nodes));
      }
    }
    nats -= std::lgamma(partitions.groups_in[relation] + 1.0);  // groups have no order
  }
  nats -= std::lgamma(partitions.relations() + 1.0);
  return nats / std::log(2.0);
}

void drop_empty_groups(const Links& links, const GroupTotals& totals, Partitions& partitions) {
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    std::vector<std::int32_t> new_number(partitions.groups_in[relation], -1);
    std::vector<double> rates;
    for (int group = 0; group < partitions.groups_in[relation]; ++group) {
      if (totals.nodes[relation][group] > 0) {
        new_number[group] = static_cast<std::int32_t>(rates.size());
        rates.push_back(partitions.rate[relation][group]);
      }
    }
    if (rates.size() == new_number.size()) {
      continue;
    }
    std::int32_t* groups = partitions.group.data() + relation * links.nodes;
    for (std::int64_t node = 0; node < links.nodes; ++node) {
      groups[node] = new_number[groups[node]];
    }
    partitions.groups_in[relation] = static_cast<int>(rates.size());
    partitions.rate[relation] = std::move(rates);
  }
}

class Mover {
 public:
  Mover(const Links& links, Partitions& partitions, const MoveOptions& options)
      : links_(links),
        partitions_(partitions),
        options_(options),
        totals_(links, partitions),
        random_(options.seed, options.purpose) {}

  std::int64_t sweep() {
    std::int64_t moved = 0;
    order_.resize(static_cast<std::size_t>(links_.nodes));
    std::iota(order_.begin(), order_.end(), 0);
    random_.shuffle(std::span(order_));
    for (const std::int32_t node : order_) {
      for (int relation = 0; relation < partitions_.relations(); ++relation) {
        moved += move(node, relation) ? 1 : 0;
      }
    }
    set_rates(links_, totals_, allocate(links_, partitions_), partitions_);
    return moved;
  }

 private:
  bool move(std::int32_t node, int relation) {
    const int groups = partitions_.groups_in[relation];
    std::int32_t* group = partitions_.group.data() + relation * links_.nodes;
    const std::vector<double>& rates = partitions_.rate[relation];
    const double activity = partitions_.activities[node];
    const int mine = group[node];
    gains_.assign(static_cast<std::size_t>(groups), 0);
    for (std::int64_t at = links_.offsets[node]; at < links_.offsets[node + 1]; ++at) {
      const std::int32_t other = links_.neighbours[at];
      double base = partitions_.background;
      for (int also = 0; also < partitions_.relations(); ++also) {
        const std::int32_t* theirs = partitions_.group.data() + also * links_.nodes;
        if (also != relation && theirs[node] == theirs[other]) {
          base += partitions_.rate[also][theirs[node]];
        }
      }
      const int there = group[other];
      const double both = activity * partitions_.activities[other];
      const double with = base + rates[there];
      if (links_.weighted()) {
        gains_[there] += links_.weights[at] * std::log(with / base);
      } else if (with * both < 0.02) {
        gains_[there] += std::log(with / base) + (with - base) * both / 2;
      } else {
        gains_[there] += log_link(with * both) - log_link(base * both);
      }
    }
    for (int to = 0; to < groups; ++to) {
      const double activities = totals_.first[relation][to] - (to == mine ? activity : 0);
      const auto size = static_cast<double>(totals_.nodes[relation][to] - (to == mine ? 1 : 0));
      gains_[to] += std::log(size + 1.0) - activity * rates[to] * activities;
    }
    if (relation == options_.closed_relation && groups > 1) {
      gains_[options_.closed_group] = -1e300;
    }
    const int to = options_.sample ? draw() : best(mine);
    if (to == mine) {
      return false;
    }
    for (const auto& [where, sign] : {std::pair{mine, -1}, std::pair{to, 1}}) {
      totals_.first[relation][where] += sign * activity;
      totals_.second[relation][where] += sign * activity * activity;
      totals_.nodes[relation][where] += sign;
    }
    group[node] = to;
    return true;
  }

  int best(int mine) const {
    int found = mine;
    for (int to = 0; to < static_cast<int>(gains_.size()); ++to) {
      if (gains_[to] > gains_[found] + 1e-9) {
        found = to;
      }
    }
    return found;
  }

  int draw() {
    const double most = *std::max_element(gains_.begin(), gains_.end());
    double sum = 0;
    for (double& gain : gains_) {
      sum += gain = std::exp(gain - most);
    }
    double left = random_.uniform() * sum;
    for (std::size_t to = 0; to < gains_.size(); ++to) {
      left -= gains_[to];
      if (left < 0) {
        return static_cast<int>(to);
      }
    }
    return static_cast<int>(std::max_element(gains_.begin(), gains_.end()) - gains_.begin());
  }

  const Links& links_;
  Partitions& partitions_;
  const MoveOptions& options_;
  GroupTotals totals_;
  RandomStream random_;
  std::vector<std::int32_t> order_;
  std::vector<double> gains_;
};

}  // namespace

void fit_rates(const Links& links, Partitions& partitions, int rounds) {
  drop_empty_groups(links, GroupTotals(links, partitions), partitions);
  const GroupTotals totals(links, partitions);
  for (int round = 0; round < rounds; ++round) {
    set_rates(links, totals, allocate(links, partitions), partitions);
  }
  partitions.bits = bits_of(links, totals, partitions, allocate(links, partitions).likelihood);
}

Partitions round_model(const Links& links, const Model& model) {
  Partitions partitions;
  partitions.background = model.background;
  partitions.activities = model.activities;
  partitions.group.resize(static_cast<std::size_t>(links.nodes) * model.relations());
  for (int relation = 0; relation < model.relations(); ++relation) {
    const int first = model.first[relation], last = model.first[relation + 1];
    partitions.groups_in.push_back(last - first);
    partitions.rate.emplace_back(model.rates.begin() + first, model.rates.begin() + last);
    for_each_row(links, [&](std::int64_t row) {
      const float* z = model.z.row(row);
      partitions.group[relation * links.nodes + row] =
          static_cast<std::int32_t>(std::max_element(z + first, z + last) - (z + first));
    });
  }
  fit_rates(links, partitions);
  return partitions;
}

void move_nodes(const Links& links, Partitions& partitions, const MoveOptions& options) {
  Mover mover(links, partitions, options);
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    const std::int64_t moved = mover.sweep();
    if (options.after_sweep) {
      options.after_sweep(partitions);
    }
    if (moved == 0 && !options.sample) {
      break;
    }
  }
}

void dissolve_groups(const Links& links, Partitions& partitions, const MoveOptions& options) {
  for (bool shorter = true; shorter;) {
    shorter = false;
    const GroupTotals totals(links, partitions);
    std::vector<std::pair<int, int>> groups;  // relation and group, the smallest first
    for (int relation = 0; relation < partitions.relations(); ++relation) {
      for (int group = 0; group < partitions.groups_in[relation] && partitions.groups_in[relation] > 1; ++group) {
        groups.emplace_back(relation, group);
      }
    }
    std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
      return totals.nodes[a.first][a.second] < totals.nodes[b.first][b.second];
    });
    for (const auto& [relation, group] : groups) {
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

Partitions no_relations(const Links& links) {
  Partitions partitions;
  // Activities as the polished model would have them with no relation: shrunk towards 1 by chance's own spread.
  const double mean = 2 * links.total() / static_cast<double>(links.nodes);
  double excess = 0;
  for (const float strength : links.strengths) {
    excess += (strength - mean) * (strength - mean) - mean;
  }
  const double variance = excess / static_cast<double>(links.nodes) / std::max(mean * mean, 1e-12);
  const double chance = 2 * std::sqrt(2 / static_cast<double>(links.nodes)) / std::max(mean, 1e-9);
  const double shape = variance > chance ? 1 / variance : 1e6;
  for (const float strength : links.strengths) {
    partitions.activities.push_back(shape >= 1e6 ? 1.0F : static_cast<float>((shape + strength) / (shape + mean)));
  }
  partitions.background = 1;
  fit_rates(links, partitions);
  return partitions;
}

Model soften(const Links& links, const Partitions& partitions) {
  Model model;
  model.first.push_back(0);
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    model.first.push_back(model.first.back() + partitions.groups_in[relation]);
    model.rates.insert(model.rates.end(), partitions.rate[relation].begin(), partitions.rate[relation].end());
  }
  model.background = partitions.background;
  model.activities = partitions.activities;
  model.z = Table(links.nodes, model.groups());
  for_each_row(links, [&](std::int64_t row) {
    for (int relation = 0; relation < partitions.relations(); ++relation) {
      const int groups = partitions.groups_in[relation];
      for (int group = 0; group < groups; ++group) {
        const bool own = partitions.group[relation * links.nodes + row] == group;
        model.z.row(row)[model.first[relation] + group] = groups == 1 ? 1.0F
                                                          : own       ? 0.98F
                                                                      : 0.02F / static_cast<float>(groups - 1);
      }
    }
  });
  return model;
}

}  // namespace factorgcn::relations
