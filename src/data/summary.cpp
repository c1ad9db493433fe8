// Counts what is in a data set. One pass over nodes, edges, targets and ground truth; the data set must be a checked
// one.
#include "factorgcn/data/summary.h"

#include <algorithm>

namespace factorgcn {
namespace {

/// Gathers smallest, mean and largest.
class RangeCounter {
 public:
  void add(double value) {
    range_.min = count_ == 0 ? value : std::min(range_.min, value);
    range_.max = count_ == 0 ? value : std::max(range_.max, value);
    sum_ += value;
    ++count_;
  }
  ValueRange range() const {
    ValueRange range = range_;
    range.mean = count_ == 0 ? 0.0 : sum_ / static_cast<double>(count_);
    return range;
  }

 private:
  ValueRange range_;
  double sum_ = 0;
  std::int64_t count_ = 0;
};

void summarise_graphs(const GraphStore& graphs, DatasetSummary& summary) {
  const auto* node_offsets = graphs.node_offsets.data_ptr<std::int64_t>();
  const auto* edge_offsets = graphs.edge_offsets.data_ptr<std::int64_t>();
  const auto* in_degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* in_sources = graphs.in_sources.data_ptr<std::int32_t>();
  RangeCounter nodes;
  RangeCounter edges;
  RangeCounter degrees;
  std::int64_t edge = 0;  // edges lie graph by graph and node by node, so one running position meets them all
  for (std::int64_t graph = 0; graph < graphs.num_graphs(); ++graph) {
    nodes.add(static_cast<double>(node_offsets[graph + 1] - node_offsets[graph]));
    edges.add(static_cast<double>(edge_offsets[graph + 1] - edge_offsets[graph]));
    for (std::int64_t node = node_offsets[graph]; node < node_offsets[graph + 1]; ++node) {
      degrees.add(in_degrees[node]);
      for (const std::int64_t end = edge + in_degrees[node]; edge < end; ++edge) {
        summary.self_loops += in_sources[edge] == node - node_offsets[graph] ? 1 : 0;
      }
    }
  }
  summary.nodes_per_graph = nodes.range();
  summary.edges_per_graph = edges.range();
  summary.in_degree = degrees.range();
}

/// True where every edge has its reverse, as often as it occurs itself.
bool goes_both_ways(const GraphStore& graphs) {
  const auto* in_degrees = graphs.in_degrees.data_ptr<std::int32_t>();
  const auto* out_degrees = graphs.out_degrees.data_ptr<std::int32_t>();
  const auto* in_sources = graphs.in_sources.data_ptr<std::int32_t>();
  const auto* out_targets = graphs.out_targets.data_ptr<std::int32_t>();
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> targets;
  std::int64_t edge = 0;
  for (std::int64_t node = 0; node < graphs.num_nodes(); ++node) {
    if (in_degrees[node] != out_degrees[node]) {
      return false;  // and from here on the two orders would be out of step
    }
    sources.assign(in_sources + edge, in_sources + edge + in_degrees[node]);
    targets.assign(out_targets + edge, out_targets + edge + in_degrees[node]);
    edge += in_degrees[node];
    if (sources != targets) {
      std::sort(sources.begin(), sources.end());
      std::sort(targets.begin(), targets.end());
      if (sources != targets) {
        return false;
      }
    }
  }
  return true;
}

void summarise_targets(const Dataset& dataset, DatasetSummary& summary) {
  if (dataset.task == Task::kNone) {
    return;
  }
  std::int64_t rows = dataset.targets.size(0);
  const std::int64_t columns = dataset.num_outputs;
  if (dataset.task == Task::kRegression) {
    const auto* values = dataset.targets.data_ptr<float>();
    for (std::int64_t column = 0; column < columns; ++column) {
      RangeCounter range;
      for (std::int64_t row = 0; row < rows; ++row) {
        range.add(values[row * columns + column]);
      }
      summary.target_ranges.push_back(range.range());
    }
    return;
  }
  std::vector<std::int64_t> counts(static_cast<std::size_t>(columns), 0);
  if (dataset.task == Task::kMultiLabel) {
    const auto* labels = dataset.targets.data_ptr<float>();
    for (std::int64_t index = 0; index < rows * columns; ++index) {
      counts[static_cast<std::size_t>(index % columns)] += labels[index] > 0 ? 1 : 0;
    }
  } else {
    const auto* classes = dataset.targets.data_ptr<std::int64_t>();
    const auto count = [&](std::int64_t row) { ++counts[static_cast<std::size_t>(classes[row])]; };
    if (dataset.node_split) {
      // A node in no part may have no class at all: what its target holds means nothing.
      for (const auto* part : {&dataset.split.train, &dataset.split.validation, &dataset.split.test}) {
        std::for_each(part->begin(), part->end(), count);
      }
      rows = summary.train + summary.validation + summary.test;
    } else {
      for (std::int64_t row = 0; row < rows; ++row) {
        count(row);
      }
    }
  }
  summary.output_counts = counts;
  for (const std::int64_t count : counts) {
    summary.output_shares.push_back(rows == 0 ? 0.0 : static_cast<double>(count) / static_cast<double>(rows));
  }
}

void summarise_truth(const GroundTruth& truth, DatasetSummary& summary) {
  if (truth.empty()) {
    return;
  }
  const auto types = static_cast<std::size_t>(truth.num_types());
  std::vector<std::int64_t> parts(types, 0);
  std::vector<std::int64_t> entries(types, 0);
  std::vector<std::int64_t> graphs(types, 0);
  std::vector<std::int64_t> last_graph(types, -1);  // a type may have several parts in one graph
  for (std::int64_t graph = 0; graph < truth.num_graphs(); ++graph) {
    for (std::int64_t index = 0; index < truth.num_parts(graph); ++index) {
      const GroundTruth::Part part = truth.part(graph, index);
      const auto type = static_cast<std::size_t>(part.type);
      ++parts[type];
      entries[type] += static_cast<std::int64_t>(part.sources.size());
      graphs[type] += last_graph[type] == graph ? 0 : 1;
      last_graph[type] = graph;
    }
  }
  for (std::size_t type = 0; type < types; ++type) {
    const double mean = parts[type] == 0 ? 0.0 : static_cast<double>(entries[type]) / static_cast<double>(parts[type]);
    summary.truth_types.push_back({truth.type_names[type], graphs[type], mean});
  }
}

}  // namespace

DatasetSummary summarise(const Dataset& dataset) {
  DatasetSummary summary;
  summary.name = dataset.name;
  summary.task = dataset.task;
  summary.graphs = dataset.graphs.num_graphs();
  summary.nodes = dataset.graphs.num_nodes();
  summary.directed_edges = dataset.graphs.num_edges();
  summary.feature_columns = dataset.graphs.features.dim() == 2 ? dataset.graphs.features.size(1) : 0;
  summary.node_types = dataset.num_node_types;
  summary.outputs = dataset.num_outputs;
  summary.output_names = dataset.output_names;
  summary.added_self_loops = dataset.added_self_loops;
  summary.node_split = dataset.node_split;
  summary.train = static_cast<std::int64_t>(dataset.split.train.size());
  summary.validation = static_cast<std::int64_t>(dataset.split.validation.size());
  summary.test = static_cast<std::int64_t>(dataset.split.test.size());
  summarise_graphs(dataset.graphs, summary);
  if (goes_both_ways(dataset.graphs)) {
    summary.undirected_edges =
        (summary.directed_edges - summary.self_loops) / 2 + summary.self_loops - summary.added_self_loops;
  }
  summarise_targets(dataset, summary);
  summarise_truth(dataset.truth, summary);
  return summary;
}

}  // namespace factorgcn
