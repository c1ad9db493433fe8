// Relations have no order: those of a resample are matched with the result's by the shares they give to edges.
#include "relations/certainty.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/eval/assignment.h"
#include "factorgcn/relations/agreement.h"
#include "factorgcn/relations/disentangled.h"
#include "relations/random_graphs.h"

namespace factorgcn::relations {
namespace {

constexpr double kKept = 0.9;

/// The other's relation for each of the result's; -1 where it has none.
std::vector<int> match_relations(const std::vector<float>& shares, int relations, const std::vector<float>& others,
                                 int other_relations) {
  std::vector<double> products(static_cast<std::size_t>(relations) * other_relations, 0);
  std::vector<double> squares(static_cast<std::size_t>(relations + other_relations), 1e-12);
  const std::size_t edges = shares.size() / relations;
  for (std::size_t edge = 0; edge < edges; ++edge) {
    const float* mine = shares.data() + edge * relations;
    const float* theirs = others.data() + edge * other_relations;
    for (int a = 0; a < relations; ++a) {
      squares[a] += static_cast<double>(mine[a]) * mine[a];
      for (int b = 0; b < other_relations; ++b) {
        products[static_cast<std::size_t>(a) * other_relations + b] += static_cast<double>(mine[a]) * theirs[b];
      }
    }
    for (int b = 0; b < other_relations; ++b) {
      squares[relations + b] += static_cast<double>(theirs[b]) * theirs[b];
    }
  }
  for (int a = 0; a < relations; ++a) {
    for (int b = 0; b < other_relations; ++b) {
      double& cell = products[static_cast<std::size_t>(a) * other_relations + b];
      cell = -cell / std::sqrt(squares[a] * squares[relations + b]);
    }
  }
  return assign(relations, other_relations, products).column_of_row;
}

}  // namespace

Certainty resample(const Links& links, const RelationGraph& graph, const Partitions& result,
                   const std::vector<float>& shares, int groups, const Effort& effort, int resamples,
                   std::uint64_t seed, Session& session) {
  const int relations = result.relations();
  Certainty certainty;
  certainty.shares = shares;
  certainty.stability.assign(static_cast<std::size_t>(relations), resamples > 0 ? 0 : kNotKnown);
  certainty.resamples = resamples;
  Effort less = effort;
  less.starts = std::min(effort.starts, 3);
  for (int index = 0; index < resamples; ++index) {
    session.at(concat("resample ", index + 1, " of ", resamples), 0.7 + 0.3 * index / resamples);
    const Links thinned = thin_out(links, kKept, seed, concat("relations/resample ", index));
    const FitOptions fit{.relations = relations,
                         .groups = groups,
                         .effort = less,
                         .seed = seed + 1 + static_cast<std::uint64_t>(index),
                         .stop = session.stop()};
    const Partitions found =
        session.partitions(concat("resample ", index), links.nodes, [&] { return fit_best(thinned, fit); });
    const Model model = finish(thinned, found, less, session.stop());
    session.leave_if_stopped();
    const std::vector<float> others = relation_shares(thinned, graph, model);
    const int theirs = model.relations();
    const std::vector<int> matched = match_relations(shares, relations, others, theirs);
    for (int relation = 0; relation < relations; ++relation) {
      const int other = matched[relation];
      if (other < 0) {
        continue;
      }
      const std::span mine(result.group.data() + relation * links.nodes, static_cast<std::size_t>(links.nodes));
      const std::span same(found.group.data() + other * links.nodes, static_cast<std::size_t>(links.nodes));
      certainty.stability[relation] += adjusted_mutual_information(mine, same) / resamples;
      for (std::size_t edge = 0; edge < shares.size() / relations; ++edge) {
        certainty.shares[edge * relations + relation] += others[edge * theirs + other];
      }
    }
  }
  for (float& share : certainty.shares) {
    share /= static_cast<float>(resamples + 1);
  }
  return certainty;
}

}  // namespace factorgcn::relations
