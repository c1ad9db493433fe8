// An edge that a repeat did not see says nothing there: certainty is the share of the attempts that saw it.
#include "disentangle/repeats.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/base/text.h"
#include "factorgcn/relations/agreement.h"
#include "relations/matching.h"

namespace factorgcn {
namespace {

constexpr double kKeptInRepeat = 0.9;
constexpr std::size_t kMostEdgesToRepeat = 20'000;
constexpr int kUsualRepeats = 5;

/// The graph with some of its edges; `kept` are their places.
NamedGraph with_edges(const NamedGraph& graph, const std::vector<std::size_t>& kept) {
  NamedGraph less;
  less.name = graph.name;
  less.nodes = graph.nodes;
  less.directed = graph.directed;
  less.attributes = graph.attributes;
  for (const std::size_t edge : kept) {
    less.sources.push_back(graph.sources[edge]);
    less.targets.push_back(graph.targets[edge]);
    if (!graph.weights.empty()) {
      less.weights.push_back(graph.weights[edge]);
    }
  }
  return less;
}

/// From 0, -1 where the node has no edge in the relation.
std::vector<std::int32_t> partition_of(const RelationOutcome& relation) {
  std::vector<std::int32_t> partition = relation.group;
  for (std::int32_t& group : partition) {
    --group;
  }
  return partition;
}

}  // namespace

int repeats_of(const NamedGraph& graph, const DisentangleOptions& options) {
  return options.resamples >= 0 ? options.resamples : graph.num_edges() <= kMostEdgesToRepeat ? kUsualRepeats : 0;
}

void measure_by_repeats(const DisentangleMethod& method, const NamedGraph& graph, const DisentangleOptions& options,
                        RelationsObserver& observer, DisentangleOutcome& outcome) {
  const int repeats = repeats_of(graph, options);
  if (repeats == 0 || graph.num_edges() == 0) {
    outcome.notes.push_back(
        concat("how certain edges are is not known: ", method.name,
               " does not say so itself, and it was not repeated (--bootstrap N repeats it; usual up to ",
               format_count(kMostEdgesToRepeat), " edges)"));
    return;
  }
  const auto relations = static_cast<int>(outcome.num_relations());
  const auto width = static_cast<std::size_t>(relations);
  std::vector<float> agreed(graph.num_edges(), 1.0F), seen(graph.num_edges(), 1.0F);
  std::vector<double> stability(width, 0.0);
  for (int repeat = 0; repeat < repeats; ++repeat) {
    RandomStream random(options.seed, concat("disentangle/repeat ", repeat));
    std::vector<std::size_t> kept;
    std::vector<float> shares;
    for (std::size_t edge = 0; edge < graph.num_edges(); ++edge) {
      if (random.chance(kKeptInRepeat)) {
        kept.push_back(edge);
        const auto first = outcome.shares.begin() + static_cast<std::ptrdiff_t>(edge * width);
        shares.insert(shares.end(), first, first + relations);
      }
    }
    DisentangleOptions again = options;
    again.seed = options.seed + 1 + static_cast<std::uint64_t>(repeat);
    OneOfSeveralRuns watched(observer, repeat + 1, repeats + 1);
    const DisentangleOutcome other = method.run(with_edges(graph, kept), {}, again, watched);
    const auto others = static_cast<int>(other.num_relations());
    const std::vector<int> matched = relations::match_relations(shares, relations, other.shares, others);
    std::vector<float> same(kept.size(), 0.0F);
    relations::count_agreement(shares, relations, other.shares, others, matched, same);
    for (std::size_t at = 0; at < kept.size(); ++at) {
      agreed[kept[at]] += same[at];
      seen[kept[at]] += 1;
    }
    for (std::size_t relation = 0; relation < width; ++relation) {
      if (matched[relation] >= 0) {
        const RelationOutcome& theirs = other.relations[static_cast<std::size_t>(matched[relation])];
        stability[relation] +=
            adjusted_mutual_information(partition_of(outcome.relations[relation]), partition_of(theirs)) / repeats;
      }
    }
  }
  outcome.certainty.resize(agreed.size());
  for (std::size_t edge = 0; edge < agreed.size(); ++edge) {
    outcome.certainty[edge] = agreed[edge] / seen[edge];
  }
  for (std::size_t relation = 0; relation < width; ++relation) {
    // One group or none is no partition that could agree with another.
    outcome.relations[relation].stability = outcome.relations[relation].groups > 1 ? stability[relation] : kNotKnown;
  }
  outcome.notes.push_back(concat("certainty and stability: ", method.name, " was repeated ", repeats,
                                 repeats == 1 ? " time" : " times", " on nine edges of ten"));
}

}  // namespace factorgcn
