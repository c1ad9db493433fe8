// Plain sums in double; a few known edges among many unknown ones make probabilities, so every edge is looked at.
#include "relations/layer_models.h"

#include <algorithm>
#include <cstddef>

#include "relations/modularity.h"

namespace factorgcn::relations {
namespace {

/// What is known of each edge: its row of truth, or nothing.
std::vector<const std::uint8_t*> truth_of_edges(const RelationGraph& graph, const KnownEdges& known,
                                                const std::vector<char>& used) {
  std::vector<const std::uint8_t*> truth(static_cast<std::size_t>(graph.edges()), nullptr);
  for (std::size_t at = 0; at < known.edges.size(); ++at) {
    if (used[at] != 0) {
      truth[known.edges[at]] = known.truth.data() + at * known.relations;
    }
  }
  return truth;
}

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

/// Shares of relations among the known edges.
std::vector<double> known_shares(const std::vector<const std::uint8_t*>& truth, int relations) {
  std::vector<double> share(relations, 0.5);
  double count = 1;
  for (const std::uint8_t* row : truth) {
    count += row != nullptr ? 1 : 0;
    for (int relation = 0; row != nullptr && relation < relations; ++relation) {
      share[relation] += row[relation];
    }
  }
  for (double& value : share) {
    value /= count;
  }
  return share;
}

/// [E, L]: what is known, and for the rest the shares of relations among the known edges.
std::vector<double> first_guess(const std::vector<const std::uint8_t*>& truth, int relations) {
  const std::vector<double> share = known_shares(truth, relations);
  std::vector<double> guess;
  for (const std::uint8_t* row : truth) {
    for (int relation = 0; relation < relations; ++relation) {
      guess.push_back(row != nullptr ? row[relation] : share[relation]);
    }
  }
  return guess;
}

/// Degrees of each node in each relation, and twice the edges of each relation.
struct LayerDegrees {
  std::vector<double> node, sum;
  int relations;

  LayerDegrees(const RelationGraph& graph, const std::vector<double>& guess, int relations_)
      : node(static_cast<std::size_t>(graph.nodes) * relations_, 0.0), sum(relations_, 1e-9), relations(relations_) {
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      for (int relation = 0; relation < relations; ++relation) {
        const double value = guess[edge * relations + relation];
        node[static_cast<std::size_t>(graph.sources[edge]) * relations + relation] += value;
        node[static_cast<std::size_t>(graph.targets[edge]) * relations + relation] += value;
        sum[relation] += 2 * value;
      }
    }
  }

  double rate(const RelationGraph& graph, std::int64_t edge, int relation) const {
    return node[static_cast<std::size_t>(graph.sources[edge]) * relations + relation] *
           node[static_cast<std::size_t>(graph.targets[edge]) * relations + relation] / sum[relation];
  }
};

}  // namespace

std::vector<float> configuration_models(const RelationGraph& graph, const KnownEdges& known,
                                        const std::vector<char>& used) {
  const int relations = known.relations;
  const auto truth = truth_of_edges(graph, known, used);
  std::vector<double> guess = first_guess(truth, relations);
  constexpr int kLayerRounds = 200;
  for (int round = 0; round < kLayerRounds; ++round) {
    const LayerDegrees degrees(graph, guess, relations);
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      if (truth[edge] != nullptr) {
        continue;
      }
      double* rates = guess.data() + edge * relations;
      for (int relation = 0; relation < relations; ++relation) {
        rates[relation] = degrees.rate(graph, edge, relation);
      }
      given_any(rates, relations);
    }
  }
  return {guess.begin(), guess.end()};
}

std::vector<float> community_models(const RelationGraph& graph, const KnownEdges& known,
                                    const std::vector<char>& used) {
  const int relations = known.relations;
  const auto truth = truth_of_edges(graph, known, used);
  std::vector<double> guess = first_guess(truth, relations);
  const LayerDegrees degrees(graph, guess, relations);
  std::vector<double> rates(guess.size()), weights(static_cast<std::size_t>(graph.edges()));
  for (int relation = 0; relation < relations; ++relation) {
    for (std::size_t edge = 0; edge < weights.size(); ++edge) {
      weights[edge] = guess[edge * relations + relation];
    }
    const std::vector<std::int32_t> community =
        modularity_communities(graph.nodes, graph.sources, graph.targets, weights);
    const auto inside = [&](std::int64_t edge) {
      return community[graph.sources[edge]] == community[graph.targets[edge]];
    };
    // How much more often edges of this relation stay inside than edges of the graph do.
    double own = 1, own_inside = 0.5, all = 1, all_inside = 0.5;
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      all += 1;
      all_inside += inside(edge) ? 1 : 0;
      if (truth[edge] != nullptr && truth[edge][relation] != 0) {
        own += 1;
        own_inside += inside(edge) ? 1 : 0;
      }
    }
    const double for_inside = (own_inside / own) / (all_inside / all);
    const double for_outside = (1 - own_inside / own) / (1 - all_inside / all);
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      rates[edge * relations + relation] =
          degrees.rate(graph, edge, relation) * (inside(edge) ? for_inside : for_outside);
    }
  }
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (truth[edge] == nullptr) {
      given_any(rates.data() + edge * relations, relations);
      std::copy_n(rates.data() + edge * relations, relations, guess.data() + edge * relations);
    }
  }
  return {guess.begin(), guess.end()};
}

std::vector<float> crowding_model(const RelationGraph& graph, const KnownEdges& known, const std::vector<char>& used) {
  const int relations = known.relations;
  const auto truth = truth_of_edges(graph, known, used);
  const std::vector<double> share = known_shares(truth, relations);
  const auto edges = static_cast<std::size_t>(graph.edges());
  const std::vector<std::int32_t> community =
      modularity_communities(graph.nodes, graph.sources, graph.targets, std::vector<double>(edges, 1.0));
  const LayerDegrees degrees(graph, std::vector<double>(edges, 1.0), 1);
  std::vector<double> degree_of(static_cast<std::size_t>(graph.nodes), 0.0);  // of a community
  for (std::int64_t node = 0; node < graph.nodes; ++node) {
    degree_of[community[node]] += degrees.node[node];
  }
  double by_chance = 0, inside = 0;  // edges inside communities
  for (const double degree : degree_of) {
    by_chance += degree * degree / (2 * degrees.sum[0]);
  }
  const auto is_inside = [&](std::size_t edge) {
    return community[graph.sources[edge]] == community[graph.targets[edge]];
  };
  for (std::size_t edge = 0; edge < edges; ++edge) {
    inside += is_inside(edge) ? 1 : 0;
  }
  const auto all = static_cast<double>(edges);
  const double for_inside = inside / std::max(by_chance, 1e-9);
  const double for_outside = (all - inside) / std::max(degrees.sum[0] / 2 - by_chance, 1.0);
  std::vector<double> guess = first_guess(truth, relations);
  for (std::size_t edge = 0; edge < edges; ++edge) {
    if (truth[edge] != nullptr) {
      continue;
    }
    const double rate =
        degrees.rate(graph, static_cast<std::int64_t>(edge), 0) * (is_inside(edge) ? for_inside : for_outside);
    double* rates = guess.data() + edge * relations;
    for (int relation = 0; relation < relations; ++relation) {
      rates[relation] = rate * std::clamp(share[relation], 0.02, 0.98);
    }
    given_any(rates, relations);
  }
  return {guess.begin(), guess.end()};
}

}  // namespace factorgcn::relations
