// Plain graphs out of a store: in- and out-neighbours of each node are joined, sorted and made unique.
#include "factorgcn/classic/plain_graph.h"

#include <algorithm>
#include <array>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

constexpr std::array kLabelNames{"types", "degree", "none"};

/// Sorts each node's list, drops repetitions and the node itself, and moves all lists together.
void tidy(PlainGraph& graph) {
  std::int64_t kept = 0;
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    const auto first = graph.neighbours.begin() + graph.offsets[static_cast<std::size_t>(node)];
    auto last = graph.neighbours.begin() + graph.offsets[static_cast<std::size_t>(node) + 1];
    std::sort(first, last);
    last = std::unique(first, last);
    last = std::remove(first, last, static_cast<std::int32_t>(node));
    graph.offsets[static_cast<std::size_t>(node)] = kept;
    kept = std::copy(first, last, graph.neighbours.begin() + kept) - graph.neighbours.begin();
  }
  graph.offsets.back() = kept;
  graph.neighbours.resize(static_cast<std::size_t>(kept));
}

void label_by_degree(PlainGraph& graph) {
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    graph.labels[static_cast<std::size_t>(node)] = graph.degree(node);
  }
}

}  // namespace

const char* node_labels_name(NodeLabels labels) { return kLabelNames[static_cast<std::size_t>(labels)]; }

NodeLabels node_labels_from_name(const std::string& name) {
  const auto* const found = std::find(kLabelNames.begin(), kLabelNames.end(), name);
  require_usage(found != kLabelNames.end(), "node labels '", name, "': choose types, degree or none");
  return static_cast<NodeLabels>(found - kLabelNames.begin());
}

NodeLabels usual_labels(const Dataset& dataset) {
  return dataset.num_node_types > 0 ? NodeLabels::kTypes : NodeLabels::kDegree;
}

PlainGraph make_plain_graph(std::int64_t nodes, std::span<const std::int32_t> source,
                            std::span<const std::int32_t> target, std::vector<std::int64_t> labels) {
  require(source.size() == target.size(), "a graph has ", source.size(), " sources and ", target.size(), " targets");
  require(static_cast<std::int64_t>(labels.size()) == nodes, "a graph has ", nodes, " nodes and ", labels.size(),
          " labels");
  PlainGraph graph;
  graph.labels = std::move(labels);
  graph.offsets.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (const auto& ends : {source, target}) {
    for (const std::int32_t node : ends) {
      require(node >= 0 && node < nodes, "an edge ends at node ", node, "; the graph has ", nodes, " nodes");
      ++graph.offsets[static_cast<std::size_t>(node) + 1];
    }
  }
  for (std::size_t node = 1; node < graph.offsets.size(); ++node) {
    graph.offsets[node] += graph.offsets[node - 1];
  }
  graph.neighbours.resize(2 * source.size());
  std::vector<std::int64_t> next(graph.offsets.begin(), graph.offsets.end() - 1);
  const auto add = [&](std::int32_t from, std::int32_t to) {
    graph.neighbours[static_cast<std::size_t>(next[static_cast<std::size_t>(from)]++)] = to;
  };
  for (std::size_t edge = 0; edge < source.size(); ++edge) {
    add(source[edge], target[edge]);
    add(target[edge], source[edge]);
  }
  tidy(graph);
  return graph;
}

std::vector<PlainGraph> plain_graphs(const Dataset& dataset, NodeLabels labels) {
  require_usage(labels != NodeLabels::kTypes || dataset.num_node_types > 0, "data set ", dataset.name,
                " has no node types; choose labels=degree or labels=none");
  const GraphStore& store = dataset.graphs;
  std::vector<PlainGraph> graphs(static_cast<std::size_t>(store.num_graphs()));
  const auto* const node_offsets = store.node_offsets.data_ptr<std::int64_t>();
  const auto* const edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  const auto* const in_degrees = store.in_degrees.data_ptr<std::int32_t>();
  const auto* const in_sources = store.in_sources.data_ptr<std::int32_t>();
  const std::int64_t* const types = labels == NodeLabels::kTypes ? store.features.data_ptr<std::int64_t>() : nullptr;
  parallel_tasks(store.num_graphs(), [&](std::int64_t index) {
    const std::int64_t first = node_offsets[index];
    const std::int64_t nodes = node_offsets[index + 1] - first;
    const std::int32_t* const sources = in_sources + edge_offsets[index];
    const auto edges = static_cast<std::size_t>(edge_offsets[index + 1] - edge_offsets[index]);
    std::vector<std::int32_t> targets;
    targets.reserve(edges);
    for (std::int64_t node = 0; node < nodes; ++node) {
      targets.insert(targets.end(), static_cast<std::size_t>(in_degrees[first + node]),
                     static_cast<std::int32_t>(node));
    }
    std::vector<std::int64_t> own(static_cast<std::size_t>(nodes), 0);
    if (types != nullptr) {
      own.assign(types + first, types + first + nodes);
    }
    PlainGraph& graph = graphs[static_cast<std::size_t>(index)];
    graph = make_plain_graph(nodes, {sources, edges}, targets, std::move(own));
    if (labels == NodeLabels::kDegree) {
      label_by_degree(graph);
    }
  });
  return graphs;
}

}  // namespace factorgcn
