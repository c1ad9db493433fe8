// Pairs are drawn by jumping from one joined pair to the next (Miller and Hagberg 2011): nodes in falling order of
// propensity, so that the probability along a row only falls and a jump made with the last one can be corrected.
// Each relation has streams of its own, so relation k does not depend on how many there are.
#include "factorgcn/data/relations.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "data/generated.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostNodes = 100'000'000;
constexpr int kMostRelations = 64, kMostGroups = 1000;
constexpr double kMostEdges = 1e9;

void check_relations_options(const RelationsOptions& options) {
  require_usage(options.nodes >= 1 && options.nodes <= kMostNodes, "relations: ", options.nodes, " nodes; choose 1 .. ",
                kMostNodes);
  require_usage(options.relations >= 1 && options.relations <= kMostRelations, "relations: ", options.relations,
                " relations; choose 1 .. ", kMostRelations);
  require_usage(options.groups >= 1 && options.groups <= kMostGroups, "relations: ", options.groups,
                " groups; choose 1 .. ", kMostGroups);
  for (const double probability : {options.inside, options.outside}) {
    require_usage(probability >= 0 && probability <= 1, "relations: a probability of ", probability,
                  "; choose inside and outside from 0 to 1");
  }
  require_usage(options.unequal >= 0 && options.unequal <= 10, "relations: unequal is ", options.unequal,
                "; choose 0 (groups alike) to 10");
  require_usage(options.degree_exponent == 0 || (options.degree_exponent > 2 && options.degree_exponent <= 100),
                "relations: a degree exponent of ", options.degree_exponent,
                "; choose above 2 (heavy tail) to 100, or 0 for nodes alike");
  double share = 0, sum = 0;
  for (int group = 0; group < options.groups; ++group) {
    const double weight = std::pow(group + 1.0, -options.unequal);
    share += weight * weight;
    sum += weight;
  }
  const auto nodes = static_cast<double>(options.nodes);
  const double same = share / (sum * sum);
  const double expected =
      nodes * nodes / 2 * options.relations * (options.inside * same + options.outside * (1 - same));
  require_usage(expected <= kMostEdges, "relations: about ", expected,
                " edges; choose fewer nodes or smaller probabilities");
}

/// Mean 1 over the nodes; the largest is kept below sqrt(N), where a power law's edges stay independent.
std::vector<double> draw_propensities(const RelationsOptions& options) {
  std::vector<double> propensities(static_cast<std::size_t>(options.nodes), 1.0);
  if (options.degree_exponent == 0) {
    return propensities;
  }
  RandomStream random(options.seed, "relations/propensities");
  const double power = -1 / (options.degree_exponent - 1);
  for (double& value : propensities) {
    value = std::min(std::pow(1 - random.uniform(), power), std::sqrt(static_cast<double>(options.nodes)));
  }
  const double mean = std::accumulate(propensities.begin(), propensities.end(), 0.0) / propensities.size();
  for (double& value : propensities) {
    value /= mean;
  }
  return propensities;
}

std::vector<std::int32_t> draw_groups(const RelationsOptions& options, int relation) {
  std::vector<double> up_to;
  double sum = 0;
  for (int group = 0; group < options.groups; ++group) {
    up_to.push_back(sum += std::pow(group + 1.0, -options.unequal));
  }
  RandomStream random(options.seed, concat("relations/groups/", relation));
  std::vector<std::int32_t> groups(static_cast<std::size_t>(options.nodes));
  for (std::int32_t& group : groups) {
    const auto at = std::upper_bound(up_to.begin(), up_to.end(), random.uniform() * sum);
    group = static_cast<std::int32_t>(std::min<std::ptrdiff_t>(at - up_to.begin(), options.groups - 1));
  }
  return groups;
}

std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
  const auto [low, high] = std::minmax(left, right);
  return static_cast<std::uint64_t>(low) << 32 | static_cast<std::uint32_t>(high);
}

/// Calls join(a, b) for each pair of `nodes` with probability min(1, rate * propensity_a * propensity_b). `nodes` are
/// in falling order of propensity.
template <class Join>
void draw_pairs(std::span<const std::int32_t> nodes, const std::vector<double>& propensities, double rate,
                RandomStream& random, const Join& join) {
  if (rate <= 0) {
    return;
  }
  const auto chance = [&](std::size_t a, std::size_t b) {
    return std::min(1.0, rate * propensities[static_cast<std::size_t>(nodes[a])] *
                             propensities[static_cast<std::size_t>(nodes[b])]);
  };
  for (std::size_t first = 0; first + 1 < nodes.size(); ++first) {
    std::size_t second = first + 1;
    double reached = chance(first, second);
    while (second < nodes.size() && reached > 0) {
      if (reached < 1) {
        const double jump = std::log(1 - random.uniform()) / std::log1p(-reached);
        if (jump >= static_cast<double>(nodes.size() - second)) {
          break;
        }
        second += static_cast<std::size_t>(jump);
      }
      const double here = chance(first, second);
      if (random.uniform() * reached < here) {
        join(nodes[first], nodes[second]);
      }
      reached = here;
      ++second;
    }
  }
}

/// The pairs that one relation joins, in rising order.
std::vector<std::uint64_t> draw_relation(const RelationsOptions& options, int relation,
                                         const std::vector<double>& propensities,
                                         const std::vector<std::int32_t>& by_propensity,
                                         std::span<const std::int32_t> groups) {
  std::vector<std::uint64_t> pairs;
  std::vector<std::vector<std::int32_t>> members(static_cast<std::size_t>(options.groups));
  for (const std::int32_t node : by_propensity) {
    members[static_cast<std::size_t>(groups[static_cast<std::size_t>(node)])].push_back(node);
  }
  RandomStream inside(options.seed, concat("relations/inside/", relation));
  for (const auto& group : members) {
    draw_pairs(group, propensities, options.inside, inside,
               [&](std::int32_t a, std::int32_t b) { pairs.push_back(pair_key(a, b)); });
  }
  RandomStream outside(options.seed, concat("relations/outside/", relation));
  draw_pairs(by_propensity, propensities, options.outside, outside, [&](std::int32_t a, std::int32_t b) {
    if (groups[static_cast<std::size_t>(a)] != groups[static_cast<std::size_t>(b)]) {
      pairs.push_back(pair_key(a, b));
    }
  });
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

}  // namespace

PlantedRelations plant_relations(const RelationsOptions& options) {
  check_relations_options(options);
  PlantedRelations planted;
  planted.nodes = options.nodes;
  planted.relations = options.relations;
  const std::vector<double> propensities = draw_propensities(options);
  std::vector<std::int32_t> by_propensity(static_cast<std::size_t>(options.nodes));
  std::iota(by_propensity.begin(), by_propensity.end(), 0);
  std::stable_sort(by_propensity.begin(), by_propensity.end(), [&](std::int32_t a, std::int32_t b) {
    return propensities[static_cast<std::size_t>(a)] > propensities[static_cast<std::size_t>(b)];
  });
  std::vector<std::vector<std::uint64_t>> joined;
  for (int relation = 0; relation < options.relations; ++relation) {
    const std::vector<std::int32_t> groups = draw_groups(options, relation);
    planted.groups.insert(planted.groups.end(), groups.begin(), groups.end());
    joined.push_back(draw_relation(options, relation, propensities, by_propensity, groups));
  }
  std::vector<std::uint64_t> edges;
  for (const auto& pairs : joined) {
    edges.insert(edges.end(), pairs.begin(), pairs.end());
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  planted.truth.assign(edges.size() * static_cast<std::size_t>(options.relations), 0);
  for (std::size_t relation = 0; relation < joined.size(); ++relation) {
    std::size_t edge = 0;
    for (const std::uint64_t pair : joined[relation]) {
      while (edges[edge] != pair) {
        ++edge;
      }
      planted.truth[edge * joined.size() + relation] = 1;
    }
  }
  planted.sources.reserve(edges.size());
  planted.targets.reserve(edges.size());
  for (const std::uint64_t pair : edges) {
    planted.sources.push_back(static_cast<std::int32_t>(pair >> 32));
    planted.targets.push_back(static_cast<std::int32_t>(pair & 0xFFFFFFFFU));
  }
  return planted;
}

Dataset make_relations(const RelationsOptions& options) {
  PlantedRelations planted = plant_relations(options);
  Dataset dataset;
  dataset.name = "relations";
  dataset.task = Task::kNone;
  GroundTruth& truth = dataset.truth;
  truth.begin_graph();
  for (int relation = 0; relation < planted.relations; ++relation) {
    truth.type_names.push_back(concat("relation ", relation + 1));
    std::vector<std::int32_t> from, to;
    for (std::size_t edge = 0; edge < planted.sources.size(); ++edge) {
      if (planted.truth[edge * static_cast<std::size_t>(planted.relations) + static_cast<std::size_t>(relation)] != 0) {
        from.insert(from.end(), {planted.sources[edge], planted.targets[edge]});
        to.insert(to.end(), {planted.targets[edge], planted.sources[edge]});
      }
    }
    truth.add_part(relation, from, to);
  }
  Graph graph;
  graph.name = "relations";
  graph.num_nodes = planted.nodes;
  graph.source = std::move(planted.sources);
  graph.target = std::move(planted.targets);
  make_undirected(graph);
  const std::size_t edges = graph.source.size();
  add_self_loops(graph);
  dataset.added_self_loops = static_cast<std::int64_t>(graph.source.size() - edges);
  graph.features = at::empty({planted.nodes}, at::kLong);
  auto* types = graph.features.data_ptr<std::int64_t>();
  std::fill_n(types, planted.nodes, 0);
  for (const std::int32_t target : graph.target) {
    ++types[target];
  }
  dataset.num_node_types = *std::max_element(types, types + planted.nodes) + 1;
  dataset.graphs = make_store(std::span(&graph, 1));
  return dataset;
}

DatasetEntry relations_entry() {
  const RelationsOptions usual;
  DatasetEntry entry;
  entry.name = "relations";
  entry.summary = "one graph of planted relations: which edge is which? (generated)";
  entry.settings = {
      {"nodes", usual.nodes, 1, kMostNodes, "nodes of the graph"},
      {"relations", usual.relations, 1, kMostRelations, "planted relations"},
      {"groups", usual.groups, 1, kMostGroups, "groups of nodes in each relation"},
      {"inside", 0, 0, 0, "probability of an edge inside a group", RealRange{usual.inside, 0, 1}},
      {"outside", 0, 0, 0, "probability of an edge between groups", RealRange{usual.outside, 0, 1}},
      {"unequal", 0, 0, 0, "group r gets a share of nodes ~ r^-X; 0: all alike", RealRange{usual.unequal, 0, 10}},
      {"degree_exponent", 0, 0, 0, "of the degrees' power law, above 2; 0: nodes alike",
       RealRange{usual.degree_exponent, 0, 100}},
      {"seed", 0, 0, std::numeric_limits<std::int64_t>::max(), "of the random numbers"}};
  entry.relations_setting = "relations";
  entry.make = [](const Settings& settings) {
    RelationsOptions options;
    options.nodes = whole_number(settings, "nodes");
    options.relations = static_cast<int>(whole_number(settings, "relations"));
    options.groups = static_cast<int>(whole_number(settings, "groups"));
    options.inside = real_number(settings, "inside");
    options.outside = real_number(settings, "outside");
    options.unequal = real_number(settings, "unequal");
    options.degree_exponent = real_number(settings, "degree_exponent");
    options.seed = static_cast<std::uint64_t>(whole_number(settings, "seed"));
    return make_relations(options);
  };
  return entry;
}

}  // namespace factorgcn
