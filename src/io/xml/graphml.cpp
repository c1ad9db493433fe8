// GraphML, element after element. Cost: O(text).
#include "factorgcn/io/graphml.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/keyed_tables.h"
#include "io/xml/xml_reader.h"

namespace factorgcn {
namespace {

enum class Place { kOutside, kGraphml, kKey, kDefault, kGraph, kNode, kEdge, kData, kIgnored };

struct Key {
  std::string name;      ///< attr.name, or the id where there is none
  std::string of;        ///< node, edge, graph or all
  std::string standard;  ///< <default>
  bool has_standard = false;
};

class GraphmlReader : public XmlReader {
 public:
  explicit GraphmlReader(const std::string& origin) : XmlReader(origin), tables_(origin) {
    tables_.call_labels("name");
  }

  GraphTables read(std::string_view text) {
    most_standard_bytes_ = (std::size_t{64} << 20) + 16 * text.size();
    read_document(text);
    require(seen_graphml_, origin(), ": the document is no GraphML; <graphml> was expected");
    require(tables_.num_graphs() > 0, origin(), ": it holds no <graph>");
    return tables_.finish(text.size());
  }

 private:
  void start(std::string_view name, const XmlAttributes& attributes) override {
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

  void start_key(const XmlAttributes& attributes) {
    current_key_ = std::string(needed(attributes, "key", "id"));
    const std::string_view name = attributes["attr.name"];
    const std::string_view of = attributes["for"];
    Key key{std::string(name.empty() ? std::string_view(current_key_) : name), std::string(of.empty() ? "all" : of), "",
            false};
    if (!keys_.emplace(current_key_, std::move(key)).second) {
      fail(where(), ": the key ", shown_text(current_key_), " is declared twice");
    }
  }

  void start_graph(const XmlAttributes& attributes) {
    const std::string_view way = needed(attributes, "graph", "edgedefault");
    if (way != "directed" && way != "undirected") {
      fail(where(), ": edgedefault is ", shown_text(way), "; directed or undirected was expected");
    }
    directed_ = way == "directed";
    tables_.begin_graph(line(), attributes["id"]);
    set_standards(tables_.graph_values(), "graph");
  }

  void start_node(const XmlAttributes& attributes) {
    const std::string_view id = needed(attributes, "node", "id");
    tables_.begin_node(line(), id);
    set_standards(tables_.node_values(), "node");
  }

  void start_edge(const XmlAttributes& attributes) {
    const std::string_view source = needed(attributes, "edge", "source");
    const std::string_view target = needed(attributes, "edge", "target");
    const std::string_view own = attributes["directed"];
    if (!own.empty() && own != "true" && own != "false") {
      fail(where(), ": directed is ", shown_text(own), "; true or false was expected");
    }
    tables_.begin_edge(line(), source, target, own.empty() ? directed_ : own == "true");
    if (const std::string_view id = attributes["id"]; !id.empty()) {
      tables_.edge_values().set("id", id);
    }
    set_standards(tables_.edge_values(), "edge");
  }

  /// Defaults come first, so that what an element says itself stays. Many or long defaults times many elements could
  /// take far more memory than the file, hence the bound.
  void set_standards(SparseTable& table, std::string_view of) {
    constexpr std::size_t kCellBytes = 64;
    for (const std::string& id : keys_with_standard_) {
      const Key& key = keys_.at(id);
      if (key.of == of || key.of == "all") {
        standard_bytes_ += kCellBytes + key.standard.size();
        require(standard_bytes_ <= most_standard_bytes_, origin(),
                ": the <default> values take far more memory than the file; write values where they are needed");
        table.set(key.name, key.standard);
      }
    }
  }

  void start_data(const XmlAttributes& attributes) {
    current_key_ = std::string(needed(attributes, "data", "key"));
    if (!keys_.contains(current_key_)) {
      fail(where(), ": the key ", shown_text(current_key_), " is not declared; a <key> with this id was expected");
    }
    text_.clear();
  }

  void characters(std::string_view letters) override {
    if (!places_.empty() && (places_.back() == Place::kData || places_.back() == Place::kDefault)) {
      text_ += letters;
    }
  }

  void end() override {
    const Place place = places_.back();
    places_.pop_back();
    if (place == Place::kDefault) {
      Key& key = keys_.at(current_key_);
      if (!key.has_standard) {
        keys_with_standard_.push_back(current_key_);
      }
      key.standard = trimmed_xml_text(text_);
      key.has_standard = true;
    } else if (place == Place::kData) {
      const Place owner = places_.back();
      const std::string& name = keys_.at(current_key_).name;
      if (owner == Place::kNode && name == "name") {  // igraph's ids are n0, n1 ...
        tables_.set_node_label(trimmed_xml_text(text_));
        return;
      }
      SparseTable& table = owner == Place::kNode   ? tables_.node_values()
                           : owner == Place::kEdge ? tables_.edge_values()
                                                   : tables_.graph_values();
      table.set(name, trimmed_xml_text(text_));
    }
  }

  std::vector<Place> places_;
  bool seen_graphml_ = false;
  std::unordered_map<std::string, Key> keys_;
  std::vector<std::string> keys_with_standard_;
  std::size_t standard_bytes_ = 0, most_standard_bytes_ = 0;
  std::string current_key_, text_;
  bool directed_ = false;
  KeyedTables tables_;
};

}  // namespace

bool can_read_graphml() { return true; }

GraphTables read_graphml(std::string_view text, const std::string& origin) { return GraphmlReader(origin).read(text); }

}  // namespace factorgcn
