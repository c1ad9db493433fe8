// An edge that a repeat did not see says nothing there: what counts is the share of the attempts that saw it.
//
// Repeats that agree are not right for that: a method that puts nearly all edges into one relation always agrees with
// itself. So certainty is drawn towards 1 / relations as far as repeats agree no more than labels dealt out in the same
// numbers would (Cohen's kappa).
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
constexpr std::size_t kFewEdgesToRepeat = 20'000, kMostEdgesToRepeat = 200'000;
constexpr int kUsualRepeats = 5, kFewRepeats = 2;

/// How often labels agree, and how often they would where only their numbers were the same.
class ChanceCorrected {
 public:
  void add(const std::vector<float>& mine, const std::vector<float>& theirs, int relations, int other_relations,
           const std::vector<int>& matched, const std::vector<float>& same) {
    std::vector<double> of_mine(static_cast<std::size_t>(relations), 0.0);
    std::vector<double> of_theirs(static_cast<std::size_t>(other_relations), 0.0);
    const auto strongest = [](const std::vector<float>& shares, std::size_t edge, int width) {
      const auto first = shares.begin() + static_cast<std::ptrdiff_t>(edge) * width;
      return static_cast<std::size_t>(std::max_element(first, first + width) - first);
    };
    for (std::size_t edge = 0; edge < same.size(); ++edge) {
      of_mine[strongest(mine, edge, relations)] += 1;
      of_theirs[strongest(theirs, edge, other_relations)] += 1;
      agreed_ += same[edge];
    }
    const auto edges = static_cast<double>(same.size());
    for (std::size_t relation = 0; relation < of_mine.size(); ++relation) {
      const int other = matched[relation];
      by_chance_ += other < 0 ? 0 : of_mine[relation] * of_theirs[static_cast<std::size_t>(other)] / edges;
    }
    edges_ += edges;
  }

  /// 1: always the same, 0: no more than by chance; 0 also where one relation has all edges.
  double kappa() const {
    const double room = edges_ - by_chance_;
    return room > 1e-9 * edges_ ? std::clamp((agreed_ - by_chance_) / room, 0.0, 1.0) : 0.0;
  }

 private:
  double agreed_ = 0, by_chance_ = 0, edges_ = 0;
};

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
  if (options.resamples >= 0) {
    return options.resamples;
  }
  return graph.num_edges() <= kFewEdgesToRepeat    ? kUsualRepeats
         : graph.num_edges() <= kMostEdgesToRepeat ? kFewRepeats
                                                   : 0;
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
  ChanceCorrected agreement;
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
    agreement.add(shares, other.shares, relations, others, matched, same);
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
  const double kappa = agreement.kappa(), even = 1.0 / relations;
  for (std::size_t edge = 0; edge < agreed.size(); ++edge) {
    const double share = agreed[edge] / seen[edge];
    outcome.certainty[edge] = static_cast<float>(relations == 1 ? 1.0 : even + (share - even) * kappa);
  }
  for (std::size_t relation = 0; relation < width; ++relation) {
    // One group or none is no partition that could agree with another.
    outcome.relations[relation].stability = outcome.relations[relation].groups > 1 ? stability[relation] : kNotKnown;
  }
  outcome.notes.push_back(concat("certainty and stability: ", method.name, " was repeated ", repeats,
                                 repeats == 1 ? " time" : " times", " on nine edges of ten; its repeats agree ",
                                 format_fixed(kappa, 2), " beyond chance (1: always), and certainty is drawn towards ",
                                 format_fixed(even, 2), " as far as they do not"));
}

}  // namespace factorgcn
