// Node-link JSON: graph by graph through its tree in memory.
#include "factorgcn/io/node_link.h"

#include <cstdint>
#include <nlohmann/json.hpp>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/io/json_text.h"
#include "io/json_values.h"
#include "io/keyed_tables.h"
#include "io/node_ends.h"

namespace factorgcn {
namespace {

using nlohmann::json;

class NodeLinkReader {
 public:
  explicit NodeLinkReader(const std::string& origin) : origin_(origin), tables_(origin, {"node", "link", "graph"}) {
    tables_.call_labels("name");
  }

  GraphTables read(const json& document, std::size_t bytes) {
    if (document.is_array()) {
      require(!document.empty(), origin_, ": it is an empty list; a graph or a list of graphs was expected");
      for (const json& graph : document) {
        read_graph(graph);
      }
    } else {
      read_graph(document);
    }
    return tables_.finish(bytes, /*value_is_weight=*/true);
  }

 private:
  void read_graph(const json& graph) {
    const std::string where = concat(origin_, ", graph ", tables_.num_graphs() + 1);
    if (!graph.is_object()) {
      fail(where, ": found ", shown_json(graph), "; an object with \"nodes\" and \"links\" was expected");
    }
    tables_.begin_graph(tables_.num_graphs() + 1);
    read_graph_values(graph, where);
    const bool directed = read_directed(graph, where);
    const json* nodes = find_key(graph, "nodes");
    if (nodes == nullptr || !nodes->is_array()) {
      fail(where, ": \"nodes\" is ", nodes == nullptr ? "missing" : shown_json(*nodes),
           "; a list of objects with an \"id\" or a \"name\" was expected");
    }
    const json* links = find_key(graph, "links");
    if (links == nullptr) {
      links = find_key(graph, "edges");
    }
    if (links == nullptr || !links->is_array()) {
      fail(where, ": \"links\" is ", links == nullptr ? "missing" : shown_json(*links),
           "; a list of objects with \"source\" and \"target\" was expected (or the same under \"edges\")");
    }
    NodeEnds ends(*nodes);
    for (std::size_t index = 0; index < nodes->size(); ++index) {
      read_node((*nodes)[index], ends.ids()[index]);
    }
    for (std::size_t index = 0; index < links->size(); ++index) {
      check_link((*links)[index], tables_.num_edges() + index + 1);
    }
    if (ends.choose(*links)) {
      tables_.note(concat(where, ": links name nodes by their place in the list, from 0"));
    }
    for (const json& link : *links) {
      read_link(link, ends, directed);
    }
  }

  bool read_directed(const json& graph, const std::string& where) const {
    const json* directed = find_key(graph, "directed");
    if (directed != nullptr && !directed->is_boolean()) {
      fail(where, ": \"directed\" is ", shown_json(*directed), "; true or false was expected");
    }
    return directed != nullptr && directed->get<bool>();
  }

  /// networkx keeps a graph's values under "graph": an object, or (older) a list of pairs, which is passed over.
  void read_graph_values(const json& graph, const std::string& where) {
    const json* values = find_key(graph, "graph");
    if (values == nullptr) {
      return;
    }
    if (!values->is_object() && !values->is_array() && !values->is_null()) {
      fail(where, ": \"graph\" is ", shown_json(*values), "; an object was expected");
    }
    for (const auto& [key, value] : values->items()) {
      if (!values->is_object()) {
        break;
      }
      if (key == "name") {
        tables_.name_graph(cell_text(value));
      } else {
        tables_.graph_values().set(key, cell_text(value));
      }
    }
  }

  void read_node(const json& node, const std::string& id) {
    const std::size_t number = tables_.num_nodes() + 1;
    if (node.is_array() || node.is_null()) {
      fail(origin_, ", node ", number, ": found ", shown_json(node), "; an object was expected");
    }
    require(!id.empty(), origin_, ", node ", number, ": \"id\" is missing in ", shown_json(node));
    tables_.begin_node(number, id);
    if (!node.is_object()) {
      tables_.set_node_label(cell_text(node));
      return;
    }
    for (const auto& [key, value] : node.items()) {
      if (key == "name") {
        tables_.set_node_label(cell_text(value));
      } else if (key != "id") {
        tables_.node_values().set(key, cell_text(value));
      }
    }
  }

  void check_link(const json& link, std::size_t number) const {
    const std::string where = concat(origin_, ", link ", number);
    if (!link.is_object()) {
      fail(where, ": found ", shown_json(link), "; an object was expected");
    }
    for (const char* name : {"source", "target"}) {
      const json* value = find_key(link, name);
      if (value == nullptr || value->is_null()) {
        fail(where, ": \"", name, "\" is missing in ", shown_json(link));
      }
    }
  }

  void read_link(const json& link, const NodeEnds& ends, bool directed) {
    const std::size_t number = tables_.num_edges() + 1;
    const auto end = [&](const char* key) {
      const json& value = link.at(key);
      const std::string* const id = ends.id_of(value);
      if (id == nullptr && !ends.have_ids()) {
        fail(origin_, ", link ", number, ": the ", key, " ", shown_json(value), " is ", ends.expected());
      }
      return id == nullptr ? cell_text(value) : *id;  // the import says what it thinks of nodes that are not listed
    };
    const std::string source = end("source");
    tables_.begin_edge(number, source, end("target"), directed);
    for (const auto& [key, value] : link.items()) {
      if (key != "source" && key != "target") {
        tables_.edge_values().set(key, cell_text(value));
      }
    }
  }

  const std::string& origin_;
  KeyedTables tables_;
};

}  // namespace

GraphTables read_node_link(std::string_view text, const std::string& origin) {
  return NodeLinkReader(origin).read(parse_json(text, origin), text.size());
}

}  // namespace factorgcn
