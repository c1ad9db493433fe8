// factorgcn-known-edges FILE: how well the relations of a multilayer network are found from those of a few edges.
//
//   factorgcn-known-edges CS-Aarhus_multiplex.edges
//
//   factorgcn-known-edges planted | planted-hubs
//
// FILE has lines of "layer source target"; the words make a graph of 200 nodes with 3 relations of 5 groups, the second
// with unequal groups and a power law of degrees. Layers are joined to one graph; a share of its edges is known, chosen
// at random, and every method scores the others: relation AUC on edges that are not known, column l for layer l, mean
// over the choices. All methods see the same choices (layered_graphs.h).
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/eval/relation_auc.h"
#include "factorgcn/relations/disentangle.h"
#include "layered_graphs.h"
#include "relation_peers.h"

namespace factorgcn::bench {
namespace {

struct KnownEdgesFlags {
  std::string file;
  bool directed = false;
  int choices = 20;
};

NamedGraph open_layers(const KnownEdgesFlags& flags) {
  const bool hubs = flags.file == "planted-hubs";
  return hubs || flags.file == "planted"
             ? planted_layers({.nodes = 200, .unequal = hubs ? 1.0 : 0.0, .degree_exponent = hubs ? 2.5 : 0.0})
             : read_layers(flags.file, flags.directed);
}

KnownGraph choose(const NamedGraph& graph, double share, std::uint64_t choice) {
  KnownGraph known{static_cast<std::int64_t>(graph.nodes.size()),
                   graph.sources,
                   graph.targets,
                   static_cast<int>(graph.truth_names.size()),
                   std::vector<std::uint8_t>(graph.num_edges(), 0),
                   graph.truth};
  for (const std::int64_t edge : choose_edges(graph.num_edges(), share, choice)) {
    known.known[static_cast<std::size_t>(edge)] = 1;
  }
  return known;
}

std::vector<float> by_groups(const KnownGraph& graph, bool directed) {
  const RelationGraph edges{graph.nodes, graph.sources, graph.targets, {}, directed};
  KnownEdges known;
  known.relations = graph.relations;
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    if (graph.known[edge] != 0) {
      known.edges.push_back(static_cast<std::int64_t>(edge));
    }
  }
  known.truth = truth_at(graph.truth, known.relations, known.edges);
  DisentangleOptions options;
  options.relations = graph.relations;
  options.resamples = 0;  // certainty and the verdict are not asked for
  options.random_graphs = 0;
  RelationsObserver silent;
  const Disentangled found = disentangle(edges, options, known, {}, silent);
  std::vector<float> scores;
  const auto columns = static_cast<std::size_t>(found.num_relations());
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    for (std::size_t relation = 0; relation < static_cast<std::size_t>(graph.relations); ++relation) {
      scores.push_back(found.shares[edge * columns + relation]);
    }
  }
  return scores;
}

double score(const KnownGraph& graph, const std::vector<float>& scores) {
  std::vector<float> shares;
  std::vector<std::uint8_t> truth;
  const auto relations = static_cast<std::size_t>(graph.relations);
  for (std::size_t edge = 0; edge < graph.known.size(); ++edge) {
    for (std::size_t relation = 0; graph.known[edge] == 0 && relation < relations; ++relation) {
      shares.push_back(scores[edge * relations + relation]);
      truth.push_back(graph.truth[edge * relations + relation]);
    }
  }
  RelationAucOptions options;
  options.pairing = RelationPairing::kSame;
  options.shuffles = 0;
  return relation_auc(shares, graph.relations, truth, graph.relations, options).mean;
}

void run(const KnownEdgesFlags& flags) {
  const NamedGraph graph = open_layers(flags);
  std::printf("%s: %zu nodes, %zu edges, %zu relations; %d choices; chance 0.500\n", flags.file.c_str(),
              graph.nodes.size(), graph.num_edges(), graph.truth_names.size(), flags.choices);
  const std::vector<std::pair<std::string, std::function<std::vector<float>(const KnownGraph&)>>> methods{
      {"factorgcn disentangle", [&](const KnownGraph& known) { return by_groups(known, flags.directed); }},
      {"configuration models", configuration_models},
      {"shares multiplied", multiplied_shares},
      {"community models", community_models},
  };
  std::printf("%-24s %14s %14s %14s\n", "known edges", "5 %", "10 %", "20 %");
  for (const auto& [name, method] : methods) {
    std::printf("%-24s", name.c_str());
    for (const double share : {0.05, 0.1, 0.2}) {
      double sum = 0;
      double squares = 0;
      for (int choice = 0; choice < flags.choices; ++choice) {
        const KnownGraph known = choose(graph, share, static_cast<std::uint64_t>(choice));
        const double value = score(known, method(known));
        sum += value;
        squares += value * value;
      }
      const double mean = sum / flags.choices;
      std::printf("  %.3f ± %.3f", mean, std::sqrt(std::max(0.0, squares / flags.choices - mean * mean)));
      std::fflush(stdout);
    }
    std::printf("\n");
  }
}

}  // namespace
}  // namespace factorgcn::bench

int main(int argc, char** argv) {
  factorgcn::bench::KnownEdgesFlags flags;
  for (int index = 1; index < argc; ++index) {
    const std::string word = argv[index];
    if (word == "--directed") {
      flags.directed = true;
    } else if (word == "--choices" && index + 1 < argc) {
      flags.choices = std::max(1, std::atoi(argv[++index]));
    } else {
      flags.file = word;
    }
  }
  if (flags.file.empty() || flags.file.starts_with("--")) {
    std::fprintf(stderr, "usage: factorgcn-known-edges FILE|planted|planted-hubs [--directed] [--choices N]\n");
    return 2;
  }
  try {
    factorgcn::prepare_process();
    factorgcn::bench::run(flags);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "factorgcn-known-edges: %s\n", error.what());
    return 1;
  }
  return 0;
}
