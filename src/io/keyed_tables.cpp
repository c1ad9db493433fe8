// Rows are appended as they come; names are set at the end, when all labels are known.
#include "io/keyed_tables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "data/delimited_text.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

/// A name within one graph: names of different graphs do not meet.
struct NameInGraph {
  std::size_t graph;
  std::string_view name;
  bool operator==(const NameInGraph&) const = default;
};

struct NameInGraphHash {
  std::size_t operator()(const NameInGraph& key) const {
    return std::hash<std::string_view>()(key.name) ^ (key.graph * 0x9E3779B97F4A7C15ULL);
  }
};

/// The table with a further column.
TextTable with_labels(const TextTable& table, const std::string& name, const std::vector<std::string>& labels) {
  TextTable wider;
  wider.origin = table.origin;
  wider.unit = table.unit;
  wider.columns = table.columns;
  const bool taken = std::find(wider.columns.begin(), wider.columns.end(), name) != wider.columns.end();
  wider.columns.push_back(taken ? "label of the node" : name);
  wider.has_header = table.has_header;
  std::vector<std::string_view> row(wider.columns.size());
  for (std::size_t index = 0; index < table.num_rows(); ++index) {
    for (std::size_t column = 0; column < table.num_columns(); ++column) {
      row[column] = table.cell(index, column);
    }
    row.back() = labels[index];
    wider.add_row(row, table.places[index]);
  }
  return wider;
}

/// Calls the edges' numeric column "value" their weight, as d3 and older GML files mean it.
void call_value_weight(TextTable& edges, std::vector<std::string>& notes) {
  std::size_t value = edges.num_columns();
  for (std::size_t column = 0; column < edges.num_columns(); ++column) {
    const std::string name = plain_column_name(edges.columns[column]);
    const auto& weights = KnownColumns::weight();
    if (std::find(weights.begin(), weights.end(), name) != weights.end()) {
      return;
    }
    value = name == "value" ? column : value;
  }
  if (value == edges.num_columns()) {
    return;
  }
  double number = 0;
  for (std::size_t row = 0; row < edges.num_rows(); ++row) {
    const std::string_view cell = edges.cell(row, value);
    if (!parse_decimal(cell, number)) {
      return;
    }
  }
  if (edges.num_rows() > 0) {
    notes.push_back(concat(edges.origin, ": the edges' ", shown_text(edges.columns[value]), " is their weight"));
    edges.columns[value] = "weight";
  }
}

}  // namespace

KeyedTables::KeyedTables(std::string origin, Units units) : origin_(std::move(origin)), units_(units) {}

void KeyedTables::begin_graph(std::uint64_t place, std::string_view name) {
  graphs_.begin_row(place);
  graph_names_.emplace_back(name);
}

void KeyedTables::set_graph_directed(bool directed) {
  for (std::size_t edge = graph_of_edge_.size(); edge > 0 && graph_of_edge_[edge - 1] + 1 == num_graphs(); --edge) {
    edge_is_directed_[edge - 1] = directed;
  }
}

void KeyedTables::begin_node(std::uint64_t place, std::string_view id) {
  nodes_.begin_row(place);
  nodes_.set(1, id);
  labels_.emplace_back();
  graph_of_node_.push_back(num_graphs() - 1);
}

void KeyedTables::begin_edge(std::uint64_t place, std::string_view source, std::string_view target, bool directed) {
  edges_.begin_row(place);
  edges_.set(1, source);
  edges_.set(2, target);
  graph_of_edge_.push_back(num_graphs() - 1);
  edge_is_directed_.push_back(directed);
}

/// Labels made unique in their graphs; empty where labels are no names.
std::vector<std::string> KeyedTables::names_from_labels() const {
  std::unordered_map<NameInGraph, std::size_t, NameInGraphHash> times;
  std::size_t labelled = 0;
  for (std::size_t node = 0; node < labels_.size(); ++node) {
    if (!labels_[node].empty()) {
      ++times[{graph_of_node_[node], labels_[node]}];
      ++labelled;
    }
  }
  if (2 * times.size() <= labelled) {
    return {};
  }
  std::vector<std::string> names;
  names.reserve(labels_.size());
  std::unordered_set<NameInGraph, NameInGraphHash> taken;
  for (std::size_t node = 0; node < labels_.size(); ++node) {
    const std::size_t graph = graph_of_node_[node];
    const std::string id(nodes_.fixed(node, 1));
    const bool alone = !labels_[node].empty() && times.at({graph, labels_[node]}) == 1;
    std::string name = labels_[node].empty() ? id : alone ? labels_[node] : concat(labels_[node], " (", id, ")");
    // An id may happen to be somebody's label. No two nodes have one id, so this ends.
    while (taken.contains({graph, name}) || (!alone && times.contains({graph, name}))) {
      name += concat(" (", id, ")");
    }
    names.push_back(std::move(name));
    taken.insert({graph, names.back()});  // reserved above: the text stays where it is
  }
  return names;
}

/// Gives nodes and the ends of edges the names instead of the ids.
void KeyedTables::use_names(const std::vector<std::string>& names) {
  std::unordered_map<NameInGraph, std::size_t, NameInGraphHash> node_of_id;
  std::vector<std::string> ids;
  ids.reserve(names.size());
  std::size_t shared = 0;
  for (std::size_t node = 0; node < names.size(); ++node) {
    ids.emplace_back(nodes_.fixed(node, 1));
    const bool fresh = node_of_id.try_emplace({graph_of_node_[node], ids.back()}, node).second;
    if (!fresh) {
      fail(origin_, ", ", units_.node, " ", nodes_.place(node), ": the node ", shown_text(ids.back()),
           " is listed already; each node has one id");
    }
    shared += names[node] != labels_[node] && !labels_[node].empty();
    nodes_.replace(node, 1, names[node]);
  }
  for (std::size_t edge = 0; edge < edges_.num_rows(); ++edge) {
    for (const std::size_t end : {std::size_t{1}, std::size_t{2}}) {
      const auto found = node_of_id.find({graph_of_edge_[edge], edges_.fixed(edge, end)});
      if (found == node_of_id.end()) {
        fail(origin_, ", ", units_.edge, " ", edges_.place(edge), ": the edge's ", end == 1 ? "source " : "target ",
             shown_text(edges_.fixed(edge, end)), " is the id of no node in its graph");
      }
      edges_.replace(edge, end, names[found->second]);
    }
  }
  if (shared > 0) {
    note(concat(origin_, ": ", shared, " nodes share their label with others; their names end in their ids"));
  }
}

void KeyedTables::name_graphs() {
  const std::vector<std::string> names = graph_names_or_numbers(graph_names_);
  for (std::size_t graph = 0; graph < names.size(); ++graph) {
    graphs_.replace(graph, 0, names[graph]);
  }
  for (std::size_t row = 0; row < graph_of_node_.size(); ++row) {
    nodes_.replace(row, 0, names[graph_of_node_[row]]);
  }
  for (std::size_t row = 0; row < graph_of_edge_.size(); ++row) {
    edges_.replace(row, 0, names[graph_of_edge_[row]]);
  }
}

GraphTables KeyedTables::finish(std::size_t input_bytes, bool value_is_weight) {
  const bool labelled =
      std::any_of(labels_.begin(), labels_.end(), [](const std::string& label) { return !label.empty(); });
  const std::vector<std::string> names = labelled ? names_from_labels() : std::vector<std::string>();
  if (!names.empty()) {
    use_names(names);
  }
  name_graphs();
  if (const std::size_t without = edges_.fill_missing("weight", "1"); without > 0) {
    note(concat(origin_, ": ", without, without == 1 ? " edge has" : " edges have", " no weight; it counts as 1"));
  }
  GraphTables tables;
  tables.edges = edges_.to_table(origin_, units_.edge, input_bytes);
  tables.nodes = nodes_.to_table(origin_, units_.node, input_bytes);
  if (labelled && names.empty()) {
    tables.nodes = with_labels(*tables.nodes, label_column_, labels_);
  }
  tables.graphs = graphs_.to_table(origin_, units_.graph, input_bytes);
  tables.edge_is_directed = std::move(edge_is_directed_);
  if (value_is_weight) {
    call_value_weight(tables.edges, notes_);
  }
  tables.edges.notes = std::move(notes_);
  return tables;
}

}  // namespace factorgcn
