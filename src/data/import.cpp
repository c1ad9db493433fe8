// From tables of text to a data set, in one pass over each table: graphs and nodes get their numbers, edges become
// pairs of numbers, then each graph is packed. Names stay views into the tables until the data set is written.
#include "factorgcn/data/import.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/import_features.h"
#include "data/import_roles.h"
#include "data/import_split.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/random_split.h"

namespace factorgcn {
namespace {

/// "1 node", "2 nodes".
std::string counted(std::size_t count, const std::string& what) {
  return concat(count, " ", what, count == 1 ? "" : "s");
}

/// A node before nodes are put in order of their graphs.
struct Node {
  std::int64_t graph = 0;
  std::int32_t place = 0;  ///< within its graph
  std::int64_t row = -1;   ///< of the node table
  std::string_view name;
};

struct NodeKey {
  std::int64_t graph;
  std::string_view name;
  bool operator==(const NodeKey&) const = default;
};

struct NodeKeyHash {
  std::size_t operator()(const NodeKey& key) const {
    return std::hash<std::string_view>()(key.name) ^ (static_cast<std::size_t>(key.graph) * 0x9E3779B97F4A7C15ULL);
  }
};

struct Edge {
  std::int64_t graph;
  std::int32_t source, target;
  std::int32_t relation;  ///< -1: not known
  bool both_ways;
};

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
    ImportRoles roles = choose_roles(tables_, options_);
    edge_columns_ = roles.edges;
    node_columns_ = std::move(roles.nodes);
    graph_columns_ = std::move(roles.graphs);
    node_classes_ = std::move(roles.node_classes);
    graph_classes_ = std::move(roles.graph_classes);
    result_.dataset.task = roles.task;
    result_.ends = std::move(roles.ends);
    result_.notes.insert(result_.notes.end(), roles.notes.begin(), roles.notes.end());
    number_graphs();
    number_nodes();
    number_edges();
    order_nodes();
    read_node_features();
    pack_graphs();
    set_targets();
    set_names();
    return std::move(result_);
  }

 private:
  void note(std::string text) { result_.notes.push_back(std::move(text)); }

  std::int64_t add_graph(std::string_view name) {
    const auto [place, fresh] = graph_of_name_.try_emplace(name, static_cast<std::int64_t>(graph_names_.size()));
    if (fresh) {
      graph_names_.push_back(name);
      nodes_in_graph_.push_back(0);
    }
    return place->second;
  }

  /// The graph a row belongs to; with a graph table, one of its graphs.
  std::int64_t graph_of_row(const TextTable& table, std::size_t row, Column column) {
    if (!column) {
      return 0;
    }
    const std::string_view name = table.cell(row, *column);
    if (name.empty()) {
      fail(table.where(row), ": ", column_text(table, *column), " is empty; the name of a graph was expected");
    }
    if (!tables_.graphs) {
      return add_graph(name);
    }
    const auto found = graph_of_name_.find(name);
    if (found == graph_of_name_.end()) {
      fail(table.where(row), ": graph ", shown_text(name), " is not in ", tables_.graphs->origin, "; add it there");
    }
    return found->second;
  }

  void number_graphs() {
    const bool named = edge_columns_.graph || node_columns_.graph;
    if (tables_.graphs) {
      const TextTable& graphs = *tables_.graphs;
      require_usage(named || graphs.num_rows() == 1, graphs.origin, " lists ", graphs.num_rows(), " graphs, but ",
                    tables_.edges.origin, " does not say which graph an edge is in; give --graph COL");
      for (std::size_t row = 0; row < graphs.num_rows(); ++row) {
        const std::string_view name = graphs.cell(row, graph_columns_.name);
        const std::size_t before = graph_names_.size();
        if (add_graph(name) < static_cast<std::int64_t>(before)) {
          fail(graphs.where(row), ": graph ", shown_text(name), " is listed twice; each graph has one line");
        }
      }
    } else if (!named) {
      add_graph("");
    }
    require_usage(
        !edge_columns_.graph || !tables_.nodes || node_columns_.graph, tables_.nodes ? tables_.nodes->origin : "",
        " does not say which graph a node is in, but ", tables_.edges.origin, " has graphs (",
        edge_columns_.graph ? column_text(tables_.edges, *edge_columns_.graph) : "", "); give --node-graph COL");
  }

  std::size_t add_node(std::int64_t graph, std::string_view name, std::int64_t row) {
    std::int64_t& count = nodes_in_graph_[static_cast<std::size_t>(graph)];
    require(count < std::numeric_limits<std::int32_t>::max(), "a graph has more than ",
            std::numeric_limits<std::int32_t>::max(), " nodes; node ids are 32-bit");
    nodes_.push_back({graph, static_cast<std::int32_t>(count++), row, name});
    return nodes_.size() - 1;
  }

  void number_nodes() {
    if (!tables_.nodes) {
      return;
    }
    const TextTable& nodes = *tables_.nodes;
    for (std::size_t row = 0; row < nodes.num_rows(); ++row) {
      const std::string_view name = nodes.cell(row, node_columns_.node);
      if (name.empty()) {
        fail(nodes.where(row), ": ", column_text(nodes, node_columns_.node),
             " is empty; the name of a node was expected");
      }
      const std::int64_t graph = graph_of_row(nodes, row, node_columns_.graph);
      const auto [place, fresh] = node_of_key_.try_emplace(NodeKey{graph, name}, nodes_.size());
      if (!fresh) {
        fail(nodes.where(row), ": node ", shown_text(name), " is listed already, in ", nodes.unit, " ",
             nodes.places[static_cast<std::size_t>(nodes_[place->second].row)], "; each node has one line",
             node_columns_.graph ? " in its graph" : "");
      }
      add_node(graph, name, static_cast<std::int64_t>(row));
      if (edges_borrow_graphs()) {
        const auto [only, first] = node_of_name_.try_emplace(name, place->second);
        if (!first) {
          only->second = kSeveral;
        }
      }
    }
  }

  /// The edge list has no graph column, but the node table has one: names alone must tell the graph.
  bool edges_borrow_graphs() const { return node_columns_.graph && !edge_columns_.graph; }

  std::size_t node_of_edge(std::size_t row, std::size_t column, std::int64_t graph) {
    const TextTable& edges = tables_.edges;
    const std::string_view name = edges.cell(row, column);
    if (name.empty()) {
      fail(edges.where(row), ": ", column_text(edges, column), " is empty; the name of a node was expected");
    }
    if (edges_borrow_graphs()) {
      const auto found = node_of_name_.find(name);
      if (found == node_of_name_.end()) {
        fail(edges.where(row), ": node ", shown_text(name), " is not in ", tables_.nodes->origin, "; add it there");
      }
      if (found->second == kSeveral) {
        fail(edges.where(row), ": node ", shown_text(name), " is in several graphs of ", tables_.nodes->origin,
             "; the edge list needs a graph column (--graph COL)");
      }
      return found->second;
    }
    const auto found = node_of_key_.find(NodeKey{graph, name});
    if (found != node_of_key_.end()) {
      return found->second;
    }
    if (tables_.nodes && !options_.zero_for_missing_nodes) {
      const bool many = edge_columns_.graph.has_value();
      fail(edges.where(row), ": node ", shown_text(name),
           many ? concat(" of graph ", shown_text(graph_names_[static_cast<std::size_t>(graph)])) : "", " is not in ",
           tables_.nodes->origin, "; add it there, or give --missing-nodes zero");
    }
    missing_nodes_ += tables_.nodes ? 1 : 0;
    node_of_key_.emplace(NodeKey{graph, name}, nodes_.size());
    return add_node(graph, name, -1);
  }

  std::int32_t relation_of_edge(std::size_t row) {
    if (!edge_columns_.relation) {
      return -1;
    }
    const std::string_view value = tables_.edges.cell(row, *edge_columns_.relation);
    if (is_missing_value(value)) {
      ++missing_relations_;
      return -1;
    }
    const auto [place, fresh] = relation_of_value_.try_emplace(value, -1);
    if (fresh) {
      const auto renamed = options_.relation_names.find(std::string(value));
      std::string name = renamed == options_.relation_names.end() ? std::string(value) : renamed->second;
      unnamed_relations_ += !options_.relation_names.empty() && renamed == options_.relation_names.end();
      auto& types = result_.dataset.truth.type_names;
      const auto [known, fresh_name] = relation_of_name_.try_emplace(name, static_cast<std::int32_t>(types.size()));
      if (fresh_name) {
        types.push_back(std::move(name));
      }
      place->second = known->second;
    }
    return place->second;
  }

  void number_edges() {
    const TextTable& edges = tables_.edges;
    edges_.reserve(edges.num_rows());
    std::size_t turned = 0;
    for (std::size_t row = 0; row < edges.num_rows(); ++row) {
      const std::int64_t graph = graph_of_row(edges, row, edge_columns_.graph);
      const Node source = nodes_[node_of_edge(row, edge_columns_.source, graph)];
      const Node target = nodes_[node_of_edge(row, edge_columns_.target, graph)];
      if (source.graph != target.graph) {
        fail(edges.where(row), ": nodes ", shown_text(source.name), " and ", shown_text(target.name), " are in graphs ",
             shown_text(graph_names_[static_cast<std::size_t>(source.graph)]), " and ",
             shown_text(graph_names_[static_cast<std::size_t>(target.graph)]), "; an edge stays inside one graph");
      }
      const bool said = row < tables_.edge_is_directed.size();
      const bool one_way = said ? tables_.edge_is_directed[row] : true;
      turned += said && one_way && !options_.directed;
      edges_.push_back(
          {source.graph, source.place, target.place, relation_of_edge(row), !options_.directed || !one_way});
    }
    if (turned > 0) {
      note(concat(edges.origin, " gives edges a direction; both directions are stored (--directed keeps the one)"));
    }
    if (missing_nodes_ > 0) {
      note(concat(counted(missing_nodes_, "node"), " not in ", tables_.nodes->origin, ": their features are 0"));
    }
    if (missing_relations_ > 0) {
      note(concat(counted(missing_relations_, "edge"), " without a relation: in the graph, in no relation's part"));
    }
    if (unnamed_relations_ > 0) {
      note(concat(counted(unnamed_relations_, "relation"), " not in --relation-names: their values are their names"));
    }
  }

  void order_nodes() {
    first_node_.assign(1, 0);
    for (std::size_t graph = 0; graph < graph_names_.size(); ++graph) {
      if (nodes_in_graph_[graph] == 0) {
        require(tables_.graphs.has_value(), tables_.edges.origin, ": there are no nodes");
        fail(tables_.graphs->where(graph), ": graph ", shown_text(graph_names_[graph]),
             " has no nodes; a graph needs at least one");
      }
      first_node_.push_back(first_node_.back() + nodes_in_graph_[graph]);
    }
    require(!graph_names_.empty(), tables_.edges.origin, ": there are no edges and no nodes");
    std::vector<Node> ordered(nodes_.size());
    for (const Node& node : nodes_) {
      ordered[static_cast<std::size_t>(first_node_[static_cast<std::size_t>(node.graph)] + node.place)] = node;
    }
    nodes_ = std::move(ordered);
  }

  void read_node_features() {
    if (!tables_.nodes) {
      return;
    }
    std::vector<std::int64_t> rows(nodes_.size());
    std::transform(nodes_.begin(), nodes_.end(), rows.begin(), [](const Node& node) { return node.row; });
    FeatureTable table =
        read_features(*tables_.nodes, node_columns_.features, rows, options_.missing_values, result_.notes);
    features_ = std::move(table.values);
    result_.features = std::move(table.made_of);
  }

  static std::uint64_t edge_key(std::int32_t source, std::int32_t target) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(source)) << 32 | static_cast<std::uint32_t>(target);
  }

  /// The parts of one graph: each relation's entries, sorted, once each.
  void add_truth(std::span<const Edge> edges) {
    std::vector<std::pair<std::int32_t, std::uint64_t>> entries;
    for (const Edge& edge : edges) {
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
  static std::size_t count_repeats(std::span<const Edge> edges) {
    std::vector<std::pair<std::uint64_t, std::int64_t>> seen;
    for (const Edge& edge : edges) {
      const bool swap = edge.both_ways && edge.source > edge.target;
      seen.emplace_back(swap ? edge_key(edge.target, edge.source) : edge_key(edge.source, edge.target),
                        std::int64_t{edge.relation} * 2 + edge.both_ways);
    }
    std::sort(seen.begin(), seen.end());
    return static_cast<std::size_t>(seen.end() - std::unique(seen.begin(), seen.end()));
  }

  Graph make_graph(std::int64_t index, std::span<const Edge> edges) {
    std::vector<std::uint64_t> keys;
    for (const Edge& edge : edges) {
      keys.push_back(edge_key(edge.source, edge.target));
      if (edge.both_ways) {
        keys.push_back(edge_key(edge.target, edge.source));
      }
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    Graph graph;
    graph.name = concat("graph ", index + 1);
    graph.num_nodes = nodes_in_graph_[static_cast<std::size_t>(index)];
    for (const std::uint64_t key : keys) {
      graph.source.push_back(static_cast<std::int32_t>(key >> 32));
      graph.target.push_back(static_cast<std::int32_t>(key & 0xFFFFFFFFU));
    }
    if (options_.self_loops) {
      add_self_loops(graph);
      result_.dataset.added_self_loops += static_cast<std::int64_t>(graph.source.size() - keys.size());
    }
    return graph;
  }

  void set_features(Graph& graph, std::int64_t index) {
    if (features_.defined()) {
      graph.features = features_.narrow(0, first_node_[static_cast<std::size_t>(index)], graph.num_nodes);
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

  void pack_graphs() {
    std::stable_sort(edges_.begin(), edges_.end(),
                     [](const Edge& left, const Edge& right) { return left.graph < right.graph; });
    std::vector<Graph> graphs;
    graphs.reserve(graph_names_.size());
    std::size_t repeats = 0;
    const Edge* first = edges_.data();
    const Edge* const end = first + edges_.size();
    for (std::size_t index = 0; index < graph_names_.size(); ++index) {
      const auto graph = static_cast<std::int64_t>(index);
      const Edge* const last = std::find_if(first, end, [&](const Edge& edge) { return edge.graph != graph; });
      const std::span edges(first, last);
      first = last;
      repeats += count_repeats(edges);
      graphs.push_back(make_graph(graph, edges));
      set_features(graphs.back(), graph);
      if (edge_columns_.relation) {
        add_truth(edges);
      }
    }
    if (repeats > 0) {
      note(concat(counted(repeats, "line"), " repeat", repeats == 1 ? "s" : "", " an edge",
                  options_.directed ? "" : " (in either direction)", " and ", repeats == 1 ? "was" : "were",
                  " merged"));
    }
    GroundTruth& truth = result_.dataset.truth;
    if (edge_columns_.relation && truth.empty()) {
      note(concat(column_text(tables_.edges, *edge_columns_.relation), " names no relation"));
      truth = GroundTruth();
    }
    if (!features_.defined()) {
      result_.features = concat("node types from in-degrees", options_.self_loops ? ", self loops counted" : "");
    }
    edges_ = {};
    result_.dataset.graphs = make_store(graphs);
  }

  void set_targets() {
    switch (result_.dataset.task) {
      case Task::kNodeClass:
        return set_node_classes();
      case Task::kGraphClass:
      case Task::kRegression:
        return set_graph_targets();
      default:
        return;
    }
  }

  /// int64 targets, 0 where there is no class.
  void set_class_targets(std::vector<std::string> names, const std::vector<std::int64_t>& classes) {
    Dataset& dataset = result_.dataset;
    dataset.num_outputs = static_cast<std::int64_t>(names.size());
    dataset.output_names = std::move(names);
    dataset.targets = at::empty({static_cast<std::int64_t>(classes.size())}, at::TensorOptions().dtype(at::kLong));
    std::transform(classes.begin(), classes.end(), dataset.targets.data_ptr<std::int64_t>(),
                   [](std::int64_t value) { return std::max<std::int64_t>(value, 0); });
    if (dataset.num_outputs == 1) {
      note("there is only one class: nothing can be learnt from it");
    }
  }

  void set_node_classes() {
    const TextTable& nodes = *tables_.nodes;
    Dataset& dataset = result_.dataset;
    std::vector<std::int64_t> classes;
    for (const Node& node : nodes_) {
      classes.push_back(node.row < 0 ? -1 : node_classes_.of_row[static_cast<std::size_t>(node.row)]);
    }
    set_class_targets(std::move(node_classes_.names), classes);
    const auto unlabelled = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), -1));
    dataset.node_split = node_columns_.split.has_value() || (graph_names_.size() == 1 && !graph_columns_.split);
    if (node_columns_.split) {
      std::vector<std::int64_t> rows;
      std::transform(nodes_.begin(), nodes_.end(), std::back_inserter(rows), [](const Node& node) { return node.row; });
      read_split(nodes, *node_columns_.split, rows, classes, "node");
    } else if (dataset.node_split) {
      set_drawn_split(classes, "nodes", true);
    } else {
      const auto lacking = std::find(classes.begin(), classes.end(), -1);
      if (lacking != classes.end()) {
        const Node& node = nodes_[static_cast<std::size_t>(lacking - classes.begin())];
        fail(node.row < 0 ? nodes.origin : nodes.where(static_cast<std::size_t>(node.row)), ": node ",
             shown_text(node.name),
             " has no label, but whole graphs are split; label it, or say with --split which "
             "nodes are for training, validation and test");
      }
      split_graphs(std::vector<std::int64_t>(graph_names_.size(), 0), false);
    }
    if (unlabelled > 0) {
      note(concat(counted(unlabelled, "node"), " without a label: in no split, stored with class 0"));
    }
  }

  void set_graph_targets() {
    const TextTable& graphs = *tables_.graphs;
    Dataset& dataset = result_.dataset;
    std::vector<std::int64_t> classes;
    if (dataset.task == Task::kGraphClass) {
      classes = graph_classes_.of_row;
      set_class_targets(std::move(graph_classes_.names), classes);
    } else {
      classes = set_values(graphs);
    }
    const auto unlabelled = static_cast<std::size_t>(std::count(classes.begin(), classes.end(), -1));
    require(unlabelled < classes.size(), graphs.origin, ": no graph has a value in every target column");
    split_graphs(classes, dataset.task == Task::kGraphClass);
    if (unlabelled > 0) {
      note(concat(counted(unlabelled, "graph"), " without a ", dataset.task == Task::kGraphClass ? "label" : "target",
                  ": in no split, stored with ", dataset.task == Task::kGraphClass ? "class 0" : "0"));
    }
  }

  /// Regression targets; returns 0 for each graph that has them all and -1 for the others.
  std::vector<std::int64_t> set_values(const TextTable& graphs) {
    Dataset& dataset = result_.dataset;
    const auto rows = static_cast<std::int64_t>(graphs.num_rows());
    dataset.num_outputs = static_cast<std::int64_t>(graph_columns_.targets.size());
    dataset.targets = at::empty({rows, dataset.num_outputs}, at::TensorOptions().dtype(at::kFloat));
    auto* values = dataset.targets.data_ptr<float>();
    std::vector<std::int64_t> present(graphs.num_rows(), 0);
    for (std::size_t row = 0; row < graphs.num_rows(); ++row) {
      for (const std::size_t column : graph_columns_.targets) {
        const std::string_view cell = graphs.cell(row, column);
        double value = 0;
        if (is_missing_value(cell)) {
          present[row] = -1;
        } else if (!parse_decimal(cell, value) || !(std::abs(value) <= std::numeric_limits<float>::max())) {
          fail(graphs.where(row), ": ", column_text(graphs, column), " is ", shown_text(cell),
               "; a finite number was expected");
        }
        *values++ = static_cast<float>(value);
      }
    }
    for (const std::size_t column : graph_columns_.targets) {
      dataset.output_names.push_back(graphs.columns[column]);
    }
    return present;
  }

  void split_graphs(const std::vector<std::int64_t>& classes, bool by_class) {
    if (!graph_columns_.split) {
      set_drawn_split(classes, "graphs", by_class);
      return;
    }
    std::vector<std::int64_t> rows(classes.size());
    std::iota(rows.begin(), rows.end(), 0);
    read_split(*tables_.graphs, *graph_columns_.split, rows, classes, "graph");
  }

  void read_split(const TextTable& table, std::size_t column, const std::vector<std::int64_t>& rows,
                  const std::vector<std::int64_t>& classes, const char* what) {
    Split& split = result_.dataset.split;
    const std::array parts{&split.train, &split.validation, &split.test};
    for (std::size_t item = 0; item < rows.size(); ++item) {
      if (rows[item] < 0) {
        continue;
      }
      const auto row = static_cast<std::size_t>(rows[item]);
      const SplitPart part = split_part(table.cell(row, column));
      if (part == SplitPart::kUnknown) {
        fail(table.where(row), ": ", column_text(table, column), " is ", shown_text(table.cell(row, column)),
             "; train, val, test or nothing was expected");
      }
      if (part == SplitPart::kNone) {
        continue;
      }
      if (classes[item] < 0) {
        fail(table.where(row), ": this ", what, " has no label, but is in the split ",
             shown_text(table.cell(row, column)), "; label it, or leave its split empty");
      }
      parts[static_cast<std::size_t>(part)]->push_back(static_cast<std::int64_t>(item));
    }
    require(!split.train.empty(), table.origin, ": ", column_text(table, column), " puts no ", what,
            " into the training part; mark some with 'train'");
    result_.split = concat(what, "s, from ", column_text(table, column));
    note_empty_parts();
  }

  void set_drawn_split(const std::vector<std::int64_t>& classes, const char* what, bool by_class) {
    result_.dataset.split = draw_stratified_split(classes, options_.split_shares, options_.seed);
    result_.split = concat(what, ", drawn with seed ", options_.seed, by_class ? ", each class in its share" : "");
    note_empty_parts();
  }

  void note_empty_parts() {
    const Split& split = result_.dataset.split;
    for (const auto& [part, name] : {std::pair{&split.validation, "validation"}, std::pair{&split.test, "test"}}) {
      if (part->empty()) {
        note(concat("the ", name, " part is empty"));
      }
    }
  }

  void set_names() {
    Dataset& dataset = result_.dataset;
    dataset.name = options_.name;
    for (const Node& node : nodes_) {
      dataset.node_names.emplace_back(node.name);
    }
    if (edge_columns_.graph || node_columns_.graph || tables_.graphs) {
      dataset.graph_names.assign(graph_names_.begin(), graph_names_.end());
    }
  }

  static constexpr std::size_t kSeveral = std::numeric_limits<std::size_t>::max();

  const GraphTables& tables_;
  const ImportOptions& options_;
  Imported result_;
  EdgeColumns edge_columns_;
  NodeColumns node_columns_;
  GraphColumns graph_columns_;
  Classes node_classes_, graph_classes_;
  std::unordered_map<std::string_view, std::int64_t> graph_of_name_;
  std::vector<std::string_view> graph_names_;
  std::vector<std::int64_t> nodes_in_graph_, first_node_;
  std::unordered_map<NodeKey, std::size_t, NodeKeyHash> node_of_key_;
  std::unordered_map<std::string_view, std::size_t> node_of_name_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::unordered_map<std::string_view, std::int32_t> relation_of_value_;
  std::unordered_map<std::string, std::int32_t> relation_of_name_;
  std::size_t missing_nodes_ = 0, missing_relations_ = 0, unnamed_relations_ = 0;
  at::Tensor features_;
};

}  // namespace

Imported import_graphs(const GraphTables& tables, const ImportOptions& options) {
  return Importer(tables, options).run();
}

}  // namespace factorgcn
