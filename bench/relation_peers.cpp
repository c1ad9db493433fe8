// Plain loops in double: these graphs are small.
#include "relation_peers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace factorgcn::bench {
namespace {

/// Probabilities of the relations given that at least one of them has the edge.
void given_any(double* rates, int relations) {
  double none = 1;
  for (int relation = 0; relation < relations; ++relation) {
    rates[relation] = std::clamp(rates[relation], 1e-9, 1 - 1e-9);
    none *= 1 - rates[relation];
  }
  for (int relation = 0; relation < relations; ++relation) {
    rates[relation] /= 1 - none;
  }
}

/// [E, relations]: what is known, and for the rest the shares of relations among the known edges.
std::vector<double> first_guess(const KnownGraph& graph) {
  const auto relations = static_cast<std::size_t>(graph.relations);
  std::vector<double> share(relations, 0.5);
  double count = 1;
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    if (graph.known[edge] != 0) {
      count += 1;
      for (std::size_t relation = 0; relation < relations; ++relation) {
        share[relation] += graph.truth[edge * relations + relation];
      }
    }
  }
  std::vector<double> guess(graph.truth.size());
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    for (std::size_t relation = 0; relation < relations; ++relation) {
      const std::size_t place = edge * relations + relation;
      guess[place] = graph.known[edge] != 0 ? graph.truth[place] : share[relation] / count;
    }
  }
  return guess;
}

/// Degrees of each node in each relation, and twice the edges of each relation.
struct Degrees {
  std::vector<double> node, sum;
};

Degrees degrees_of(const KnownGraph& graph, const std::vector<double>& guess) {
  const auto relations = static_cast<std::size_t>(graph.relations);
  Degrees degrees{std::vector<double>(static_cast<std::size_t>(graph.nodes) * relations, 0.0),
                  std::vector<double>(relations, 1e-9)};
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    for (std::size_t relation = 0; relation < relations; ++relation) {
      const double value = guess[edge * relations + relation];
      degrees.node[static_cast<std::size_t>(graph.sources[edge]) * relations + relation] += value;
      degrees.node[static_cast<std::size_t>(graph.targets[edge]) * relations + relation] += value;
      degrees.sum[relation] += 2 * value;
    }
  }
  return degrees;
}

std::vector<float> as_floats(const std::vector<double>& values) { return {values.begin(), values.end()}; }

/// Modularity's communities of a weighted graph: nodes move to the neighbouring community that gains most, then
/// communities become nodes, until nothing moves.
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

std::vector<float> configuration_models(const KnownGraph& graph) {
  const auto relations = static_cast<std::size_t>(graph.relations);
  std::vector<double> guess = first_guess(graph);
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    const Degrees degrees = degrees_of(graph, guess);
    for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
      if (graph.known[edge] != 0) {
        continue;
      }
      const auto source = static_cast<std::size_t>(graph.sources[edge]) * relations;
      const auto target = static_cast<std::size_t>(graph.targets[edge]) * relations;
      for (std::size_t relation = 0; relation < relations; ++relation) {
        guess[edge * relations + relation] =
            degrees.node[source + relation] * degrees.node[target + relation] / degrees.sum[relation];
      }
      given_any(&guess[edge * relations], graph.relations);
    }
  }
  return as_floats(guess);
}

std::vector<float> multiplied_shares(const KnownGraph& graph) {
  const auto relations = static_cast<std::size_t>(graph.relations);
  const std::vector<double> guess = first_guess(graph);
  std::vector<double> shares(static_cast<std::size_t>(graph.nodes) * relations, 0.0);
  std::vector<double> counts(static_cast<std::size_t>(graph.nodes), 1.0);
  std::vector<double> all(relations, 0.5);
  double known = 1;
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    if (graph.known[edge] == 0) {
      continue;
    }
    known += 1;
    for (const std::int32_t end : {graph.sources[edge], graph.targets[edge]}) {
      counts[static_cast<std::size_t>(end)] += 1;
      for (std::size_t relation = 0; relation < relations; ++relation) {
        shares[static_cast<std::size_t>(end) * relations + relation] += graph.truth[edge * relations + relation];
      }
    }
    for (std::size_t relation = 0; relation < relations; ++relation) {
      all[relation] += graph.truth[edge * relations + relation];
    }
  }
  const auto share_of = [&](std::int32_t node, std::size_t relation) {
    return (shares[static_cast<std::size_t>(node) * relations + relation] + all[relation] / known) /
           counts[static_cast<std::size_t>(node)];
  };
  std::vector<double> scores = guess;
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    for (std::size_t relation = 0; graph.known[edge] == 0 && relation < relations; ++relation) {
      scores[edge * relations + relation] =
          share_of(graph.sources[edge], relation) * share_of(graph.targets[edge], relation);
    }
  }
  return as_floats(scores);
}

std::vector<float> community_models(const KnownGraph& graph) {
  const auto relations = static_cast<std::size_t>(graph.relations);
  std::vector<double> guess = first_guess(graph);
  const Degrees degrees = degrees_of(graph, guess);
  std::vector<double> rates(guess.size());
  for (std::size_t relation = 0; relation < relations; ++relation) {
    std::vector<double> weights(graph.known.size());
    for (std::size_t edge = 0; edge < weights.size(); ++edge) {
      weights[edge] = guess[edge * relations + relation];
    }
    const auto community = ModularityCommunities(graph.nodes, graph.sources, graph.targets, weights).run();
    const auto inside = [&](std::size_t edge) {
      return community[static_cast<std::size_t>(graph.sources[edge])] ==
             community[static_cast<std::size_t>(graph.targets[edge])];
    };
    // How much more often edges of this relation stay inside than edges of the graph do.
    double own = 1;
    double own_inside = 0.5;
    double all = 1;
    double all_inside = 0.5;
    for (std::size_t edge = 0; edge < weights.size(); ++edge) {
      all += 1;
      all_inside += inside(edge) ? 1 : 0;
      if (graph.known[edge] != 0 && graph.truth[edge * relations + relation] != 0) {
        own += 1;
        own_inside += inside(edge) ? 1 : 0;
      }
    }
    const double for_inside = (own_inside / own) / (all_inside / all);
    const double for_outside = (1 - own_inside / own) / (1 - all_inside / all);
    for (std::size_t edge = 0; edge < weights.size(); ++edge) {
      const auto source = static_cast<std::size_t>(graph.sources[edge]) * relations + relation;
      const auto target = static_cast<std::size_t>(graph.targets[edge]) * relations + relation;
      rates[edge * relations + relation] = degrees.node[source] * degrees.node[target] / degrees.sum[relation] *
                                           (inside(edge) ? for_inside : for_outside);
    }
  }
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    if (graph.known[edge] == 0) {
      given_any(&rates[edge * relations], graph.relations);
      std::copy_n(&rates[edge * relations], relations, &guess[edge * relations]);
    }
  }
  return as_floats(guess);
}

}  // namespace factorgcn::bench
