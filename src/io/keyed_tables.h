// Graphs told element by element, as formats with ids and keys do (GraphML, GEXF, GML, Pajek, JSON), gathered into
// GraphTables: the columns graph, source, target (edges), graph, node (nodes), graph (graphs), then one per key.
//
// Nodes have an id, which edges refer to, and may have a label. Labels become the nodes' names where they can tell
// nodes apart: see finish().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "factorgcn/data/graph_tables.h"
#include "io/sparse_table.h"

namespace factorgcn {

class KeyedTables {
 public:
  /// What places of nodes, edges and graphs count: lines of a text, or elements of a list.
  struct Units {
    const char* node = "line";
    const char* edge = "line";
    const char* graph = "line";
  };

  explicit KeyedTables(std::string origin, Units units = {"line", "line", "line"});

  void begin_graph(std::uint64_t place, std::string_view name = {});
  void name_graph(std::string_view name) { graph_names_.back() = name; }
  /// For all edges of this graph so far.
  void set_graph_directed(bool directed);

  void begin_node(std::uint64_t place, std::string_view id = {});
  void set_node_id(std::string_view id) { nodes_.set(1, id); }
  void set_node_label(std::string_view label) { labels_.back() = label; }
  /// What the column of labels is called where they are no names.
  void call_labels(std::string name) { label_column_ = std::move(name); }

  void begin_edge(std::uint64_t place, std::string_view source = {}, std::string_view target = {},
                  bool directed = false);
  void set_source(std::string_view id) { edges_.set(1, id); }
  void set_target(std::string_view id) { edges_.set(2, id); }

  /// Values under keys, of the element that was begun last.
  SparseTable& graph_values() { return graphs_; }
  SparseTable& node_values() { return nodes_; }
  SparseTable& edge_values() { return edges_; }

  /// What a user should know.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  std::size_t num_graphs() const { return graph_names_.size(); }
  std::size_t num_nodes() const { return nodes_.num_rows(); }
  std::size_t num_edges() const { return edges_.num_rows(); }

  /// Labels are names where they are more than half as many as the nodes that have one; a label that several nodes
  /// share, or that is missing, is told apart by the id: "John (17)". Otherwise labels are a column, a class say, and
  /// ids are names. Graphs without a name of their own, or with equal ones, are called 1, 2, 3 ... An edge column
  /// "value" of numbers is called "weight" where there is none and `value_is_weight` holds; an edge without a weight
  /// among others that have one gets 1.
  ///
  /// Throws Error where an edge of a file with labels names no node, and where keys would need far more memory than
  /// the `input_bytes` of the file. Cost: O(elements + values).
  GraphTables finish(std::size_t input_bytes, bool value_is_weight = false);

 private:
  std::vector<std::string> names_from_labels() const;
  void use_names(const std::vector<std::string>& names);
  void name_graphs();

  std::string origin_;
  Units units_;
  SparseTable graphs_{{"graph"}};
  SparseTable nodes_{{"graph", "node"}};
  SparseTable edges_{{"graph", "source", "target"}};
  std::vector<std::string> graph_names_;
  std::vector<std::size_t> graph_of_node_, graph_of_edge_;
  std::vector<std::string> labels_;  ///< of each node; may be empty
  std::string label_column_ = "label";
  std::vector<bool> edge_is_directed_;
  std::vector<std::string> notes_;
};

}  // namespace factorgcn
