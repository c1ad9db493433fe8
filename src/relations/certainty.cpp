// The same search again on fewer edges, relation by relation beside the result.
#include "relations/certainty.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/relations/agreement.h"
#include "factorgcn/relations/disentangled.h"
#include "relations/group_rates.h"
#include "relations/matching.h"
#include "relations/moves.h"
#include "relations/random_graphs.h"
#include "relations/told_groups.h"

namespace factorgcn::relations {
namespace {

constexpr double kKept = 0.9;
constexpr double kClearlyLonger = 2;  // times what chance makes of the difference

/// A resample that goes on from the result.
Partitions settle_again(const Links& thinned, const Partitions& result, const std::string& purpose, std::uint64_t seed,
                        int sweeps, const std::function<bool()>& stop) {
  Partitions found = result;
  found.told = -1;
  fit_rates(thinned, found);
  move_nodes(thinned, found, {.sweeps = sweeps, .enough = 1e-3, .seed = seed, .purpose = purpose, .stop = stop});
  fit_rates(thinned, found);
  return found;
}

double link_nats(const Links& links, const Partitions& partitions, std::int64_t row, std::int64_t at) {
  const std::int64_t other = links.neighbours[at];
  double rate = partitions.background;
  for (int relation = 0; relation < partitions.relations(); ++relation) {
    const std::int32_t* group = partitions.group.data() + relation * links.nodes;
    rate += group[row] == group[other] ? partitions.rate[relation][group[row]] : 0;
  }
  rate *= static_cast<double>(partitions.activities[row]) * partitions.activities[other];
  return links.weighted() ? links.weights[at] * std::log(rate) : log_link(rate);
}

/// Whether `one` takes more bits than `other` beyond doubt. Links differ in which of two descriptions suits them, and
/// had others been drawn, the shorter one could be the longer; by how much, the spread of their differences says (Vuong
/// 1989). What fits nearness as well elsewhere, as groups laid over a ring or a grid do, is not clearly longer.
bool clearly_longer(const Links& links, const Partitions& one, const Partitions& other) {
  double sum = 0, squares = 0;
  for (std::int64_t row = 0; row < links.nodes; ++row) {
    for (std::int64_t at = links.offsets[row]; at < links.offsets[row + 1]; ++at) {
      if (links.neighbours[at] > row) {
        const double off = (link_nats(links, other, row, at) - link_nats(links, one, row, at)) / std::log(2.0);
        sum += off;
        squares += off * off;
      }
    }
  }
  const double spread = squares - sum * sum / static_cast<double>(std::max<std::int64_t>(links.links(), 1));
  return one.bits - other.bits > kClearlyLonger * std::sqrt(std::max(spread, 0.0));
}

}  // namespace

Certainty resample(const Links& links, const RelationGraph& graph, const Partitions& result,
                   const std::vector<float>& shares, int groups, const Effort& effort, int resamples,
                   std::uint64_t seed, Session& session, double from) {
  const int relations = result.relations();
  Certainty certainty;
  certainty.shares = shares;
  certainty.stability.assign(static_cast<std::size_t>(relations), resamples > 0 ? 0 : kNotKnown);
  certainty.resamples = resamples;
  const bool large = links.links() >= kManyLinks;
  Effort less = large ? quick_effort() : effort;
  less.starts = large ? 1 : std::min(effort.starts, 3);
  Effort shares_only = less;
  shares_only.polish_rounds = large ? 5 : less.polish_rounds;
  // Of a large graph the first takes as long as ten of the others.
  const double all = large ? resamples + 9 : resamples;
  for (int index = 0; index < resamples; ++index) {
    const auto share = [&](int count) { return from + (1 - from) * (large && count > 0 ? count + 9 : count) / all; };
    session.at(concat("resample ", index + 1, " of ", resamples), share(index), share(index + 1),
               large ? less.community_rounds + less.polish_rounds + less.sweeps : 0);
    const Links thinned = thin_out(links, kKept, seed, concat("relations/resample ", index));
    const FitOptions fit{.relations = relations,
                         .groups = groups,
                         .effort = less,
                         .seed = seed + 1 + static_cast<std::uint64_t>(index),
                         .stop = session.stop()};
    const std::string key = concat("resample ", index);
    Partitions found = session.partitions(key, links.nodes, [&] {
      const auto settled = [&](int sweeps) {
        return settle_again(thinned, result, "relations/" + key, fit.seed, sweeps, fit.stop);
      };
      if (large && index > 0) {
        return settled(2);
      }
      Partitions anew = fit_best(thinned, fit);
      if (large) {
        return anew;
      }
      // A search that ends in what is clearly longer says nothing against the result; one that ends elsewhere in as
      // short a description does.
      Partitions again = settled(less.sweeps);
      return clearly_longer(thinned, anew, again) ? again : anew;
    });
    if (result.told >= 0) {
      found = with_told_groups(thinned, found, *result.classes, false, fit.seed);
    }
    const Model model = finish(thinned, found, shares_only, session.stop());
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
