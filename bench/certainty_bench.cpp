// factorgcn-certainty: is an edge of certainty 0.9 right nine times in ten?
//
//   factorgcn-certainty [--method NAME] [--known SHARE] [--seeds S]       planted graphs of six kinds
//   factorgcn-certainty --file CS-Aarhus_multiplex.edges [--directed] [--known SHARE] [--method NAME] [--seeds S]
//
// An edge is right where one of its true relations is the one that its strongest relation stands for: the pairing of
// relations with the best sum of AUCs, or with known edges the one that they name. Known edges are left out, and so are
// graphs in which fewer than two relations were found: there every edge is of the same one. Sizes are told.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/runtime.h"
#include "factorgcn/disentangle/methods.h"
#include "layered_graphs.h"

namespace factorgcn::bench {
namespace {

struct CertaintyFlags {
  std::string method = "groups", file;
  bool directed = false, untold = false;
  double known = 0;
  int seeds = 5, resamples = -1;
};

/// Edges by how certain they are said to be, and how many of them are right.
class Reliability {
 public:
  void add(double certainty, bool right) {
    const auto bin = static_cast<std::size_t>(
        std::upper_bound(kBounds.begin() + 1, kBounds.end() - 1, certainty + 1e-6) - kBounds.begin() - 1);
    edges_[bin] += 1;
    certainty_[bin] += certainty;
    right_[bin] += right ? 1 : 0;
  }

  void add_all(const Reliability& others) {
    for (std::size_t bin = 0; bin < edges_.size(); ++bin) {
      edges_[bin] += others.edges_[bin];
      certainty_[bin] += others.certainty_[bin];
      right_[bin] += others.right_[bin];
    }
  }

  void print() const {
    std::printf("  certainty    edges  mean certainty  right\n");
    double all = 0, off = 0;
    for (std::size_t bin = 0; bin < edges_.size(); ++bin) {
      if (edges_[bin] > 0) {
        std::printf("  %.2f - %.2f %7.0f  %14.3f  %.3f\n", kBounds[bin], kBounds[bin + 1], edges_[bin],
                    certainty_[bin] / edges_[bin], right_[bin] / edges_[bin]);
        all += edges_[bin];
        off += std::abs(certainty_[bin] - right_[bin]);
      }
    }
    std::printf("  all         %7.0f  %14.3f  %.3f  mean distance %.3f\n", all, sum(certainty_) / all,
                sum(right_) / all, off / all);
  }

 private:
  static constexpr std::array<double, 10> kBounds{0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1};
  using Bins = std::array<double, kBounds.size() - 1>;
  static double sum(const Bins& bins) { return std::accumulate(bins.begin(), bins.end(), 0.0); }
  Bins edges_{}, certainty_{}, right_{};
};

struct Kind {
  const char* words;
  RelationsOptions planted;
};

std::vector<Kind> kinds() {
  return {
      {"200 nodes, 3 relations of 5 groups", {.nodes = 200}},
      {"the same, half as many edges inside", {.nodes = 200, .inside = 0.12}},
      {"the same, four times as many edges outside", {.nodes = 200, .outside = 0.02}},
      {"unequal groups", {.nodes = 200, .unequal = 1}},
      {"power law of degrees", {.nodes = 200, .degree_exponent = 2.5}},
      {"400 nodes, 4 relations of 6 groups", {.nodes = 400, .relations = 4, .groups = 6}},
  };
}

KnownRelations choose_known_relations(const NamedGraph& graph, double share, std::uint64_t seed) {
  KnownRelations known;
  if (share <= 0) {
    return known;
  }
  known.names = graph.truth_names;
  known.edges = choose_edges(graph.num_edges(), share, seed);
  known.relations = truth_at(graph.truth, static_cast<int>(known.names.size()), known.edges);
  return known;
}

const char* verdict_of(const DisentangleOutcome& found) {
  if (!found.evidence) {
    return "no verdict";
  }
  switch (found.evidence->verdict) {
    case RelationsVerdict::kSeveral:
      return "several";
    case RelationsVerdict::kOne:
      return "one";
    case RelationsVerdict::kNone:
      return "none";
    case RelationsVerdict::kUnstable:
      break;
  }
  return "unstable";
}

/// By verdict.
using Reliabilities = std::map<std::string, Reliability>;

void measure(const NamedGraph& graph, int groups, std::uint64_t seed, const CertaintyFlags& flags,
             Reliabilities& reliabilities) {
  const KnownRelations known = choose_known_relations(graph, flags.known, seed);
  DisentangleOptions options;
  options.seed = seed;
  options.relations = flags.untold ? 0 : static_cast<int>(graph.truth_names.size());
  options.groups = flags.untold ? 0 : groups;
  options.resamples = flags.resamples;
  RelationsObserver nobody;
  const DisentangleOutcome found = take_apart(disentangle_method(flags.method), graph, known, options, nobody);
  if (found.num_relations() < 2 || found.certainty.empty()) {
    return;
  }
  Reliability& reliability = reliabilities[verdict_of(found)];
  const std::size_t types = graph.truth_names.size();
  std::size_t next = 0;
  for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
    if (next < known.edges.size() && known.edges[next] == static_cast<std::int64_t>(edge)) {
      ++next;
      continue;
    }
    bool right = false;
    for (std::size_t type = 0; type < types; ++type) {
      right = right || (graph.truth[edge * types + type] != 0 && found.truth->columns[type] == found.strongest[edge]);
    }
    reliability.add(found.certainty[edge], right);
  }
}

void print_all(const std::string& words, const Reliabilities& reliabilities) {
  for (const auto& [verdict, reliability] : reliabilities) {
    std::printf("%s; verdict: %s\n", words.c_str(), verdict.c_str());
    reliability.print();
  }
  std::fflush(stdout);
}

void run_certainty(const CertaintyFlags& flags) {
  if (!flags.file.empty()) {
    const NamedGraph graph = read_layers(flags.file, flags.directed);
    Reliabilities reliabilities;
    for (int seed = 0; seed < flags.seeds; ++seed) {
      measure(graph, 0, static_cast<std::uint64_t>(seed), flags, reliabilities);
    }
    print_all(concat(flags.file, ", method ", flags.method, ", known ", flags.known), reliabilities);
    return;
  }
  Reliabilities together;
  for (const Kind& kind : kinds()) {
    Reliabilities alone;
    for (int seed = 0; seed < flags.seeds; ++seed) {
      RelationsOptions planted = kind.planted;
      planted.seed = static_cast<std::uint64_t>(seed);
      const NamedGraph graph = planted_layers(planted);
      measure(graph, planted.groups, planted.seed, flags, alone);
    }
    print_all(kind.words, alone);
    for (const auto& [verdict, reliability] : alone) {
      together[verdict].add_all(reliability);
    }
  }
  print_all(concat("all of them, method ", flags.method, ", known ", flags.known), together);
}

}  // namespace
}  // namespace factorgcn::bench

int main(int argc, char** argv) {
  factorgcn::bench::CertaintyFlags flags;
  for (int index = 1; index < argc; ++index) {
    const std::string word = argv[index];
    const auto next = [&]() -> std::string { return index + 1 < argc ? argv[++index] : ""; };
    if (word == "--method") {
      flags.method = next();
    } else if (word == "--file") {
      flags.file = next();
    } else if (word == "--directed") {
      flags.directed = true;
    } else if (word == "--untold") {
      flags.untold = true;
    } else if (word == "--known") {
      flags.known = std::atof(next().c_str());
    } else if (word == "--seeds") {
      flags.seeds = std::max(1, std::atoi(next().c_str()));
    } else if (word == "--bootstrap") {
      flags.resamples = std::atoi(next().c_str());
    } else {
      std::fprintf(stderr,
                   "usage: factorgcn-certainty [--file FILE [--directed]] [--method NAME] [--known SHARE] [--seeds S] "
                   "[--bootstrap N] [--untold]\n");
      return 2;
    }
  }
  try {
    factorgcn::prepare_process();
    factorgcn::bench::run_certainty(flags);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "factorgcn-certainty: %s\n", error.what());
    return 1;
  }
  return 0;
}
