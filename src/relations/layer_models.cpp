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

/// [E, L]: what is known, and for the rest the shares of relations among the known edges.
std::vector<double> first_guess(const std::vector<const std::uint8_t*>& truth, int relations) {
  std::vector<double> share(relations, 0.5);
  double count = 1;
  for (const std::uint8_t* row : truth) {
    count += row != nullptr ? 1 : 0;
    for (int relation = 0; row != nullptr && relation < relations; ++relation) {
      share[relation] += row[relation];
    }
  }
  std::vector<double> guess;
  for (const std::uint8_t* row : truth) {
    for (int relation = 0; relation < relations; ++relation) {
      guess.push_back(row != nullptr ? row[relation] : share[relation] / count);
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

}  // namespace factorgcn::relations
