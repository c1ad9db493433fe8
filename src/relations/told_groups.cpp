// Places in which classes may stand are tried one after the other; the description's length decides.
#include "relations/told_groups.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/log_gamma.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "relations/left_out.h"
#include "relations/moves.h"

namespace factorgcn::relations {
namespace {

constexpr double kTimesChance = 2.5, kMorePerAttribute = 0.5;

/// No relation, said as one relation of one group.
Partitions one_group(const Links& links) {
  Partitions one = no_relations(links);
  one.groups_in = {1};
  one.group.assign(static_cast<std::size_t>(links.nodes), 0);
  one.rate = {{one.background}};
  fit_rates(links, one);
  return one;
}

void put_classes(const Links& links, const Classes& classes, int relation, Partitions& partitions) {
  const int count = *std::max_element(classes.begin(), classes.end()) + 1;
  const auto first = partitions.group.begin() + static_cast<std::ptrdiff_t>(relation * links.nodes);
  std::copy(classes.begin(), classes.end(), first);
  const double usual = partitions.background * 2;
  partitions.groups_in[relation] = count;
  partitions.rate[relation].assign(static_cast<std::size_t>(count), usual);
  partitions.told = relation;
  partitions.classes = &classes;
}

Partitions settled(const Links& links, Partitions partitions, std::uint64_t seed, const std::string& purpose) {
  fit_rates(links, partitions, 20);
  move_nodes(links, partitions, {.sweeps = 20, .seed = seed, .purpose = purpose});
  fit_rates(links, partitions, 20);
  return partitions;
}

}  // namespace

double told_nats(const std::int32_t* group, const Classes& classes, int groups) {
  const int count = classes.empty() ? 0 : *std::max_element(classes.begin(), classes.end()) + 1;
  std::vector<double> cells(static_cast<std::size_t>(count) * groups, 0.0), sums(static_cast<std::size_t>(count), 0.0);
  for (std::size_t node = 0; node < classes.size(); ++node) {
    cells[static_cast<std::size_t>(classes[node]) * groups + group[node]] += 1;
    sums[classes[node]] += 1;
  }
  double nats = 0;
  for (const double sum : sums) {
    nats += log_gamma(sum + 0.5 * groups) - log_gamma(0.5 * groups);
  }
  for (const double cell : cells) {
    nats -= log_gamma(cell + 0.5) - log_gamma(0.5);
  }
  return nats;
}

Partitions with_told_groups(const Links& links, const Partitions& found, const Classes& classes, bool may_add,
                            std::uint64_t seed) {
  Partitions best = found;
  const auto consider = [&](Partitions candidate, int relation, const std::string& where) {
    put_classes(links, classes, relation, candidate);
    candidate = settled(links, std::move(candidate), seed, "relations/told " + where);
    if (candidate.bits < best.bits) {
      best = std::move(candidate);
    }
  };
  for (int relation = 0; relation < found.relations(); ++relation) {
    consider(found, relation, concat("in place of ", relation));
  }
  if (may_add) {
    Partitions more = found;
    more.groups_in.push_back(1);
    more.rate.emplace_back(1, found.background);
    more.group.insert(more.group.end(), static_cast<std::size_t>(links.nodes), 0);
    consider(std::move(more), found.relations(), "beside");
    consider(one_group(links), 0, "alone");
  }
  return best;
}

ToldEvidence weigh_attributes(const RelationGraph& graph, const std::vector<Classes>& classes, bool may_add,
                              const FitOptions& fit) {
  std::vector<double> without;
  std::vector<std::vector<double>> with(classes.size()), shuffled(classes.size());
  RandomStream random(fit.seed, "relations/attributes shuffled");
  for (const std::vector<std::int64_t>& left_out : tenths_to_leave_out(graph, fit.seed)) {
    const RelationGraph kept = without_edges(graph, left_out);
    const Links links = make_links(kept);
    Partitions base = fit_best(links, fit);
    if (may_add) {  // what describes less than nothing does is no base
      Partitions none = one_group(links);
      base = none.bits < base.bits ? std::move(none) : std::move(base);
    }
    const auto bits = [&](const Partitions& partitions) {
      return bits_under(finish(links, partitions, fit.effort, fit.stop), kept, graph, left_out, false);
    };
    const std::vector<double> plain = bits(base);
    without.insert(without.end(), plain.begin(), plain.end());
    for (std::size_t attribute = 0; attribute < classes.size(); ++attribute) {
      Classes others = classes[attribute];
      random.shuffle(std::span(others));
      for (const auto& [these, into] : {std::pair{&classes[attribute], &with[attribute]},
                                        std::pair{&std::as_const(others), &shuffled[attribute]}}) {
        const Partitions told = these->empty() ? base : with_told_groups(links, base, *these, may_add, fit.seed);
        const std::vector<double> each = told.told < 0 ? plain : bits(told);
        into->insert(into->end(), each.begin(), each.end());
      }
    }
  }
  ToldEvidence evidence;
  double most = 0;
  for (std::size_t attribute = 0; attribute < classes.size(); ++attribute) {
    const SavedBits saved(without, with[attribute]);
    const double clearly = std::min(saved.times_chance, SavedBits(shuffled[attribute], with[attribute]).times_chance);
    if (clearly > most) {
      most = clearly;
      evidence = {
          .left_out = saved.edges, .with = saved.after, .without = saved.before, .best = static_cast<int>(attribute)};
    }
  }
  const double enough = kTimesChance + kMorePerAttribute * std::log(std::max<double>(1, classes.size()));
  evidence.attribute = most > enough ? evidence.best : -1;
  return evidence;
}

}  // namespace factorgcn::relations
