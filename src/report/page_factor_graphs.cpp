// Factor graphs of chosen graphs, as a page shows them. Cost: one forward pass and one reading of each layer per batch,
// a sort of the edges of each graph and, where the truth is known, one per relation.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/disentanglement.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"
#include "report/node_pairs.h"
#include "report/page_colourings.h"
#include "report/page_outcome.h"

namespace factorgcn {
namespace {

/// The entries of one graph of a batch, with node ids of its own.
struct Entries {
  std::vector<std::int32_t> sources, targets;
  std::int64_t first = 0;  ///< of the batch's entries
};

Entries entries_of(const GraphBatch& batch, std::int64_t graph) {
  const std::int64_t* nodes = batch.graph_offsets.data_ptr<std::int64_t>();
  const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  const std::int32_t* from = batch.edges.in_sources.data_ptr<std::int32_t>();
  Entries entries;
  entries.first = offsets[nodes[graph]];
  for (std::int64_t node = nodes[graph]; node < nodes[graph + 1]; ++node) {
    for (std::int64_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
      entries.sources.push_back(static_cast<std::int32_t>(from[edge] - nodes[graph]));
      entries.targets.push_back(static_cast<std::int32_t>(node - nodes[graph]));
    }
  }
  return entries;
}

/// The factor's `count` strongest positive pairs, ascending, ranked as eval/disentanglement.h does.
std::vector<std::int32_t> strongest_pairs(const std::vector<double>& sums, std::size_t factors, std::size_t factor,
                                          std::size_t count) {
  std::vector<std::int32_t> pairs;
  for (std::size_t at = factor; at < sums.size(); at += factors) {
    if (sums[at] > 0) {
      pairs.push_back(static_cast<std::int32_t>(at / factors));
    }
  }
  const auto strength = [&](std::int32_t pair) { return sums[static_cast<std::size_t>(pair) * factors + factor]; };
  count = std::min(pairs.size(), count);
  std::partial_sort(
      pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(count), pairs.end(),
      [&](std::int32_t a, std::int32_t b) { return strength(a) != strength(b) ? strength(a) > strength(b) : a < b; });
  pairs.resize(count);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

PageTruth page_truth(const GroundTruth::Part& part, const NodePairs& pairs) {
  PageTruth truth;
  truth.type = part.type;
  std::vector<NodePairs::Pair> absent;
  for (std::size_t entry = 0; entry < part.sources.size(); ++entry) {
    if (part.sources[entry] == part.targets[entry]) {
      continue;
    }
    const std::int64_t pair = pairs.find(part.sources[entry], part.targets[entry]);
    if (pair >= 0) {
      truth.edges.push_back(static_cast<std::int32_t>(pair));
    } else {
      absent.push_back(std::minmax(part.sources[entry], part.targets[entry]));
    }
  }
  const auto sort_distinct = [](auto& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  };
  sort_distinct(truth.edges);
  sort_distinct(absent);
  truth.missing = static_cast<std::int64_t>(absent.size());
  return truth;
}

/// Which factor of a layer stands for which true relation, and what it keeps.
void add_matches(const at::Tensor& coefficients, const Entries& entries, const std::vector<double>& sums,
                 const Dataset& dataset, std::int64_t graph, DisentanglementScorer& scorer, PageSample& sample,
                 PageReading& reading) {
  const auto factors = static_cast<std::size_t>(coefficients.size(1));
  const at::Tensor own = coefficients.to(at::kDouble).contiguous();
  const FactorGraphs view{sample.nodes,
                          static_cast<int>(factors),
                          entries.sources,
                          entries.targets,
                          {own.data_ptr<double>(), factors * entries.sources.size()}};
  double total = 0;
  const std::vector<FactorMatch> matches = scorer.add(view, dataset.truth, graph);
  for (std::size_t index = 0; index < matches.size(); ++index) {
    const FactorMatch& match = matches[index];
    const PageTruth& truth = sample.truth[index];
    PageMatch shown{static_cast<int>(index), match.factor, match.ged_e, {}};
    if (match.factor >= 0) {
      shown.kept = strongest_pairs(sums, factors, static_cast<std::size_t>(match.factor),
                                   truth.edges.size() + static_cast<std::size_t>(truth.missing));
    }
    reading.matches.push_back(std::move(shown));
    total += match.ged_e;
  }
  if (!matches.empty()) {
    reading.ged = total / static_cast<double>(matches.size());
  }
}

/// What a layer says of each pair: the mean over its entries.
PageReading read_layer(const std::vector<double>& sums, const NodePairs& pairs) {
  PageReading reading;
  const std::size_t factors = pairs.size() == 0 ? 0 : sums.size() / pairs.size();
  reading.coefficients.resize(sums.size());
  for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
    for (std::size_t at = pair * factors; at < (pair + 1) * factors; ++at) {
      reading.coefficients[at] = static_cast<float>(std::clamp(sums[at] / pairs.entries(pair), 0.0, 1.0));
    }
  }
  return reading;
}

void add_names(const Dataset& dataset, std::int64_t graph, const std::vector<std::string>& types, PageSample& sample) {
  if (dataset.graphs.num_graphs() == 1) {
    sample.label = "";  // there is no other to tell it from
  } else if (!dataset.graph_names.empty()) {
    sample.label = dataset.graph_names[static_cast<std::size_t>(graph)];
  } else if (!dataset.truth.empty()) {
    std::vector<std::string> parts;
    for (std::int64_t part = 0; part < dataset.truth.num_parts(graph); ++part) {
      parts.push_back(types[static_cast<std::size_t>(dataset.truth.part(graph, part).type)]);
    }
    sample.label = join_words(parts, " + ");
  }
  if (!dataset.node_names.empty()) {
    const auto first = dataset.node_names.begin() + dataset.graphs.node_offsets.data_ptr<std::int64_t>()[graph];
    sample.node_labels.assign(first, first + sample.nodes);
  }
}

}  // namespace

PageFactorGraphs page_factor_graphs(GraphModel& model, const Dataset& dataset, std::span<const std::int64_t> graphs,
                                    int layer, std::int64_t batch_size) {
  require(layer >= 1 && layer <= model.num_factor_layers(), "page: layer ", layer, " is not among the ",
          model.num_factor_layers(), " layers with factor graphs");
  PageFactorGraphs part;
  part.id = "factor-graphs";
  part.title = "Factor graphs";
  part.shown_layer = layer - 1;
  part.types = names_of_relations(dataset.truth);
  const EvaluationMode mode(model);
  const std::vector<std::string> names = names_of_outputs(dataset);
  const bool nodes_predicted = is_node_task(dataset.task);
  const bool graphs_predicted = dataset.task != Task::kNone && !nodes_predicted;
  const NodeColourings colourings(dataset, names, nodes_predicted);
  part.colourings = colourings.colourings();
  part.layers.resize(static_cast<std::size_t>(model.num_factor_layers()));
  std::vector<std::optional<DisentanglementScorer>> scorers(part.layers.size());
  const std::int64_t* nodes = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  for (const auto ids : cut_batches(graphs, batch_size)) {
    const GraphBatch batch = select_graphs(dataset.graphs, ids);
    at::Tensor prediction;
    if (nodes_predicted || graphs_predicted) {
      prediction = model.forward(batch, false).prediction;
    }
    std::vector<at::Tensor> readings;
    for (std::size_t at = 0; at < part.layers.size(); ++at) {
      readings.push_back(model.factor_coefficients(batch, static_cast<int>(at)).to(at::kFloat).contiguous());
      if (part.layers[at].factors.empty()) {
        part.layers[at] = {fmt::format("layer {}", at + 1), numbered_names(part.word, readings[at].size(1)), {}};
        if (!dataset.truth.empty()) {
          scorers[at].emplace(dataset.truth.num_types(), static_cast<int>(readings[at].size(1)));
        }
      }
    }
    const std::int64_t* first_node = batch.graph_offsets.data_ptr<std::int64_t>();
    for (std::size_t index = 0; index < ids.size(); ++index) {
      const Entries entries = entries_of(batch, static_cast<std::int64_t>(index));
      const NodePairs pairs(entries.sources, entries.targets);
      PageSample sample;
      sample.id = std::to_string(ids[index]);
      sample.nodes = static_cast<std::int32_t>(nodes[ids[index] + 1] - nodes[ids[index]]);
      sample.edges = pairs.ends();
      sample.directions = pairs.directions();
      add_names(dataset, ids[index], part.types, sample);
      if (!dataset.truth.empty()) {
        for (std::int64_t at = 0; at < dataset.truth.num_parts(ids[index]); ++at) {
          sample.truth.push_back(page_truth(dataset.truth.part(ids[index], at), pairs));
        }
      }
      for (std::size_t at = 0; at < readings.size(); ++at) {
        const at::Tensor own = readings[at].narrow(0, entries.first, static_cast<std::int64_t>(entries.sources.size()));
        const std::vector<double> sums =
            pairs.sums(own.data_ptr<float>(), static_cast<std::size_t>(readings[at].size(1)));
        sample.layers.push_back(read_layer(sums, pairs));
        if (scorers[at]) {
          add_matches(own, entries, sums, dataset, ids[index], *scorers[at], sample, sample.layers.back());
        }
      }
      const auto row = static_cast<std::int64_t>(index);
      if (graphs_predicted) {
        add_outcome(dataset, dataset.targets[ids[index]], prediction[row], names, sample);
      }
      sample.colours =
          colourings.colours(nodes[ids[index]], sample.nodes,
                             nodes_predicted ? prediction.narrow(0, first_node[index], sample.nodes) : at::Tensor());
      part.samples.push_back(std::move(sample));
    }
  }
  for (std::size_t at = 0; at < part.layers.size(); ++at) {
    if (part.layers[at].factors.empty()) {  // no graph was asked for
      part.layers[at] = {fmt::format("layer {}", at + 1), numbered_names(part.word, 1), {}};
    }
  }
  return part;
}

}  // namespace factorgcn
