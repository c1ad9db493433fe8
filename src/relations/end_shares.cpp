// Counts per node and relation; leaving an edge out takes it from both ends and from all.
#include "relations/end_shares.h"

#include <cstddef>

namespace factorgcn::relations {
namespace {

constexpr double kEdgesMore = 3;

class EndShares {
 public:
  EndShares(const RelationGraph& graph, const KnownEdges& known, EndEdges which)
      : graph_(graph),
        relations_(known.relations),
        receivers_(which == EndEdges::kOfThatWay ? graph.nodes : 0),
        count_(static_cast<std::size_t>(graph.nodes + receivers_), 0.0),
        in_(count_.size() * known.relations, 0.0),
        all_(static_cast<std::size_t>(known.relations), 0.0),
        known_(static_cast<double>(known.edges.size())) {
    for (std::size_t at = 0; at < known.edges.size(); ++at) {
      for (const std::int64_t end : {source(known.edges[at]), target(known.edges[at])}) {
        count_[end] += 1;
        for (int relation = 0; relation < relations_; ++relation) {
          in_[static_cast<std::size_t>(end) * relations_ + relation] += known.truth[at * relations_ + relation];
        }
      }
      for (int relation = 0; relation < relations_; ++relation) {
        all_[relation] += known.truth[at * relations_ + relation];
      }
    }
  }

  /// `out` is 1 where the edge is known and to be left out, and `truth` then what is known.
  double probability(std::int64_t edge, int relation, double out, double truth) const {
    const double all = (all_[relation] - out * truth + 0.5) / (known_ - out + 1);
    const auto odds_at = [&](std::int64_t end) {
      const double in = in_[static_cast<std::size_t>(end) * relations_ + relation] - out * truth;
      const double share = (in + kEdgesMore * all) / (count_[end] - out + kEdgesMore);
      return share / (1 - share);
    };
    const double odds = odds_at(source(edge)) * odds_at(target(edge)) / (all / (1 - all));
    return odds / (1 + odds);
  }

 private:
  std::int64_t source(std::int64_t edge) const { return graph_.sources[edge]; }
  std::int64_t target(std::int64_t edge) const { return receivers_ + graph_.targets[edge]; }

  const RelationGraph& graph_;
  const int relations_;
  const std::int64_t receivers_;  // what counts of received edges begins at: the nodes, or 0 where they are the same
  std::vector<double> count_, in_, all_;
  const double known_;
};

}  // namespace

Answer end_shares(const RelationGraph& graph, const KnownEdges& known, EndEdges which) {
  const EndShares shares(graph, known, which);
  Answer answer;
  for (std::size_t at = 0; at < known.truth.size(); ++at) {
    const auto relation = static_cast<int>(at % known.relations);
    answer.left_out.push_back(
        shares.probability(known.edges[at / known.relations], relation, 1, known.truth[at] != 0 ? 1 : 0));
  }
  answer.predicted.reserve(static_cast<std::size_t>(graph.edges()) * known.relations);
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    for (int relation = 0; relation < known.relations; ++relation) {
      answer.predicted.push_back(static_cast<float>(shares.probability(edge, relation, 0, 0)));
    }
  }
  return answer;
}

}  // namespace factorgcn::relations
