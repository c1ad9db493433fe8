// Numbers for graphs, nodes, edges and relations, in the order in which the tables name them.
#include "data/import_numbering.h"

#include <cmath>
#include <functional>
#include <limits>
#include <unordered_map>
#include <utility>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

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

class Numbering {
 public:
  Numbering(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
            std::vector<std::string>& notes)
      : tables_(tables), options_(options), roles_(roles), notes_(notes) {}

  NumberedTables run() {
    number_graphs();
    number_nodes();
    number_edges();
    order_nodes();
    return std::move(result_);
  }

 private:
  std::int64_t add_graph(std::string_view name) {
    const auto [place, fresh] = graph_of_name_.try_emplace(name, static_cast<std::int64_t>(result_.graph_names.size()));
    if (fresh) {
      result_.graph_names.push_back(name);
      result_.nodes_in_graph.push_back(0);
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
    const bool named = roles_.edges.graph || roles_.nodes.graph;
    if (tables_.graphs) {
      const TextTable& graphs = *tables_.graphs;
      require_usage(named || graphs.num_rows() == 1, graphs.origin, " lists ", graphs.num_rows(), " graphs, but ",
                    tables_.edges.origin, " does not say which graph an edge is in; give --graph COL");
      for (std::size_t row = 0; row < graphs.num_rows(); ++row) {
        const std::string_view name = graphs.cell(row, roles_.graphs.name);
        const std::size_t before = result_.graph_names.size();
        if (add_graph(name) < static_cast<std::int64_t>(before)) {
          fail(graphs.where(row), ": graph ", shown_text(name), " is listed twice; each graph has one line");
        }
      }
    } else if (!named) {
      add_graph("");
    }
    require_usage(
        !roles_.edges.graph || !tables_.nodes || roles_.nodes.graph, tables_.nodes ? tables_.nodes->origin : "",
        " does not say which graph a node is in, but ", tables_.edges.origin, " has graphs (",
        roles_.edges.graph ? column_text(tables_.edges, *roles_.edges.graph) : "", "); give --node-graph COL");
  }

  std::size_t add_node(std::int64_t graph, std::string_view name, std::int64_t row) {
    std::int64_t& count = result_.nodes_in_graph[static_cast<std::size_t>(graph)];
    require(count < std::numeric_limits<std::int32_t>::max(), "a graph has more than ",
            std::numeric_limits<std::int32_t>::max(), " nodes; node ids are 32-bit");
    result_.nodes.push_back({graph, static_cast<std::int32_t>(count++), row, name});
    return result_.nodes.size() - 1;
  }

  void number_nodes() {
    if (!tables_.nodes) {
      return;
    }
    const TextTable& nodes = *tables_.nodes;
    for (std::size_t row = 0; row < nodes.num_rows(); ++row) {
      const std::string_view name = nodes.cell(row, roles_.nodes.node);
      if (name.empty()) {
        fail(nodes.where(row), ": ", column_text(nodes, roles_.nodes.node),
             " is empty; the name of a node was expected");
      }
      const std::int64_t graph = graph_of_row(nodes, row, roles_.nodes.graph);
      const auto [place, fresh] = node_of_key_.try_emplace(NodeKey{graph, name}, result_.nodes.size());
      if (!fresh) {
        fail(nodes.where(row), ": node ", shown_text(name), " is listed already, in ", nodes.unit, " ",
             nodes.places[static_cast<std::size_t>(result_.nodes[place->second].row)], "; each node has one line",
             roles_.nodes.graph ? " in its graph" : "");
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

  /// "; it has 'Ann'" for the name "ann": a slip of upper and lower case, or of blanks.
  std::string nearly_listed(std::string_view name) const {
    const std::string plain = plain_column_name(name);
    const TextTable& nodes = *tables_.nodes;
    for (std::size_t row = 0; row < nodes.num_rows() && !plain.empty(); ++row) {
      const std::string_view other = nodes.cell(row, roles_.nodes.node);
      if (plain_column_name(other) == plain) {
        return concat(", which has ", shown_text(other));
      }
    }
    return "";
  }

  /// The edge list has no graph column, but the node table has one: names alone must tell the graph.
  bool edges_borrow_graphs() const { return roles_.nodes.graph && !roles_.edges.graph; }

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
      const bool many = roles_.edges.graph.has_value();
      fail(edges.where(row), ": node ", shown_text(name),
           many ? concat(" of graph ", shown_text(result_.graph_names[static_cast<std::size_t>(graph)])) : "",
           " is not in ", tables_.nodes->origin, nearly_listed(name), "; add it there, or give --missing-nodes zero");
    }
    missing_nodes_ += tables_.nodes ? 1 : 0;
    node_of_key_.emplace(NodeKey{graph, name}, result_.nodes.size());
    return add_node(graph, name, -1);
  }

  std::int32_t relation_of_edge(std::size_t row) {
    if (!roles_.edges.relation) {
      return -1;
    }
    const std::string_view value = tables_.edges.cell(row, *roles_.edges.relation);
    if (is_missing_value(value)) {
      ++missing_relations_;
      return -1;
    }
    const auto [place, fresh] = relation_of_value_.try_emplace(value, -1);
    if (fresh) {
      const auto renamed = options_.relation_names.find(std::string(value));
      std::string name = renamed == options_.relation_names.end() ? std::string(value) : renamed->second;
      unnamed_relations_ += !options_.relation_names.empty() && renamed == options_.relation_names.end();
      auto& types = result_.relation_names;
      const auto [known, fresh_name] = relation_of_name_.try_emplace(name, static_cast<std::int32_t>(types.size()));
      if (fresh_name) {
        types.push_back(std::move(name));
      }
      place->second = known->second;
    }
    return place->second;
  }

  float weight_of_edge(std::size_t row) const {
    if (!roles_.edges.weight) {
      return 1.0F;
    }
    const std::string_view cell = tables_.edges.cell(row, *roles_.edges.weight);
    double value = 0;
    if (is_missing_value(cell) || !parse_decimal(cell, value) ||
        !(std::abs(value) <= std::numeric_limits<float>::max())) {
      fail(tables_.edges.where(row), ": ", column_text(tables_.edges, *roles_.edges.weight), " is ", shown_text(cell),
           "; the weight of an edge must be a finite number (--edge-weight none leaves weights out)");
    }
    return static_cast<float>(value);
  }

  void number_edges() {
    const TextTable& edges = tables_.edges;
    result_.edges.reserve(edges.num_rows());
    std::size_t turned = 0;
    for (std::size_t row = 0; row < edges.num_rows(); ++row) {
      const std::int64_t graph = graph_of_row(edges, row, roles_.edges.graph);
      const NumberedNode source = result_.nodes[node_of_edge(row, roles_.edges.source, graph)];
      const NumberedNode target = result_.nodes[node_of_edge(row, roles_.edges.target, graph)];
      if (source.graph != target.graph) {
        fail(edges.where(row), ": nodes ", shown_text(source.name), " and ", shown_text(target.name), " are in graphs ",
             shown_text(result_.graph_names[static_cast<std::size_t>(source.graph)]), " and ",
             shown_text(result_.graph_names[static_cast<std::size_t>(target.graph)]),
             "; an edge stays inside one graph");
      }
      const bool said = row < tables_.edge_is_directed.size();
      const bool one_way = said ? tables_.edge_is_directed[row] : true;
      turned += said && one_way && !options_.directed;
      result_.edges.push_back({source.graph, source.place, target.place, relation_of_edge(row),
                               !options_.directed || !one_way, weight_of_edge(row)});
    }
    if (turned > 0) {
      notes_.push_back(
          concat(edges.origin, " gives edges a direction; both directions are stored (--directed keeps the one)"));
    }
    if (missing_nodes_ > 0) {
      notes_.push_back(
          concat(counted_text(missing_nodes_, "node"), " not in ", tables_.nodes->origin, ": their features are 0"));
    }
    if (missing_relations_ > 0) {
      notes_.push_back(
          concat(counted_text(missing_relations_, "edge"), " without a relation: in the graph, in no relation's part"));
    }
    if (unnamed_relations_ > 0) {
      notes_.push_back(concat(counted_text(unnamed_relations_, "relation"),
                              " not in --relation-names: their values are their names"));
    }
  }

  void order_nodes() {
    result_.first_node.assign(1, 0);
    for (std::size_t graph = 0; graph < result_.graph_names.size(); ++graph) {
      if (result_.nodes_in_graph[graph] == 0) {
        require(tables_.graphs.has_value(), tables_.edges.origin, ": there are no nodes");
        fail(tables_.graphs->where(graph), ": graph ", shown_text(result_.graph_names[graph]),
             " has no nodes; a graph needs at least one");
      }
      result_.first_node.push_back(result_.first_node.back() + result_.nodes_in_graph[graph]);
    }
    require(!result_.graph_names.empty(), tables_.edges.origin, ": there are no edges and no nodes");
    std::vector<NumberedNode> ordered(result_.nodes.size());
    for (const NumberedNode& node : result_.nodes) {
      ordered[static_cast<std::size_t>(result_.first_node[static_cast<std::size_t>(node.graph)] + node.place)] = node;
    }
    result_.nodes = std::move(ordered);
  }

  static constexpr std::size_t kSeveral = std::numeric_limits<std::size_t>::max();

  const GraphTables& tables_;
  const ImportOptions& options_;
  const ImportRoles& roles_;
  std::vector<std::string>& notes_;
  NumberedTables result_;
  std::unordered_map<std::string_view, std::int64_t> graph_of_name_;
  std::unordered_map<NodeKey, std::size_t, NodeKeyHash> node_of_key_;
  std::unordered_map<std::string_view, std::size_t> node_of_name_;
  std::unordered_map<std::string_view, std::int32_t> relation_of_value_;
  std::unordered_map<std::string, std::int32_t> relation_of_name_;
  std::size_t missing_nodes_ = 0, missing_relations_ = 0, unnamed_relations_ = 0;
};

}  // namespace

std::string counted_text(std::size_t count, const std::string& what) {
  return concat(count, " ", what, count == 1 ? "" : "s");
}

NumberedTables number_tables(const GraphTables& tables, const ImportOptions& options, const ImportRoles& roles,
                             std::vector<std::string>& notes) {
  return Numbering(tables, options, roles, notes).run();
}

}  // namespace factorgcn
