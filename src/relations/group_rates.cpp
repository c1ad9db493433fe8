// Each link is shared out over the groups that both its ends are in, and the background.
#include "relations/group_rates.h"

#include <algorithm>

#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

constexpr double kLeastBackground = 0.02;  // of the mean rate: anybody may be linked with anybody

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

}  // namespace

GroupTotals::GroupTotals(const Links& links, const Partitions& partitions) {
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

void refit_rates(const Links& links, const GroupTotals& totals, Partitions& partitions) {
  const Allocation allocation = allocate(links, partitions);
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

double links_likelihood(const Links& links, const Partitions& partitions) {
  return allocate(links, partitions).likelihood;
}

}  // namespace factorgcn::relations
