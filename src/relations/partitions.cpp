// The bits that a description takes, and the rates that go with groups.
//
// In bits, a description is: each relation's groups, N times the entropy of their sizes and half a logarithm for each
// size and rate; the links given the rates. Activities take the same bits whatever the relations are.
#include "relations/partitions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/log_gamma.h"
#include "relations/column_sums.h"
#include "relations/group_rates.h"
#include "relations/told_groups.h"

namespace factorgcn::relations {
namespace {

double bits_of(const Links& links, const GroupTotals& totals, const Partitions& partitions, double likelihood) {
  double nats = -likelihood + partitions.background * totals.all_pairs();
  const double samples = std::max(links.total(), 2.0);
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    for (int group = 0; group < partitions.groups_in[relation]; ++group) {
      nats += partitions.rate[relation][group] * totals.pairs(relation, group);
      const auto size = static_cast<double>(totals.nodes[relation][group]);
      if (size > 0 && relation == partitions.told) {
        nats += 0.5 * std::log(samples);
      } else if (size > 0) {
        nats -= size * std::log(size / static_cast<double>(links.nodes));
        nats += 0.5 * std::log(samples) + 0.5 * std::log(static_cast<double>(links.nodes));
      }
    }
    if (relation == partitions.told) {
      nats += told_nats(partitions.group.data() + relation * links.nodes, *partitions.classes,
                        partitions.groups_in[relation]);
      continue;
    }
    nats -= log_gamma(partitions.groups_in[relation] + 1.0);  // groups have no order
  }
  nats -= log_gamma(partitions.relations() + 1.0);
  return nats / std::log(2.0);
}

/// [N, groups] each class's shares of the told relation's groups, as so many links that say so.
std::vector<float> pull_of_classes(const Links& links, const Partitions& partitions) {
  constexpr double kPullingLinks = 2;
  const std::vector<std::int32_t>& classes = *partitions.classes;
  const int groups = partitions.groups_in[partitions.told];
  const std::int32_t* group = partitions.group.data() + partitions.told * links.nodes;
  const int count = *std::max_element(classes.begin(), classes.end()) + 1;
  std::vector<double> cells(static_cast<std::size_t>(count) * groups, 0.5), sums(count, 0.5 * groups);
  for (std::int64_t node = 0; node < links.nodes; ++node) {
    cells[static_cast<std::size_t>(classes[node]) * groups + group[node]] += 1;
    sums[classes[node]] += 1;
  }
  std::vector<float> pull;
  pull.reserve(static_cast<std::size_t>(links.nodes) * groups);
  for (const std::int32_t of_node : classes) {
    for (int at = 0; at < groups; ++at) {
      pull.push_back(
          static_cast<float>(kPullingLinks * cells[static_cast<std::size_t>(of_node) * groups + at] / sums[of_node]));
    }
  }
  return pull;
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

}  // namespace

void fit_rates(const Links& links, Partitions& partitions, int rounds) {
  drop_empty_groups(links, GroupTotals(links, partitions), partitions);
  const GroupTotals totals(links, partitions);
  for (int round = 0; round < rounds; ++round) {
    refit_rates(links, totals, partitions);
  }
  partitions.bits = bits_of(links, totals, partitions, links_likelihood(links, partitions));
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
  if (partitions.told >= 0) {
    model.pulled = partitions.told;
    model.pull = pull_of_classes(links, partitions);
  }
  return model;
}

}  // namespace factorgcn::relations
