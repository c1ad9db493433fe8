// factorgcn-relations-bench: how well taking one graph apart finds its relations, and how long it takes.
//
//   planted [--nodes N --relations K --groups R --inside X --outside X --unequal X --degree-exponent X] [--told]
//           [--seeds S]               planted relations, seed by seed
//   random [--nodes N --inside X --degree-exponent X] [--seeds S]      graphs without structure: is that said?
//   real FILE [--directed] [--known SHARE] [--seeds S]   lines "relation node node ...", without labels or with a
//           random share of the edges known (known_edges_bench.cpp has peers on the same choices)
//   size [--most-edges E]             time per edge from 1e5 edges on, sizes given; graphs of 40 edges a node
//
// Scores are relation AUCs (eval/relation_auc.h) of edges that were not known, chance beside them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/eval/relation_auc.h"
#include "factorgcn/relations/disentangle.h"
#include "layered_graphs.h"

namespace factorgcn::bench {
namespace {

struct Flags {
  RelationsOptions planted;
  DisentangleOptions options;
  std::string file;
  bool told = false, directed = false;
  double known = 0;
  int seeds = 10;
  double most_edges = 2e6;
};

struct Case {
  RelationGraph graph;
  std::vector<std::uint8_t> truth;
  int relations = 0;
};

Case planted_case(const RelationsOptions& options) {
  PlantedRelations planted = plant_relations(options);
  return {{.nodes = planted.nodes, .sources = std::move(planted.sources), .targets = std::move(planted.targets)},
          std::move(planted.truth),
          planted.relations};
}

Case read_case(const std::string& path, bool directed) {
  NamedGraph layers = read_layers(path, directed);
  return {{.nodes = static_cast<std::int64_t>(layers.nodes.size()),
           .sources = std::move(layers.sources),
           .targets = std::move(layers.targets),
           .directed = directed},
          std::move(layers.truth),
          static_cast<int>(layers.truth_names.size())};
}

/// What the planted groups say of edges: the relations' probabilities of joining the ends, as shares.
std::vector<float> planted_shares(const PlantedRelations& planted, const RelationsOptions& options) {
  std::vector<float> shares;
  for (std::size_t edge = 0; edge < planted.sources.size(); ++edge) {
    const std::size_t first = shares.size();
    double sum = 0;
    for (int relation = 0; relation < planted.relations; ++relation) {
      const std::int32_t* group = planted.groups.data() + relation * planted.nodes;
      const bool same = group[planted.sources[edge]] == group[planted.targets[edge]];
      shares.push_back(static_cast<float>(same ? options.inside : options.outside));
      sum += shares.back();
    }
    for (std::size_t at = first; at < shares.size(); ++at) {
      shares[at] /= static_cast<float>(sum);
    }
  }
  return shares;
}

/// Of the edges that are not known.
RelationAuc score_unknown(const std::vector<float>& shares, int columns, const Case& data, const KnownEdges& known) {
  std::vector<char> skip(static_cast<std::size_t>(data.graph.edges()), 0);
  for (const std::int64_t edge : known.edges) {
    skip[edge] = 1;
  }
  std::vector<float> left;
  std::vector<std::uint8_t> truth;
  for (std::int64_t edge = 0; edge < data.graph.edges(); ++edge) {
    if (skip[edge] == 0) {
      left.insert(left.end(), shares.begin() + edge * columns, shares.begin() + (edge + 1) * columns);
      truth.insert(truth.end(), data.truth.begin() + edge * data.relations,
                   data.truth.begin() + (edge + 1) * data.relations);
    }
  }
  RelationAucOptions options;
  options.pairing = known.empty() ? RelationPairing::kBest : RelationPairing::kSame;
  options.shuffles = data.graph.edges() > 1'000'000 ? 0 : 10;
  return relation_auc(left, columns, truth, data.relations, options);
}

const char* verdict_text(RelationsVerdict verdict) {
  switch (verdict) {
    case RelationsVerdict::kSeveral:
      return "several";
    case RelationsVerdict::kOne:
      return "one";
    case RelationsVerdict::kNone:
      return "none";
    default:
      return "unstable";
  }
}

double seconds_used() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int planted_table(const Flags& flags) {
  double sum = 0, least = 1, sum_of_truth = 0;
  int right = 0;
  std::printf("seed  edges   AUC    chance  truth itself  verdict   relations of groups\n");
  for (int seed = 0; seed < flags.seeds; ++seed) {
    RelationsOptions planted = flags.planted;
    planted.seed = static_cast<std::uint64_t>(seed);
    const Case data = planted_case(planted);
    const std::vector<float> told = planted_shares(plant_relations(planted), planted);
    const double truth = score_unknown(told, planted.relations, data, {}).mean;
    DisentangleOptions options = flags.options;
    options.seed = planted.seed;
    options.relations = flags.told ? planted.relations : 0;
    options.groups = flags.told ? planted.groups : 0;
    const double before = seconds_used();
    const Disentangled found = disentangle(data.graph, options);
    const RelationAuc auc = score_unknown(found.shares, found.num_relations(), data, {});
    bool same = found.num_relations() == planted.relations;
    std::string groups;
    for (const FoundRelation& relation : found.relations) {
      groups += " " + std::to_string(relation.groups);
      same = same && relation.groups == planted.groups;
    }
    std::printf("%4d  %6lld  %.4f  %.3f   %.4f        %-8s %s  (%.1f s of processor time)\n", seed,
                static_cast<long long>(data.graph.edges()), auc.mean, auc.chance, truth,
                verdict_text(found.evidence.verdict), groups.c_str(), seconds_used() - before);
    std::fflush(stdout);
    sum += auc.mean;
    sum_of_truth += truth;
    least = std::min(least, auc.mean);
    right += same ? 1 : 0;
  }
  std::printf("mean %.4f, least %.4f, truth itself %.4f; sizes as planted in %d of %d\n", sum / flags.seeds, least,
              sum_of_truth / flags.seeds, right, flags.seeds);
  return 0;
}

int random_table(const Flags& flags) {
  int none = 0;
  for (int seed = 0; seed < flags.seeds; ++seed) {
    RelationsOptions planted = flags.planted;
    planted.relations = planted.groups = 1;
    planted.seed = static_cast<std::uint64_t>(seed);
    DisentangleOptions options = flags.options;
    options.seed = planted.seed;
    const RelationGraph graph = planted_case(planted).graph;
    const RelationsEvidence evidence = disentangle(graph, options).evidence;
    none += evidence.verdict == RelationsVerdict::kNone ? 1 : 0;
    std::printf("%4d  %6lld edges  %-8s  bits saved per edge %7.4f, by chance up to %7.4f (%d rewired graphs)\n", seed,
                static_cast<long long>(graph.edges()), verdict_text(evidence.verdict), evidence.saved,
                evidence.chance_bound, evidence.random_graphs);
  }
  std::printf("no structure found in %d of %d random graphs\n", none, flags.seeds);
  return 0;
}

KnownEdges choose_known(const Case& data, double share, std::uint64_t seed) {
  KnownEdges known{.relations = data.relations, .edges = {}, .truth = {}};
  known.edges = choose_edges(static_cast<std::size_t>(data.graph.edges()), share, seed);
  known.truth = truth_at(data.truth, data.relations, known.edges);
  return known;
}

int real_table(const Flags& flags) {
  const Case data = read_case(flags.file, flags.directed);
  std::printf("%lld nodes, %lld edges, %d relations\n", static_cast<long long>(data.graph.nodes),
              static_cast<long long>(data.graph.edges()), data.relations);
  double ours = 0, chance = 0;
  for (int seed = 0; seed < flags.seeds; ++seed) {
    const auto number = static_cast<std::uint64_t>(seed);
    const KnownEdges known = flags.known > 0 ? choose_known(data, flags.known, number) : KnownEdges{};
    DisentangleOptions options = flags.options;
    options.seed = number;
    options.relations = data.relations;
    RelationsObserver nobody;
    const Disentangled found = disentangle(data.graph, options, known, {}, nobody);
    const RelationAuc auc = score_unknown(found.shares, found.num_relations(), data, known);
    ours += auc.mean / flags.seeds;
    chance += auc.chance / flags.seeds;
  }
  std::printf("disentangle %.4f, chance %.4f (means of %d)\n", ours, chance, flags.seeds);
  return 0;
}

int size_table(const Flags& flags) {
  std::printf("edges       seconds  processor seconds  microseconds an edge (of processor time)  AUC\n");
  for (double edges = 1e5; edges <= flags.most_edges * 1.01; edges *= std::sqrt(10.0)) {
    RelationsOptions planted;
    planted.nodes = std::lround(edges / 20);
    planted.groups = 8;
    const double each = 40.0 / 3 / static_cast<double>(planted.nodes);  // links a node has in a relation, by pairs
    planted.inside = 0.88 * each * planted.groups;
    planted.outside = 0.12 * each * planted.groups / (planted.groups - 1);
    const Case data = planted_case(planted);
    const auto start = std::chrono::steady_clock::now();
    const double before = seconds_used();
    const Disentangled found = disentangle(data.graph, {.relations = 3, .groups = 8});
    const double used = seconds_used() - before;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%-10lld  %7.1f  %17.1f  %40.1f  %.4f\n", static_cast<long long>(data.graph.edges()), took.count(),
                used, 1e6 * used / static_cast<double>(data.graph.edges()),
                score_unknown(found.shares, found.num_relations(), data, {}).mean);
    std::fflush(stdout);
  }
  return 0;
}

Flags read_flags(int count, char** words) {
  Flags flags;
  for (int at = 2; at < count; ++at) {
    const std::string word = words[at];
    const auto number = [&] {
      require_usage(at + 1 < count, word, " needs a number");
      return std::stod(words[++at]);
    };
    if (word == "--nodes") {
      flags.planted.nodes = std::lround(number());
    } else if (word == "--relations") {
      flags.planted.relations = static_cast<int>(number());
    } else if (word == "--groups") {
      flags.planted.groups = static_cast<int>(number());
    } else if (word == "--inside") {
      flags.planted.inside = number();
    } else if (word == "--outside") {
      flags.planted.outside = number();
    } else if (word == "--unequal") {
      flags.planted.unequal = number();
    } else if (word == "--degree-exponent") {
      flags.planted.degree_exponent = number();
    } else if (word == "--seeds") {
      flags.seeds = static_cast<int>(number());
    } else if (word == "--known") {
      flags.known = number();
    } else if (word == "--threads") {
      set_num_threads(static_cast<int>(number()));
    } else if (word == "--most-edges") {
      flags.most_edges = number();
    } else if (word == "--told") {
      flags.told = true;
    } else if (word == "--directed") {
      flags.directed = true;
    } else {
      require_usage(word[0] != '-' && flags.file.empty(), "'", word, "' is not known here");
      flags.file = word;
    }
  }
  return flags;
}

int run(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "";
  const Flags flags = read_flags(count, words);
  if (what == "planted") {
    return planted_table(flags);
  }
  if (what == "random") {
    return random_table(flags);
  }
  if (what == "real") {
    return real_table(flags);
  }
  require_usage(what == "size", "factorgcn-relations-bench planted | random | real FILE | size; see the head of ",
                "bench/relations_bench.cpp");
  return size_table(flags);
}

}  // namespace
}  // namespace factorgcn::bench

int main(int count, char** words) {
  try {
    return factorgcn::bench::run(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "factorgcn-relations-bench: %s\n", error.what());
    return 2;
  }
}
