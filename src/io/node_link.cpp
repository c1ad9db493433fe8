// Node-link JSON. A first pass looks at the nesting alone; only then is the document built in memory.
#include "factorgcn/io/node_link.h"

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/sparse_table.h"

namespace factorgcn {
namespace {

using nlohmann::json;

constexpr std::size_t kDeepest = 32;

/// Watches how deep values are nested and what the parser finds wrong.
class DepthCheck : public nlohmann::json_sax<json> {
 public:
  explicit DepthCheck(const std::string& origin) : origin_(origin) {}

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return deeper(); }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_object() override { return shallower(); }
  bool end_array() override { return shallower(); }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..." without its first word.
    const std::string_view text = error.what();
    const std::size_t end = text.find("] ");
    std::string shown;
    for (const char letter : text.substr(end == std::string_view::npos ? 0 : end + 2, 160)) {
      shown += letter >= ' ' && letter < '\x7F' ? letter : '?';
    }
    fail(origin_, ": not valid JSON: ", shown);
  }

 private:
  bool deeper() {
    require(++depth_ <= kDeepest, origin_, ": values are nested more than ", kDeepest,
            " levels deep; node-link files need 4");
    return true;
  }
  bool shallower() {
    --depth_;
    return true;
  }

  const std::string& origin_;
  std::size_t depth_ = 0;
};

/// A value as the text of a cell.
std::string cell_text(const json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.is_null() ? "" : value.dump();
}

std::string shown_json(const json& value) { return shown_text(value.dump()); }

class NodeLinkReader {
 public:
  NodeLinkReader(const std::string& origin, std::size_t bytes) : origin_(origin), bytes_(bytes) {}

  GraphTables read(const json& document) {
    if (document.is_array()) {
      require(!document.empty(), origin_, ": it is an empty list; a graph or a list of graphs was expected");
      for (const json& graph : document) {
        read_graph(graph);
      }
    } else {
      read_graph(document);
    }
    name_graphs();
    tables_.edges = edges_.to_table(origin_, "link", bytes_);
    tables_.nodes = nodes_.to_table(origin_, "node", bytes_);
    tables_.graphs = graphs_.to_table(origin_, "graph", bytes_);
    return std::move(tables_);
  }

 private:
  const json* find(const json& object, const char* key) const {
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
  }

  void read_graph(const json& graph) {
    const std::string where = concat(origin_, ", graph ", graphs_.num_rows() + 1);
    if (!graph.is_object()) {
      fail(where, ": found ", shown_json(graph), "; an object with \"nodes\" and \"links\" was expected");
    }
    graphs_.begin_row(graphs_.num_rows() + 1);
    read_graph_values(graph, where);
    const bool directed = read_directed(graph, where);
    const json* nodes = find(graph, "nodes");
    if (nodes == nullptr || !nodes->is_array()) {
      fail(where, ": \"nodes\" is ", nodes == nullptr ? "missing" : shown_json(*nodes),
           "; a list of objects with an \"id\" was expected");
    }
    const json* links = find(graph, "links");
    if (links == nullptr) {
      links = find(graph, "edges");
    }
    if (links == nullptr || !links->is_array()) {
      fail(where, ": \"links\" is ", links == nullptr ? "missing" : shown_json(*links),
           "; a list of objects with \"source\" and \"target\" was expected (or the same under \"edges\")");
    }
    for (const json& node : *nodes) {
      read_row(nodes_, node, "node", {"id"});
      graph_of_node_.push_back(graphs_.num_rows() - 1);
    }
    for (const json& link : *links) {
      read_row(edges_, link, "link", {"source", "target"});
      graph_of_edge_.push_back(graphs_.num_rows() - 1);
      tables_.edge_is_directed.push_back(directed);
    }
  }

  bool read_directed(const json& graph, const std::string& where) const {
    const json* directed = find(graph, "directed");
    if (directed != nullptr && !directed->is_boolean()) {
      fail(where, ": \"directed\" is ", shown_json(*directed), "; true or false was expected");
    }
    return directed != nullptr && directed->get<bool>();
  }

  /// networkx keeps a graph's values under "graph": an object, or (older) a list of pairs, which is passed over.
  void read_graph_values(const json& graph, const std::string& where) {
    std::string name;
    if (const json* values = find(graph, "graph")) {
      if (!values->is_object() && !values->is_array() && !values->is_null()) {
        fail(where, ": \"graph\" is ", shown_json(*values), "; an object was expected");
      }
      for (const auto& [key, value] : values->items()) {
        if (!values->is_object()) {
          break;
        }
        if (key == "name") {
          name = cell_text(value);
        } else {
          graphs_.set(key, cell_text(value));
        }
      }
    }
    names_.push_back(std::move(name));
  }

  void read_row(SparseTable& table, const json& row, const char* what, std::initializer_list<const char*> needed) {
    const std::size_t number = table.num_rows() + 1;
    const std::string where = concat(origin_, ", ", what, " ", number);
    if (!row.is_object()) {
      fail(where, ": found ", shown_json(row), "; an object was expected");
    }
    table.begin_row(number);
    for (const auto& [key, value] : row.items()) {
      std::size_t column = 1;  // behind the graph
      bool is_needed = false;
      for (const char* name : needed) {
        if (key == name) {
          is_needed = true;
          break;
        }
        ++column;
      }
      if (is_needed) {
        table.set(column, cell_text(value));
      } else {
        table.set(key, cell_text(value));
      }
    }
    for (const char* name : needed) {
      const json* value = find(row, name);
      if (value == nullptr || value->is_null()) {
        fail(where, ": \"", name, "\" is missing in ", shown_json(row));
      }
    }
  }

  void name_graphs() {
    const std::vector<std::string> names = graph_names_or_numbers(std::move(names_));
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

  const std::string& origin_;
  std::size_t bytes_;
  SparseTable edges_{{"graph", "source", "target"}};
  SparseTable nodes_{{"graph", "node"}};
  SparseTable graphs_{{"graph"}};
  std::vector<std::string> names_;
  std::vector<std::size_t> graph_of_node_, graph_of_edge_;
  GraphTables tables_;
};

}  // namespace

GraphTables read_node_link(std::string_view text, const std::string& origin) {
  DepthCheck check(origin);
  json::sax_parse(text.begin(), text.end(), &check);
  const json document = json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  require(!document.is_discarded(), origin, ": not valid JSON");
  return NodeLinkReader(origin, text.size()).read(document);
}

}  // namespace factorgcn
