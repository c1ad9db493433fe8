// Factor graphs of chosen graphs, as a page shows them. Cost: one forward pass per batch, a sort of the edges per
// relation.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "factorgcn/base/error.h"
#include "factorgcn/base/text.h"
#include "factorgcn/eval/disentanglement.h"
#include "factorgcn/graph/graph_store.h"
#include "factorgcn/report/run_page.h"
#include "factorgcn/train/evaluation_mode.h"
#include "factorgcn/train/labelled_batch.h"

namespace factorgcn {
namespace {

constexpr std::int64_t kMostNodes = 400;
constexpr std::int64_t kMostEdges = 3000;

struct Edges {
  std::vector<std::int32_t> sources, targets;
  std::int64_t first = 0;  ///< of the batch's edges
};

Edges edges_of(const GraphBatch& batch, std::int64_t graph) {
  const std::int64_t* nodes = batch.graph_offsets.data_ptr<std::int64_t>();
  const std::int64_t* offsets = batch.edges.in_offsets.data_ptr<std::int64_t>();
  const std::int32_t* from = batch.edges.in_sources.data_ptr<std::int32_t>();
  Edges edges;
  edges.first = offsets[nodes[graph]];
  for (std::int64_t node = nodes[graph]; node < nodes[graph + 1]; ++node) {
    for (std::int64_t edge = offsets[node]; edge < offsets[node + 1]; ++edge) {
      edges.sources.push_back(static_cast<std::int32_t>(from[edge] - nodes[graph]));
      edges.targets.push_back(static_cast<std::int32_t>(node - nodes[graph]));
    }
  }
  return edges;
}

/// The node pairs of a graph in ascending order, and the summed coefficient of both directions in every factor.
class Pairs {
 public:
  explicit Pairs(const FactorGraphs& graphs) : factors_(graphs.num_factors) {
    for (std::size_t edge = 0; edge < graphs.sources.size(); ++edge) {
      if (graphs.sources[edge] != graphs.targets[edge]) {
        keys_.push_back(std::minmax(graphs.sources[edge], graphs.targets[edge]));
      }
    }
    std::sort(keys_.begin(), keys_.end());
    keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
    sums_.assign(keys_.size() * factors_, 0.0);
    for (std::size_t edge = 0; edge < graphs.sources.size(); ++edge) {
      if (graphs.sources[edge] != graphs.targets[edge]) {
        const std::int64_t pair = find(graphs.sources[edge], graphs.targets[edge]);
        for (int factor = 0; factor < factors_; ++factor) {
          sums_[pair * factors_ + factor] += graphs.coefficients[edge * factors_ + factor];
        }
      }
    }
  }

  std::size_t size() const { return keys_.size(); }
  const std::pair<std::int32_t, std::int32_t>& operator[](std::size_t pair) const { return keys_[pair]; }

  /// -1 where the graph has no such edge.
  std::int64_t find(std::int32_t source, std::int32_t target) const {
    const std::pair<std::int32_t, std::int32_t> key = std::minmax(source, target);
    const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
    return found == keys_.end() || *found != key ? -1 : found - keys_.begin();
  }

  /// Mean of both directions; a lone direction counts half, as in the score. Parallel edges may exceed 1: cut.
  float coefficient(std::size_t pair, int factor) const {
    return static_cast<float>(std::clamp(sums_[pair * factors_ + factor] / 2, 0.0, 1.0));
  }

  /// The factor's `count` strongest positive pairs, ascending, ranked as eval/disentanglement.h does.
  std::vector<std::int32_t> strongest(int factor, std::size_t count) const {
    std::vector<std::int32_t> pairs;
    for (std::size_t pair = 0; pair < keys_.size(); ++pair) {
      if (sums_[pair * factors_ + factor] > 0) {
        pairs.push_back(static_cast<std::int32_t>(pair));
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [&](std::int32_t a, std::int32_t b) {
      return sums_[a * factors_ + factor] > sums_[b * factors_ + factor];
    });
    pairs.resize(std::min(pairs.size(), count));
    std::sort(pairs.begin(), pairs.end());
    return pairs;
  }

 private:
  int factors_;
  std::vector<std::pair<std::int32_t, std::int32_t>> keys_;
  std::vector<double> sums_;  ///< [pairs, factors]
};

PageTruth page_truth(const GroundTruth::Part& part, const Pairs& pairs) {
  PageTruth truth;
  truth.type = part.type;
  std::vector<std::pair<std::int32_t, std::int32_t>> absent;
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

/// What a data set calls its outputs; the true relations where labels are those.
std::vector<std::string> names_of_outputs(const Dataset& dataset) {
  if (!dataset.output_names.empty()) {
    return dataset.output_names;
  }
  if (dataset.task == Task::kMultiLabel && dataset.truth.num_types() == dataset.num_outputs) {
    return dataset.truth.type_names;
  }
  std::vector<std::string> names;
  for (std::int64_t output = 0; output < dataset.num_outputs; ++output) {
    names.push_back(std::to_string(output));
  }
  return names;
}

/// Names of the true relations; bare numbers say nothing by themselves.
std::vector<std::string> names_of_relations(const GroundTruth& truth) {
  std::vector<std::string> names = truth.type_names;
  for (std::string& name : names) {
    if (name.find_first_not_of("0123456789") == std::string::npos) {
      name = "relation " + name;
    }
  }
  return names;
}

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) {
    text += (text.empty() ? "" : between) + word;
  }
  return text;
}

/// One graph's target or prediction in words; empty where the task is one of nodes.
std::string outcome_text(const Dataset& dataset, const at::Tensor& row, bool is_prediction,
                         const std::vector<std::string>& names) {
  switch (dataset.task) {
    case Task::kMultiLabel: {
      std::vector<std::string> chosen;
      for (std::int64_t output = 0; output < dataset.num_outputs; ++output) {
        if (row[output].item<double>() > (is_prediction ? 0.0 : 0.5)) {
          chosen.push_back(names[output]);
        }
      }
      return chosen.empty() ? "none" : join(chosen, " + ");
    }
    case Task::kRegression: {
      std::vector<std::string> values;
      for (std::int64_t output = 0; output < row.numel(); ++output) {
        values.push_back(format_fixed(row.reshape({-1})[output].item<double>(), 3));
      }
      return join(values, ", ");
    }
    case Task::kGraphClass:
      return names[is_prediction ? row.argmax().item<std::int64_t>() : row.item<std::int64_t>()];
    default:
      return "";
  }
}

void add_truth(const FactorGraphs& view, const Pairs& pairs, const Dataset& dataset, std::int64_t graph,
               DisentanglementScorer& scorer, PageSample& sample) {
  const std::vector<FactorMatch> matches = scorer.add(view, dataset.truth, graph);
  double total = 0;
  for (std::size_t index = 0; index < matches.size(); ++index) {
    const FactorMatch& match = matches[index];
    sample.truth.push_back(page_truth(dataset.truth.part(graph, static_cast<std::int64_t>(index)), pairs));
    const PageTruth& truth = sample.truth.back();
    PageMatch shown{static_cast<int>(index), match.factor, match.ged_e, {}};
    if (match.factor >= 0) {
      shown.kept = pairs.strongest(match.factor, truth.edges.size() + static_cast<std::size_t>(truth.missing));
    }
    sample.matches.push_back(std::move(shown));
    total += match.ged_e;
  }
  if (!matches.empty()) {
    sample.ged = total / static_cast<double>(matches.size());
  }
}

void add_names(const Dataset& dataset, std::int64_t graph, const std::vector<std::string>& types, PageSample& sample) {
  if (!dataset.graph_names.empty()) {
    sample.label = dataset.graph_names[graph];
  } else if (!dataset.truth.empty()) {
    std::vector<std::string> parts;
    for (std::int64_t part = 0; part < dataset.truth.num_parts(graph); ++part) {
      parts.push_back(types[dataset.truth.part(graph, part).type]);
    }
    sample.label = join(parts, " + ");
  }
  if (!dataset.node_names.empty()) {
    const std::int64_t first = dataset.graphs.node_offsets.data_ptr<std::int64_t>()[graph];
    sample.node_labels.assign(dataset.node_names.begin() + first, dataset.node_names.begin() + first + sample.nodes);
  }
}

/// Targets and predictions, unless they say nothing that the label does not.
void add_outcome(const Dataset& dataset, const at::Tensor& target, const at::Tensor& prediction,
                 const std::vector<std::string>& names, PageSample& sample) {
  const std::string wanted = outcome_text(dataset, target, false, names);
  const std::string got = outcome_text(dataset, prediction, true, names);
  if (sample.label.empty()) {
    sample.label = wanted;
  }
  if (dataset.task == Task::kRegression || wanted != got) {
    sample.facts.push_back({"target", wanted});
  }
  sample.facts.push_back({"predicted", dataset.task != Task::kRegression && wanted == got ? "correctly" : got});
}

}  // namespace

PageFactorGraphs page_factor_graphs(GraphModel& model, const Dataset& dataset, std::span<const std::int64_t> graphs,
                                    int layer, std::int64_t batch_size) {
  require(layer >= 1 && layer <= model.num_factor_layers(), "page: layer ", layer, " is not among the ",
          model.num_factor_layers(), " layers with factor graphs");
  PageFactorGraphs part;
  part.id = "factor-graphs";
  part.title = "Factor graphs";
  part.layer = layer;
  part.types = names_of_relations(dataset.truth);
  std::vector<std::int64_t> shown;
  const std::int64_t* nodes = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  const std::int64_t* entries = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
  std::copy_if(graphs.begin(), graphs.end(), std::back_inserter(shown), [&](std::int64_t graph) {
    return nodes[graph + 1] - nodes[graph] <= kMostNodes && entries[graph + 1] - entries[graph] <= 2 * kMostEdges;
  });
  if (shown.size() < graphs.size()) {
    part.caption = fmt::format("{} of {} graphs are too large to be drawn (more than {} nodes or {} edges). ",
                               graphs.size() - shown.size(), graphs.size(), kMostNodes, kMostEdges);
  }
  const EvaluationMode mode(model);
  const std::vector<std::string> names = names_of_outputs(dataset);
  const bool graph_targets = dataset.task != Task::kNone && !is_node_task(dataset.task);
  std::optional<DisentanglementScorer> scorer;
  for (const auto ids : cut_batches(shown, batch_size)) {
    const GraphBatch batch = select_graphs(dataset.graphs, ids);
    const at::Tensor coefficients = model.factor_coefficients(batch, layer - 1).to(at::kDouble).contiguous();
    const at::Tensor prediction = graph_targets ? model.forward(batch, false).prediction : at::Tensor();
    part.factors = static_cast<int>(coefficients.size(1));
    if (!scorer && !dataset.truth.empty()) {
      scorer.emplace(dataset.truth.num_types(), part.factors);
    }
    for (std::size_t index = 0; index < ids.size(); ++index) {
      const Edges edges = edges_of(batch, static_cast<std::int64_t>(index));
      const auto values = static_cast<std::size_t>(part.factors) * edges.sources.size();
      PageSample sample;
      sample.id = std::to_string(ids[index]);
      sample.nodes = static_cast<std::int32_t>(nodes[ids[index] + 1] - nodes[ids[index]]);
      const FactorGraphs view{sample.nodes,
                              part.factors,
                              edges.sources,
                              edges.targets,
                              {coefficients.data_ptr<double>() + edges.first * part.factors, values}};
      const Pairs pairs(view);
      for (std::size_t pair = 0; pair < pairs.size(); ++pair) {
        sample.edges.insert(sample.edges.end(), {pairs[pair].first, pairs[pair].second});
        for (int factor = 0; factor < part.factors; ++factor) {
          sample.coefficients.push_back(pairs.coefficient(pair, factor));
        }
      }
      add_names(dataset, ids[index], part.types, sample);
      if (scorer) {
        add_truth(view, pairs, dataset, ids[index], *scorer, sample);
      }
      if (graph_targets) {
        add_outcome(dataset, dataset.targets[ids[index]], prediction[static_cast<std::int64_t>(index)], names, sample);
      }
      part.samples.push_back(std::move(sample));
    }
  }
  part.factors = std::max(part.factors, 1);
  return part;
}

}  // namespace factorgcn
