// Counting sorts over the edges of many graphs. Cost: O(N + E), and a sort of the missing reverses; memory for one edge
// list beside the store. Each graph is worked on alone and writes its own places, so threads cannot change the result.
#include "data/tu_edges.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "graph/edge_orders.h"

namespace factorgcn {
namespace {

/// Graphs are handed out to threads in runs of about this many nodes and edges.
constexpr std::int64_t kTaskItems = std::int64_t{1} << 18;

template <class Number>
std::size_t at_index(Number value) {
  return static_cast<std::size_t>(value);
}

/// First graph of each run, and the number of graphs at the end.
std::vector<std::int64_t> cut_runs(const std::vector<std::int64_t>& node_offsets,
                                   const std::vector<std::int64_t>& edge_offsets) {
  const auto graphs = static_cast<std::int64_t>(node_offsets.size()) - 1;
  std::vector<std::int64_t> runs{0};
  std::int64_t items = 0;
  for (std::int64_t graph = 0; graph < graphs; ++graph) {
    const auto index = at_index(graph);
    items += node_offsets[index + 1] - node_offsets[index] + edge_offsets[index + 1] - edge_offsets[index];
    if (items >= kTaskItems || graph + 1 == graphs) {
      runs.push_back(graph + 1);
      items = 0;
    }
  }
  return runs;
}

/// values[e] sorted by graph_of(e), keeping the order inside a graph.
template <class Value, class GraphOf>
void sort_by_graph(std::vector<Value>& values, const std::vector<std::int64_t>& offsets, const GraphOf& graph_of) {
  std::vector<std::int64_t> next(offsets.begin(), offsets.end() - 1);
  std::vector<Value> sorted(values.size());
  for (std::size_t edge = 0; edge < values.size(); ++edge) {
    sorted[at_index(next[graph_of(edge)]++)] = values[edge];
  }
  values = std::move(sorted);
}

/// Finds the edges of one graph whose reverse is not among its edges. The vectors are scratch.
class ReverseFinder {
 public:
  void find(std::int64_t nodes, std::span<const std::int32_t> source, std::span<const std::int32_t> target,
            std::vector<MissingReverse>& missing) {
    in_edges_.resize(source.size());
    out_targets_.resize(source.size());
    in_next_.assign(at_index(nodes) + 1, 0);
    out_next_.assign(at_index(nodes) + 1, 0);
    for (std::size_t edge = 0; edge < source.size(); ++edge) {
      ++in_next_[at_index(target[edge]) + 1];
      ++out_next_[at_index(source[edge]) + 1];
    }
    std::partial_sum(in_next_.begin(), in_next_.end(), in_next_.begin());
    std::partial_sum(out_next_.begin(), out_next_.end(), out_next_.begin());
    for (std::size_t edge = 0; edge < source.size(); ++edge) {
      in_edges_[at_index(in_next_[at_index(target[edge])]++)] = static_cast<std::int64_t>(edge);
      out_targets_[at_index(out_next_[at_index(source[edge])]++)] = target[edge];
    }
    // Each start has moved on to the next node's: the lists of node v now lie in next[v - 1] .. next[v].
    is_target_of_.assign(at_index(nodes), -1);
    is_added_to_.assign(at_index(nodes), -1);
    const std::size_t first_missing = missing.size();
    for (std::int64_t node = 0; node < nodes; ++node) {
      const auto index = at_index(node);
      for (std::int64_t place = index == 0 ? 0 : out_next_[index - 1]; place < out_next_[index]; ++place) {
        is_target_of_[at_index(out_targets_[at_index(place)])] = node;
      }
      for (std::int64_t place = index == 0 ? 0 : in_next_[index - 1]; place < in_next_[index]; ++place) {
        const std::int64_t edge = in_edges_[at_index(place)];
        const auto from = at_index(source[at_index(edge)]);
        if (is_target_of_[from] != node) {
          missing.push_back({edge, is_added_to_[from] != node});
          is_added_to_[from] = node;
        }
      }
    }
    std::sort(missing.begin() + static_cast<std::ptrdiff_t>(first_missing), missing.end(),
              [](const MissingReverse& left, const MissingReverse& right) { return left.edge < right.edge; });
  }

 private:
  std::vector<std::int64_t> in_edges_, in_next_, out_next_, is_target_of_, is_added_to_;
  std::vector<std::int32_t> out_targets_;
};

void find_missing_reverses(GroupedEdges& edges, const NodePlaces& places) {
  const std::vector<std::int64_t> runs = cut_runs(places.offsets, edges.offsets);
  const auto tasks = static_cast<std::int64_t>(runs.size()) - 1;
  std::vector<std::vector<MissingReverse>> found(at_index(tasks));
  edges.missing_offsets.assign(places.offsets.size(), 0);
  parallel_tasks(tasks, [&](std::int64_t task) {
    ReverseFinder finder;
    std::vector<MissingReverse>& missing = found[at_index(task)];
    for (std::int64_t graph = runs[at_index(task)]; graph < runs[at_index(task) + 1]; ++graph) {
      const auto index = at_index(graph);
      const auto first = at_index(edges.offsets[index]);
      const std::size_t count = at_index(edges.offsets[index + 1]) - first;
      const std::size_t before = missing.size();
      finder.find(places.offsets[index + 1] - places.offsets[index],
                  std::span(std::as_const(edges.source)).subspan(first, count),
                  std::span(std::as_const(edges.target)).subspan(first, count), missing);
      edges.missing_offsets[index + 1] = static_cast<std::int64_t>(missing.size() - before);
    }
  });
  std::partial_sum(edges.missing_offsets.begin(), edges.missing_offsets.end(), edges.missing_offsets.begin());
  for (const std::vector<MissingReverse>& part : found) {
    edges.missing.insert(edges.missing.end(), part.begin(), part.end());
  }
}

/// All edges of one graph, in their order: of the file, reverses, self loops. The vectors are reused.
struct GraphEdges {
  std::vector<std::int32_t> added_source, added_target;  ///< reverses, then self loops
  std::int64_t self_loops = 0;

  void find_added(const GroupedEdges& edges, std::size_t graph, std::int64_t nodes, bool want_self_loops) {
    added_source.clear();
    added_target.clear();
    const std::int64_t first = edges.offsets[graph];
    for (std::int64_t index = edges.missing_offsets[graph]; index < edges.missing_offsets[graph + 1]; ++index) {
      const MissingReverse& missing = edges.missing[at_index(index)];
      if (missing.is_first) {
        added_source.push_back(edges.target[at_index(first + missing.edge)]);
        added_target.push_back(edges.source[at_index(first + missing.edge)]);
      }
    }
    self_loops = 0;
    if (!want_self_loops) {
      return;
    }
    has_loop_.assign(at_index(nodes), 0);
    for (auto edge = at_index(first); edge < at_index(edges.offsets[graph + 1]); ++edge) {
      if (edges.source[edge] == edges.target[edge]) {
        has_loop_[at_index(edges.source[edge])] = 1;
      }
    }
    for (std::int64_t node = 0; node < nodes; ++node) {
      if (!has_loop_[at_index(node)]) {
        added_source.push_back(static_cast<std::int32_t>(node));
        added_target.push_back(static_cast<std::int32_t>(node));
        ++self_loops;
      }
    }
  }

 private:
  std::vector<char> has_loop_;
};

}  // namespace

NodePlaces place_nodes(const TuTables& tables) {
  NodePlaces places;
  places.offsets.assign(at_index(tables.num_graphs) + 1, 0);
  places.local.resize(tables.node_graph.size());
  for (std::size_t node = 0; node < tables.node_graph.size(); ++node) {
    places.local[node] = static_cast<std::int32_t>(places.offsets[at_index(tables.node_graph[node]) + 1]++);
  }
  std::partial_sum(places.offsets.begin(), places.offsets.end(), places.offsets.begin());
  return places;
}

GroupedEdges group_edges(TuTables& tables, const NodePlaces& places) {
  GroupedEdges edges;
  edges.source = std::exchange(tables.edge_source, {});
  edges.target = std::exchange(tables.edge_target, {});
  edges.labels = std::exchange(tables.edge_labels, {});
  const auto graph_of = [&](std::size_t edge) { return at_index(tables.node_graph[at_index(edges.source[edge])]); };
  edges.offsets.assign(at_index(tables.num_graphs) + 1, 0);
  bool is_sorted = true;
  std::size_t last_graph = 0;
  for (std::size_t edge = 0; edge < edges.source.size(); ++edge) {
    const std::size_t graph = graph_of(edge);
    ++edges.offsets[graph + 1];
    is_sorted = is_sorted && graph >= last_graph;
    last_graph = graph;
  }
  std::partial_sum(edges.offsets.begin(), edges.offsets.end(), edges.offsets.begin());
  if (!is_sorted) {
    sort_by_graph(edges.labels, edges.offsets, graph_of);
    sort_by_graph(edges.target, edges.offsets, graph_of);
    sort_by_graph(edges.source, edges.offsets, graph_of);  // last: graph_of() looks at it
  }
  for (std::size_t edge = 0; edge < edges.source.size(); ++edge) {
    edges.source[edge] = places.local[at_index(edges.source[edge])];
    edges.target[edge] = places.local[at_index(edges.target[edge])];
  }
  find_missing_reverses(edges, places);
  return edges;
}

std::int64_t fill_edge_orders(const GroupedEdges& edges, const NodePlaces& places, bool self_loops,
                              const std::string& name, GraphStore& store) {
  const auto graphs = static_cast<std::int64_t>(places.offsets.size()) - 1;
  const std::int64_t nodes = places.offsets.back();
  const std::vector<std::int64_t> runs = cut_runs(places.offsets, edges.offsets);
  const auto tasks = static_cast<std::int64_t>(runs.size()) - 1;
  const auto for_each_graph = [&](const auto& body) {
    parallel_tasks(tasks, [&](std::int64_t task) {
      GraphEdges added;
      std::vector<std::int64_t> in_next;
      std::vector<std::int64_t> out_next;
      for (std::int64_t graph = runs[at_index(task)]; graph < runs[at_index(task) + 1]; ++graph) {
        const auto index = at_index(graph);
        added.find_added(edges, index, places.offsets[index + 1] - places.offsets[index], self_loops);
        body(index, added, in_next, out_next);
      }
    });
  };

  store.node_offsets = at::empty({graphs + 1}, at::kLong);
  store.edge_offsets = at::empty({graphs + 1}, at::kLong);
  std::copy(places.offsets.begin(), places.offsets.end(), store.node_offsets.data_ptr<std::int64_t>());
  auto* edge_offsets = store.edge_offsets.data_ptr<std::int64_t>();
  edge_offsets[0] = 0;
  std::vector<std::int64_t> added_loops(at_index(graphs));
  for_each_graph([&](std::size_t graph, const GraphEdges& added, auto&, auto&) {
    edge_offsets[graph + 1] =
        edges.offsets[graph + 1] - edges.offsets[graph] + static_cast<std::int64_t>(added.added_source.size());
    added_loops[graph] = added.self_loops;
  });
  for (std::int64_t graph = 0; graph < graphs; ++graph) {
    require(edge_offsets[graph + 1] <= std::numeric_limits<std::int32_t>::max(), name, ": graph ", graph + 1, " has ",
            edge_offsets[graph + 1], " edges; a stored graph has at most ", std::numeric_limits<std::int32_t>::max());
    edge_offsets[graph + 1] += edge_offsets[graph];
  }

  store.in_degrees = at::empty({nodes}, at::kInt);
  store.out_degrees = at::empty({nodes}, at::kInt);
  store.in_sources = at::empty({edge_offsets[graphs]}, at::kInt);
  store.out_targets = at::empty({edge_offsets[graphs]}, at::kInt);
  store.in_to_out = at::empty({edge_offsets[graphs]}, at::kInt);
  auto* const in_degrees = store.in_degrees.data_ptr<std::int32_t>();
  auto* const out_degrees = store.out_degrees.data_ptr<std::int32_t>();
  auto* const in_sources = store.in_sources.data_ptr<std::int32_t>();
  auto* const out_targets = store.out_targets.data_ptr<std::int32_t>();
  auto* const in_to_out = store.in_to_out.data_ptr<std::int32_t>();
  for_each_graph([&](std::size_t graph, const GraphEdges& added, std::vector<std::int64_t>& in_next,
                     std::vector<std::int64_t>& out_next) {
    const std::int64_t first_node = places.offsets[graph];
    const std::int64_t graph_nodes = places.offsets[graph + 1] - first_node;
    const auto first_edge = at_index(edges.offsets[graph]);
    const std::size_t count = at_index(edges.offsets[graph + 1]) - first_edge;
    const std::span<const std::int32_t> sources[] = {std::span(edges.source).subspan(first_edge, count),
                                                     added.added_source};
    const std::span<const std::int32_t> targets[] = {std::span(edges.target).subspan(first_edge, count),
                                                     added.added_target};
    std::int32_t* const in_degree = in_degrees + first_node;
    std::int32_t* const out_degree = out_degrees + first_node;
    std::fill_n(in_degree, graph_nodes, 0);
    std::fill_n(out_degree, graph_nodes, 0);
    for (const int part : {0, 1}) {
      for (std::size_t edge = 0; edge < sources[part].size(); ++edge) {
        ++in_degree[targets[part][edge]];
        ++out_degree[sources[part][edge]];
      }
    }
    in_next.resize(at_index(graph_nodes));
    out_next.resize(at_index(graph_nodes));
    std::exclusive_scan(in_degree, in_degree + graph_nodes, in_next.begin(), std::int64_t{0});
    std::exclusive_scan(out_degree, out_degree + graph_nodes, out_next.begin(), std::int64_t{0});
    for (const int part : {0, 1}) {
      place_edges(sources[part], targets[part], in_next.data(), out_next.data(), in_sources + edge_offsets[graph],
                  out_targets + edge_offsets[graph], in_to_out + edge_offsets[graph]);
    }
  });
  return std::accumulate(added_loops.begin(), added_loops.end(), std::int64_t{0});
}

}  // namespace factorgcn
