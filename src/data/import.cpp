// From tables of text to a data set: columns get their roles, graphs and nodes their numbers, each graph is packed,
// then targets and split are set.
#include "factorgcn/data/import.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "data/import_columns.h"
#include "data/import_entries.h"
#include "data/import_features.h"
#include "data/import_numbering.h"
#include "data/import_roles.h"
#include "data/import_targets.h"
#include "factorgcn/base/error.h"
#include "factorgcn/graph/sparse_features.h"

namespace factorgcn {
namespace {

class Importer {
 public:
  Importer(const GraphTables& tables, const ImportOptions& options) : tables_(tables), options_(options) {}

  Imported run() {
    for (const TextTable* table :
         {&tables_.edges, tables_.nodes ? &*tables_.nodes : nullptr, tables_.graphs ? &*tables_.graphs : nullptr}) {
      if (table != nullptr) {
        result_.notes.insert(result_.notes.end(), table->notes.begin(), table->notes.end());
      }
    }
    roles_ = choose_roles(tables_, options_);
    result_.dataset.task = roles_.task;
    result_.ends = roles_.ends;
    result_.notes.insert(result_.notes.end(), roles_.notes.begin(), roles_.notes.end());
    numbered_ = number_tables(tables_, options_, roles_, result_.notes);
    result_.dataset.truth.type_names = std::move(numbered_.relation_names);
    read_node_features();
    pack_graphs();
    set_import_targets(tables_, options_, roles_, numbered_, result_);
    set_names();
    return std::move(result_);
  }

 private:
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  void read_node_features() {
    if (!tables_.nodes) {
      return;
    }
    std::vector<std::int64_t> rows(numbered_.nodes.size());
    std::transform(numbered_.nodes.begin(), numbered_.nodes.end(), rows.begin(),
                   [](const NumberedNode& node) { return node.row; });
    FeatureTable table =
        read_features(*tables_.nodes, roles_.nodes.features, rows, options_.missing_values, result_.notes);
    features_ = std::move(table.values);
    result_.features = std::move(table.made_of);
    result_.dataset.feature_names = std::move(table.names);
  }

  static std::uint64_t edge_key(std::int32_t source, std::int32_t target) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
  }

  /// The parts of one graph: each relation's entries, sorted, once each.
  void add_truth(std::span<const NumberedEdge> edges) {
    std::vector<std::pair<std::int32_t, std::uint64_t>> entries;
    for (const NumberedEdge& edge : edges) {
      if (edge.relation >= 0) {
        entries.emplace_back(edge.relation, edge_key(edge.source, edge.target));
        if (edge.both_ways) {
          entries.emplace_back(edge.relation, edge_key(edge.target, edge.source));
        }
      }
    }
    std::sort(entries.begin(), entries.end());
    entries.erase(std::unique(entries.begin(), entries.end()), entries.end());
    GroundTruth& truth = result_.dataset.truth;
    truth.begin_graph();
    std::vector<std::int32_t> sources;
    std::vector<std::int32_t> targets;
    for (std::size_t index = 0; index < entries.size(); ++index) {
      sources.push_back(static_cast<std::int32_t>(entries[index].second >> 32));
      targets.push_back(static_cast<std::int32_t>(entries[index].second & 0xFFFFFFFFU));
      if (index + 1 == entries.size() || entries[index + 1].first != entries[index].first) {
        truth.add_part(entries[index].first, sources, targets);
        sources.clear();
        targets.clear();
      }
    }
  }

  /// Lines that say nothing new: the same ends (in any order where both directions count) and the same relation.
  static std::size_t count_repeats(std::span<const NumberedEdge> edges) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> seen;
    for (const NumberedEdge& edge : edges) {
      const bool swap = edge.both_ways && edge.source > edge.target;
      seen.emplace_back(swap ? edge_key(edge.target, edge.source) : edge_key(edge.source, edge.target),
                        std::int64_t{edge.relation} * 2 + edge.both_ways);
    }
    std::sort(seen.begin(), seen.end());
    return static_cast<std::size_t>(seen.end() - std::unique(seen.begin(), seen.end()));
  }

  struct JoinedEdges {
    std::vector<std::uint64_t> keys;  ///< source and target, sorted, once each
    std::vector<float> weights;       ///< of all rows with these ends, added in their order; empty: edges have none
  };

  JoinedEdges joined_edges(std::span<const NumberedEdge> edges) const {
    JoinedEdges joined;
    std::vector<std::pair<std::uint64_t, float>> rows;
    for (const NumberedEdge& edge : edges) {
      rows.emplace_back(edge_key(edge.source, edge.target), edge.weight);
      if (edge.both_ways && edge.source != edge.target) {
        rows.emplace_back(edge_key(edge.target, edge.source), edge.weight);
      }
    }
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t row = 0; row < rows.size();) {
      double sum = 0;
      const std::uint64_t key = rows[row].first;
      for (; row < rows.size() && rows[row].first == key; ++row) {
        sum += rows[row].second;
      }
      joined.keys.push_back(key);
      if (roles_.edges.weight) {
        require(std::abs(sum) <= std::numeric_limits<float>::max(), tables_.edges.origin, ": the weights of edge ",
                key >> 32, " -> ", key & 0xFFFFFFFFU, " add up to ", sum, ", more than a 32-bit float holds");
        joined.weights.push_back(static_cast<float>(sum));
      }
    }
    return joined;
  }

  Graph make_graph(std::int64_t index, std::span<const NumberedEdge> edges) {
    const auto [keys, weights] = joined_edges(edges);
    Graph graph;
    graph.name = concat("graph ", index + 1);
    graph.num_nodes = numbered_.nodes_in_graph[static_cast<std::size_t>(index)];
    for (const std::uint64_t key : keys) {
      graph.source.push_back(static_cast<std::int32_t>(key >> 32));
      graph.target.push_back(static_cast<std::int32_t>(key & 0xFFFFFFFFU));
    }
    graph.weight = weights;
    if (options_.self_loops) {
      add_self_loops(graph);
      result_.dataset.added_self_loops += static_cast<std::int64_t>(graph.source.size() - keys.size());
    }
    return graph;
  }

  void set_features(Graph& graph, std::int64_t index) {
    if (features_.defined()) {
      graph.features = feature_rows(features_, numbered_.first_node[static_cast<std::size_t>(index)], graph.num_nodes);
      return;
    }
    graph.features = at::empty({graph.num_nodes}, at::TensorOptions().dtype(at::kLong));
    auto* types = graph.features.data_ptr<std::int64_t>();
    std::fill(types, types + graph.num_nodes, 0);
    for (const std::int32_t target : graph.target) {
      ++types[target];
    }
    const std::int64_t most = *std::max_element(types, types + graph.num_nodes);
    result_.dataset.num_node_types = std::max(result_.dataset.num_node_types, most + 1);
  }

  /// Which of the graphs' edges a row names in this direction; the others were added.
  void mark_given_edges(const std::vector<std::vector<std::uint64_t>>& given) {
    const GraphStore& store = result_.dataset.graphs;
    at::Tensor marks = at::empty({store.num_edges()}, at::TensorOptions().dtype(at::kBool));
    bool* mark = marks.data_ptr<bool>();
    const auto* source = store.in_sources.data_ptr<std::int32_t>();
    const auto* degree = store.in_degrees.data_ptr<std::int32_t>();
    for (std::size_t graph = 0; graph < given.size(); ++graph) {
      for (std::int32_t target = 0; target < numbered_.nodes_in_graph[graph]; ++target, ++degree) {
        for (std::int32_t edge = 0; edge < *degree; ++edge) {
          *mark++ = std::binary_search(given[graph].begin(), given[graph].end(), edge_key(*source++, target));
        }
      }
    }
    result_.dataset.given_edges = std::move(marks);
  }

  static std::vector<std::uint64_t> given_keys(std::span<const NumberedEdge> edges) {
    std::vector<std::uint64_t> keys;
    for (const NumberedEdge& edge : edges) {
      keys.push_back(edge_key(edge.source, edge.target));
    }
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  void pack_graphs() {
    std::stable_sort(numbered_.edges.begin(), numbered_.edges.end(),
                     [](const NumberedEdge& left, const NumberedEdge& right) { return left.graph < right.graph; });
    std::vector<Graph> graphs;
    graphs.reserve(numbered_.graph_names.size());
    std::vector<std::vector<std::uint64_t>> given;
    std::size_t repeats = 0;
    const NumberedEdge* first = numbered_.edges.data();
    const NumberedEdge* const end = first + numbered_.edges.size();
    for (std::size_t index = 0; index < numbered_.graph_names.size(); ++index) {
      const auto graph = static_cast<std::int64_t>(index);
      const NumberedEdge* const last =
          std::find_if(first, end, [&](const NumberedEdge& edge) { return edge.graph != graph; });
      const std::span edges(first, last);
      first = last;
      repeats += count_repeats(edges);
      given.push_back(given_keys(edges));
      graphs.push_back(make_graph(graph, edges));
      set_features(graphs.back(), graph);
      if (roles_.edges.relation) {
        add_truth(edges);
      }
    }
    if (repeats > 0) {
      note(concat(counted_text(repeats, "line"), " repeat", repeats == 1 ? "s" : "", " an edge",
                  options_.directed ? "" : " (in either direction)", " and ", repeats == 1 ? "was" : "were", " merged",
                  roles_.edges.weight ? "; their weights were added" : ""));
    }
    GroundTruth& truth = result_.dataset.truth;
    if (roles_.edges.relation && truth.empty()) {
      note(concat(column_text(tables_.edges, *roles_.edges.relation), " names no relation"));
      truth = GroundTruth();
    }
    if (!features_.defined()) {
      result_.features = concat("node types from in-degrees", options_.self_loops ? ", self loops counted" : "");
      for (std::int64_t degree = 0; degree < result_.dataset.num_node_types; ++degree) {
        result_.dataset.feature_names.push_back(concat("in-degree ", degree));
      }
    }
    if (roles_.edges.weight) {
      result_.weights = column_text(tables_.edges, *roles_.edges.weight);
    }
    numbered_.edges = {};
    result_.dataset.graphs = make_store(graphs);
    mark_given_edges(given);
  }

  void set_names() {
    Dataset& dataset = result_.dataset;
    dataset.name = options_.name;
    dataset.directed = options_.directed;
    for (const NumberedNode& node : numbered_.nodes) {
      dataset.node_names.emplace_back(node.name);
    }
    if (roles_.edges.graph || roles_.nodes.graph || tables_.graphs) {
      dataset.graph_names.assign(numbered_.graph_names.begin(), numbered_.graph_names.end());
    }
  }

  const GraphTables& tables_;
  const ImportOptions& options_;
  Imported result_;
  ImportRoles roles_;
  NumberedTables numbered_;
  at::Tensor features_;
};

}  // namespace

Imported import_graphs(const GraphTables& tables, const ImportOptions& options) {
  if (tables.entries) {
    return Importer(with_entry_column(tables, options), options).run();
  }
  return Importer(tables, options).run();
}

}  // namespace factorgcn
