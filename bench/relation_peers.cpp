// Two of the peers are also evidence that the product weighs: they are its own functions, alone.
#include "relation_peers.h"

#include "factorgcn/relations/relation_graph.h"
#include "relations/layer_models.h"

namespace factorgcn::bench {
namespace {

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

struct PeerTask {
  RelationGraph graph;
  KnownEdges known;
  std::vector<char> used;
};

PeerTask task_of(const KnownGraph& graph) {
  PeerTask task;
  task.graph = {.nodes = graph.nodes, .sources = graph.sources, .targets = graph.targets};
  task.known.relations = graph.relations;
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    if (graph.known[edge] != 0) {
      const auto first = graph.truth.begin() + static_cast<std::ptrdiff_t>(edge) * graph.relations;
      task.known.edges.push_back(static_cast<std::int64_t>(edge));
      task.known.truth.insert(task.known.truth.end(), first, first + graph.relations);
    }
  }
  task.used.assign(task.known.edges.size(), 1);
  return task;
}

}  // namespace

std::vector<float> configuration_models(const KnownGraph& graph) {
  const PeerTask task = task_of(graph);
  return relations::configuration_models(task.graph, task.known, task.used);
}

std::vector<float> community_models(const KnownGraph& graph) {
  const PeerTask task = task_of(graph);
  return relations::community_models(task.graph, task.known, task.used);
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
  return {scores.begin(), scores.end()};
}

}  // namespace factorgcn::bench
