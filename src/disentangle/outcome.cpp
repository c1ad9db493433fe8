// What follows from shares and groups.
#include "factorgcn/disentangle/outcome.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace factorgcn {

void count_shares(DisentangleOutcome& outcome) {
  const std::size_t count = outcome.num_relations();
  const std::size_t edges = count == 0 ? 0 : outcome.shares.size() / count;
  outcome.strongest.assign(edges, 0);
  std::vector<double> sums(count, 0.0);
  std::vector<std::int64_t> strongest(count, 0);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const auto first = outcome.shares.begin() + static_cast<std::ptrdiff_t>(edge * count);
    const auto best = std::max_element(first, first + static_cast<std::ptrdiff_t>(count)) - first;
    outcome.strongest[edge] = static_cast<std::int32_t>(best);
    ++strongest[static_cast<std::size_t>(best)];
    for (std::size_t relation = 0; relation < count; ++relation) {
      sums[relation] += first[static_cast<std::ptrdiff_t>(relation)];
    }
  }
  for (std::size_t relation = 0; relation < count; ++relation) {
    outcome.relations[relation].edges = sums[relation];
    outcome.relations[relation].strongest = strongest[relation];
  }
}

void order_groups(RelationOutcome& relation, const std::vector<bool>& alone) {
  std::int32_t most = -1;
  for (const auto* groups : {&relation.group, &relation.receiving_group}) {
    for (const std::int32_t group : *groups) {
      most = std::max(most, group);
    }
  }
  std::vector<std::int64_t> size(static_cast<std::size_t>(most + 1), 0);
  for (const auto* groups : {&relation.group, &relation.receiving_group}) {
    for (std::size_t node = 0; node < groups->size(); ++node) {
      if ((*groups)[node] >= 0 && !alone[node]) {
        ++size[static_cast<std::size_t>((*groups)[node])];
      }
    }
  }
  std::vector<std::size_t> order(size.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return size[left] > size[right]; });
  std::vector<std::int32_t> number(size.size(), 0);
  relation.groups = 0;
  for (const std::size_t group : order) {
    if (size[group] > 0) {
      number[group] = static_cast<std::int32_t>(++relation.groups);
    }
  }
  const auto renumber = [&](std::vector<std::int32_t>& groups, std::vector<float>& memberships) {
    for (std::size_t node = 0; node < groups.size(); ++node) {
      const std::int32_t group = groups[node];
      groups[node] = group < 0 || alone[node] ? 0 : number[static_cast<std::size_t>(group)];
      memberships[node] = groups[node] == 0 ? 0.0F : memberships[node];
    }
  };
  renumber(relation.group, relation.membership);
  renumber(relation.receiving_group, relation.receiving_membership);
}

void set_groups_of_edges(std::int64_t num_nodes, const std::vector<std::int32_t>& sources,
                         const std::vector<std::int32_t>& targets, const std::vector<std::int32_t>& relation,
                         const std::vector<std::int32_t>& community, DisentangleOutcome& outcome) {
  // One entry per end of an edge; equal ones stand together once sorted.
  std::vector<std::tuple<std::int32_t, std::int32_t, std::int32_t>> ends;  // relation, node, community
  for (std::size_t edge = 0; edge < sources.size(); ++edge) {
    if (relation[edge] >= 0 && community[edge] >= 0) {
      ends.emplace_back(relation[edge], sources[edge], community[edge]);
      ends.emplace_back(relation[edge], targets[edge], community[edge]);
    }
  }
  std::sort(ends.begin(), ends.end());
  const auto nodes = static_cast<std::size_t>(num_nodes);
  for (RelationOutcome& each : outcome.relations) {
    each.group.assign(nodes, -1);
    each.membership.assign(nodes, 0.0F);
  }
  for (std::size_t first = 0; first < ends.size();) {
    const auto [of_relation, node, unused] = ends[first];
    RelationOutcome& here = outcome.relations[static_cast<std::size_t>(of_relation)];
    std::size_t most = 0;
    std::size_t last = first;
    while (last < ends.size() && std::get<0>(ends[last]) == of_relation && std::get<1>(ends[last]) == node) {
      std::size_t next = last;
      while (next < ends.size() && ends[next] == ends[last]) {
        ++next;
      }
      if (next - last > most) {
        most = next - last;
        here.group[static_cast<std::size_t>(node)] = std::get<2>(ends[last]);
      }
      last = next;
    }
    here.membership[static_cast<std::size_t>(node)] = static_cast<float>(most) / static_cast<float>(last - first);
    first = last;
  }
  const std::vector<bool> alone(nodes, false);
  for (RelationOutcome& each : outcome.relations) {
    order_groups(each, alone);
  }
}

}  // namespace factorgcn
