// GraphML by expat, element after element. Depth costs memory in proportion to the text, and no stack.
//
// expat is C: an exception must not pass through it. Handlers therefore keep the first one and stop the parser.
#include "factorgcn/io/graphml.h"

#include <expat.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/sparse_table.h"

namespace factorgcn {
namespace {

enum class Place { kOutside, kGraphml, kKey, kDefault, kGraph, kNode, kEdge, kData, kIgnored };

struct Key {
  std::string name;      ///< attr.name, or the id where there is none
  std::string of;        ///< node, edge, graph or all
  std::string standard;  ///< <default>
  bool has_standard = false;
};

std::string_view local_name(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

std::string trimmed(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

class GraphmlReader {
 public:
  explicit GraphmlReader(const std::string& origin) : origin_(origin) {}

  GraphTables read(std::string_view text) {
    const std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser(XML_ParserCreate(nullptr),
                                                                              &XML_ParserFree);
    require(parser != nullptr, origin_, ": out of memory");
    parser_ = parser.get();
    most_standard_bytes_ = (std::size_t{64} << 20) + 16 * text.size();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(
        parser_,
        [](void* reader, const XML_Char* name, const XML_Char** attributes) {
          guarded(reader, [&](GraphmlReader& self) { self.start(name, attributes); });
        },
        [](void* reader, const XML_Char*) { guarded(reader, [](GraphmlReader& self) { self.end(); }); });
    XML_SetCharacterDataHandler(parser_, [](void* reader, const XML_Char* letters, int length) {
      guarded(reader, [&](GraphmlReader& self) { self.characters({letters, static_cast<std::size_t>(length)}); });
    });
    XML_SetStartDoctypeDeclHandler(parser_, [](void* reader, const XML_Char*, const XML_Char*, const XML_Char*, int) {
      guarded(reader, [](GraphmlReader& self) {
        fail(self.where(), ": a document type declaration (<!DOCTYPE ...>) is not accepted; remove it");
      });
    });
    parse(text);
    require(seen_graphml_, origin_, ": the document is no GraphML; <graphml> was expected");
    require(!names_.empty(), origin_, ": it holds no <graph>");
    return make_tables(text.size());
  }

 private:
  template <class Call>
  static void guarded(void* reader, const Call& call) noexcept {
    auto& self = *static_cast<GraphmlReader*>(reader);
    if (self.failure_) {
      return;
    }
    try {
      call(self);
    } catch (...) {
      self.failure_ = std::current_exception();
      XML_StopParser(self.parser_, XML_FALSE);
    }
  }

  void parse(std::string_view text) {
    constexpr std::size_t kPiece = 1 << 20;
    for (std::size_t place = 0;; place += kPiece) {
      const std::string_view piece = text.substr(std::min(place, text.size()), kPiece);
      const bool last = place + kPiece >= text.size();
      const XML_Status status = XML_Parse(parser_, piece.data(), static_cast<int>(piece.size()), last);
      if (failure_) {
        std::rethrow_exception(failure_);
      }
      if (status != XML_STATUS_OK) {
        fail(where(), ": not valid XML: ", XML_ErrorString(XML_GetErrorCode(parser_)));
      }
      if (last) {
        return;
      }
    }
  }

  std::uint64_t line() const { return XML_GetCurrentLineNumber(parser_); }
  std::string where() const { return concat(origin_, ", line ", line()); }

  /// The attribute's value; empty where it is not there.
  static std::string_view attribute(const XML_Char** attributes, std::string_view name) {
    for (; *attributes != nullptr; attributes += 2) {
      if (attributes[0] == name) {
        return attributes[1];
      }
    }
    return {};
  }

  std::string_view needed(const XML_Char** attributes, const char* element, const char* name) const {
    const std::string_view value = attribute(attributes, name);
    if (value.empty()) {
      fail(where(), ": <", element, "> has no ", name, "; ", name, "=\"...\" was expected");
    }
    return value;
  }

  void start(std::string_view full_name, const XML_Char** attributes) {
    const std::string_view name = local_name(full_name);
    const Place outer = places_.empty() ? Place::kOutside : places_.back();
    Place place = Place::kIgnored;
    if (outer == Place::kOutside) {
      if (name != "graphml") {
        fail(where(), ": the document starts with <", shown_text(name), ">; <graphml> was expected");
      }
      seen_graphml_ = true;
      place = Place::kGraphml;
    } else if (outer == Place::kIgnored) {
      // what lies inside an element that is passed over is passed over as well
    } else if (name == "key" && outer == Place::kGraphml) {
      start_key(attributes);
      place = Place::kKey;
    } else if (name == "default" && outer == Place::kKey) {
      text_.clear();
      place = Place::kDefault;
    } else if (name == "graph" && outer == Place::kGraphml) {
      start_graph(attributes);
      place = Place::kGraph;
    } else if (name == "graph" && (outer == Place::kNode || outer == Place::kEdge)) {
      fail(where(), ": a graph inside a node or an edge is not understood; write it as a graph of its own");
    } else if (name == "hyperedge") {
      fail(where(), ": a hyperedge is not understood; write it as edges");
    } else if (name == "node" && outer == Place::kGraph) {
      start_node(attributes);
      place = Place::kNode;
    } else if (name == "edge" && outer == Place::kGraph) {
      start_edge(attributes);
      place = Place::kEdge;
    } else if (name == "data" && (outer == Place::kGraph || outer == Place::kNode || outer == Place::kEdge)) {
      start_data(attributes);
      place = Place::kData;
    }
    places_.push_back(place);
  }

  void start_key(const XML_Char** attributes) {
    current_key_ = std::string(needed(attributes, "key", "id"));
    const std::string_view name = attribute(attributes, "attr.name");
    const std::string_view of = attribute(attributes, "for");
    Key key{std::string(name.empty() ? std::string_view(current_key_) : name), std::string(of.empty() ? "all" : of), "",
            false};
    if (!keys_.emplace(current_key_, std::move(key)).second) {
      fail(where(), ": the key ", shown_text(current_key_), " is declared twice");
    }
  }

  void start_graph(const XML_Char** attributes) {
    const std::string_view way = needed(attributes, "graph", "edgedefault");
    if (way != "directed" && way != "undirected") {
      fail(where(), ": edgedefault is ", shown_text(way), "; directed or undirected was expected");
    }
    directed_ = way == "directed";
    names_.emplace_back(attribute(attributes, "id"));
    graphs_.begin_row(line());
    set_standards(graphs_, "graph");
  }

  void start_node(const XML_Char** attributes) {
    const std::string_view id = needed(attributes, "node", "id");
    nodes_.begin_row(line());
    nodes_.set(1, id);
    graph_of_node_.push_back(names_.size() - 1);
    set_standards(nodes_, "node");
  }

  void start_edge(const XML_Char** attributes) {
    const std::string_view source = needed(attributes, "edge", "source");
    const std::string_view target = needed(attributes, "edge", "target");
    const std::string_view own = attribute(attributes, "directed");
    if (!own.empty() && own != "true" && own != "false") {
      fail(where(), ": directed is ", shown_text(own), "; true or false was expected");
    }
    edges_.begin_row(line());
    edges_.set(1, source);
    edges_.set(2, target);
    if (const std::string_view id = attribute(attributes, "id"); !id.empty()) {
      edges_.set("id", id);
    }
    graph_of_edge_.push_back(names_.size() - 1);
    edge_is_directed_.push_back(own.empty() ? directed_ : own == "true");
    set_standards(edges_, "edge");
  }

  /// Defaults come first, so that what an element says itself stays. Many or long defaults times many elements could
  /// take far more memory than the file, hence the bound.
  void set_standards(SparseTable& table, std::string_view of) {
    constexpr std::size_t kCellBytes = 64;
    for (const std::string& id : keys_with_standard_) {
      const Key& key = keys_.at(id);
      if (key.of == of || key.of == "all") {
        standard_bytes_ += kCellBytes + key.standard.size();
        require(standard_bytes_ <= most_standard_bytes_, origin_,
                ": the <default> values take far more memory than the file; write values where they are needed");
        table.set(key.name, key.standard);
      }
    }
  }

  void start_data(const XML_Char** attributes) {
    current_key_ = std::string(needed(attributes, "data", "key"));
    if (!keys_.contains(current_key_)) {
      fail(where(), ": the key ", shown_text(current_key_), " is not declared; a <key> with this id was expected");
    }
    text_.clear();
  }

  void characters(std::string_view letters) {
    if (!places_.empty() && (places_.back() == Place::kData || places_.back() == Place::kDefault)) {
      text_ += letters;
    }
  }

  void end() {
    const Place place = places_.back();
    places_.pop_back();
    if (place == Place::kDefault) {
      Key& key = keys_.at(current_key_);
      if (!key.has_standard) {
        keys_with_standard_.push_back(current_key_);
      }
      key.standard = trimmed(text_);
      key.has_standard = true;
    } else if (place == Place::kData) {
      const Place owner = places_.back();
      SparseTable& table = owner == Place::kNode ? nodes_ : owner == Place::kEdge ? edges_ : graphs_;
      table.set(keys_.at(current_key_).name, trimmed(text_));
    }
  }

  GraphTables make_tables(std::size_t bytes) {
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
    GraphTables tables;
    tables.edges = edges_.to_table(origin_, "line", bytes);
    tables.nodes = nodes_.to_table(origin_, "line", bytes);
    tables.graphs = graphs_.to_table(origin_, "line", bytes);
    tables.edge_is_directed = std::move(edge_is_directed_);
    return tables;
  }

  const std::string& origin_;
  XML_Parser parser_ = nullptr;
  std::exception_ptr failure_;
  std::vector<Place> places_;
  bool seen_graphml_ = false;
  std::unordered_map<std::string, Key> keys_;
  std::vector<std::string> keys_with_standard_;
  std::size_t standard_bytes_ = 0, most_standard_bytes_ = 0;
  std::string current_key_, text_;
  bool directed_ = false;
  std::vector<std::string> names_;
  std::vector<std::size_t> graph_of_node_, graph_of_edge_;
  std::vector<bool> edge_is_directed_;
  SparseTable edges_{{"graph", "source", "target"}};
  SparseTable nodes_{{"graph", "node"}};
  SparseTable graphs_{{"graph"}};
};

}  // namespace

bool can_read_graphml() { return true; }

GraphTables read_graphml(std::string_view text, const std::string& origin) { return GraphmlReader(origin).read(text); }

}  // namespace factorgcn
