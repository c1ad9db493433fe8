// Draws and scores graph by graph.
#include "factorgcn/train/random_factors.h"

#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "factorgcn/train/run_directory.h"
#include "factorgcn/train/run_metrics.h"
#include "train/begin_metrics.h"

namespace factorgcn {
namespace {

struct Entries {
  std::vector<std::int32_t> sources, targets;
  std::vector<double> values;

  void add(std::int64_t source, std::int64_t target) {
    sources.push_back(static_cast<std::int32_t>(source));
    targets.push_back(static_cast<std::int32_t>(target));
  }

  FactorGraphs draw(std::int64_t nodes, int factors, RandomStream& random) {
    values.resize(sources.size() * static_cast<std::size_t>(factors));
    for (double& value : values) {
      value = random.uniform();
    }
    return {nodes, factors, sources, targets, values};
  }
};

}  // namespace

RandomFactorScores score_random_factors(const Dataset& dataset, std::span<const std::int64_t> graphs, int factors,
                                        std::uint64_t seed) {
  require_usage(!dataset.truth.empty(), "data set ", dataset.name,
                " has no true relations to score factor graphs against; synthetic and zinc have them");
  RandomStream pair_stream(seed, "random factors/pairs"), edge_stream(seed, "random factors/edges");
  DisentanglementScorer pair_scorer(dataset.truth.num_types(), factors),
      edge_scorer(dataset.truth.num_types(), factors);
  const GraphStore& store = dataset.graphs;
  const auto* node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  for (const std::int64_t graph : graphs) {
    const std::int64_t nodes = node_offsets[graph + 1] - node_offsets[graph];
    const std::int32_t* source = store.in_sources.data_ptr<std::int32_t>() + edge_offsets[graph];
    const std::int32_t* degrees = store.in_degrees.data_ptr<std::int32_t>() + node_offsets[graph];
    Entries pairs, edges;
    for (std::int64_t target = 0; target < nodes; ++target) {
      for (std::int64_t other = 0; other < nodes; ++other) {
        if (other != target) {
          pairs.add(other, target);
        }
      }
      for (std::int32_t edge = 0; edge < degrees[target]; ++edge) {
        edges.add(*source++, target);
      }
    }
    pair_scorer.add(pairs.draw(nodes, factors, pair_stream), dataset.truth, graph);
    edge_scorer.add(edges.draw(nodes, factors, edge_stream), dataset.truth, graph);
  }
  return {pair_scorer.score(), edge_scorer.score()};
}

void keep_random_scores(const RunConfig& config, const Dataset& dataset, const RandomFactorScores& scores, bool force) {
  RunMetrics metrics = begin_metrics(dataset, config);
  metrics.factors = dataset.truth.num_types();
  metrics.test = {{"ged_e", scores.all_pairs.ged_e},           {"ged_e_std", scores.all_pairs.ged_e_std},
                  {"c_score", scores.all_pairs.c_score},       {"ged_e_edges", scores.edges.ged_e},
                  {"ged_e_edges_std", scores.edges.ged_e_std}, {"c_score_edges", scores.edges.c_score}};
  metrics.splits = {{"ged_e", "test"}};
  const RunDirectory directory = RunDirectory::create(config.out, force);
  directory.write_config(config);
  directory.write_metrics(metrics);
}

}  // namespace factorgcn
