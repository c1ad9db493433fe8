// GEXF, element after element. Nodes may lie in nodes, so what an attribute value belongs to is kept as a path.
#include "factorgcn/io/gexf.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/keyed_tables.h"
#include "io/xml/xml_reader.h"

namespace factorgcn {
namespace {

enum class GexfPlace {
  kOutside,
  kGexf,
  kGraph,
  kAttributes,
  kAttribute,
  kDefault,
  kNodes,
  kNode,
  kEdges,
  kEdge,
  kValues,
  kIgnored
};

/// Declared attributes of nodes, or of edges.
struct GexfAttributes {
  std::unordered_map<std::string, std::string> title_of_id;
  std::vector<std::pair<std::string, std::string>> standards;  ///< title and value, where there is a default
};

class GexfReader : public XmlReader {
 public:
  explicit GexfReader(const std::string& origin) : XmlReader(origin), tables_(origin) {}

  GraphTables read(std::string_view text) {
    most_standard_bytes_ = (std::size_t{64} << 20) + 16 * text.size();
    read_document(text);
    require(tables_.num_graphs() > 0, origin(), ": it holds no <graph>");
    if (changes_) {
      tables_.note(concat(origin(), ": the graph changes over time; all its nodes and edges are taken, whenever"));
    }
    return tables_.finish(text.size());
  }

 private:
  GexfPlace place_of(std::string_view name, GexfPlace outer) const {
    using Place = GexfPlace;
    switch (outer) {
      case Place::kOutside:
        return Place::kGexf;
      case Place::kGexf:
        return name == "graph" ? Place::kGraph : Place::kIgnored;
      case Place::kGraph:
        return name == "attributes" ? Place::kAttributes
               : name == "nodes"    ? Place::kNodes
               : name == "edges"    ? Place::kEdges
                                    : Place::kIgnored;
      case Place::kAttributes:
        return name == "attribute" ? Place::kAttribute : Place::kIgnored;
      case Place::kAttribute:
        return name == "default" ? Place::kDefault : Place::kIgnored;
      case Place::kNodes:
        return name == "node" ? Place::kNode : Place::kIgnored;
      case Place::kEdges:
        return name == "edge" ? Place::kEdge : Place::kIgnored;
      case Place::kNode:
        return name == "attvalues" ? Place::kValues
               : name == "nodes"   ? Place::kNodes
               : name == "edges"   ? Place::kEdges
                                   : Place::kIgnored;
      case Place::kEdge:
        return name == "attvalues" ? Place::kValues : Place::kIgnored;
      default:
        return Place::kIgnored;
    }
  }

  void start(std::string_view name, const XmlAttributes& attributes) override {
    const GexfPlace outer = places_.empty() ? GexfPlace::kOutside : places_.back();
    if (outer == GexfPlace::kOutside && name != "gexf") {
      fail(where(), ": the document starts with <", shown_text(name), ">; <gexf> was expected");
    }
    if (name == "attvalue" && outer == GexfPlace::kValues) {
      set_value(attributes);
    }
    const GexfPlace place = place_of(name, outer);
    places_.push_back(place);
    if (place == GexfPlace::kGraph) {
      start_graph(attributes);
    } else if (place == GexfPlace::kAttributes) {
      const std::string_view of = needed(attributes, "attributes", "class");
      declared_ = of == "node" ? &node_attributes_ : of == "edge" ? &edge_attributes_ : nullptr;
    } else if (place == GexfPlace::kAttribute && declared_ != nullptr) {
      start_attribute(attributes);
    } else if (place == GexfPlace::kDefault) {
      text_.clear();
    } else if (place == GexfPlace::kNode) {
      start_node(attributes);
    } else if (place == GexfPlace::kEdge) {
      start_edge(attributes);
    }
  }

  void start_graph(const XmlAttributes& attributes) {
    const std::string_view way = attributes["defaultedgetype"];
    directed_ = is_directed(way, false);
    changes_ = changes_ || attributes["mode"] == "dynamic";
    tables_.begin_graph(line(), attributes["name"]);
  }

  /// A mutual edge goes both ways, as an undirected one does here.
  bool is_directed(std::string_view type, bool otherwise) const {
    if (type.empty()) {
      return otherwise;
    }
    if (type != "directed" && type != "undirected" && type != "mutual") {
      fail(where(), ": the type of edges is ", shown_text(type), "; directed, undirected or mutual was expected");
    }
    return type == "directed";
  }

  void start_attribute(const XmlAttributes& attributes) {
    const std::string id(needed(attributes, "attribute", "id"));
    const std::string_view title = attributes["title"];
    title_ = title.empty() ? id : std::string(title);
    if (!declared_->title_of_id.emplace(id, title_).second) {
      fail(where(), ": the attribute ", shown_text(id), " is declared twice");
    }
  }

  void start_node(const XmlAttributes& attributes) {
    tables_.begin_node(line(), needed(attributes, "node", "id"));
    tables_.set_node_label(attributes["label"]);
    open_nodes_.push_back(tables_.num_nodes());
    set_standards(tables_.node_values(), node_attributes_);
  }

  void start_edge(const XmlAttributes& attributes) {
    const std::string_view source = needed(attributes, "edge", "source");
    const std::string_view target = needed(attributes, "edge", "target");
    tables_.begin_edge(line(), source, target, is_directed(attributes["type"], directed_));
    SparseTable& values = tables_.edge_values();
    set_standards(values, edge_attributes_);
    for (const auto& [attribute, column] :
         {std::pair{"weight", "weight"}, std::pair{"kind", "relation"}, std::pair{"label", "label"}}) {
      if (const std::string_view value = attributes[attribute]; !value.empty()) {
        values.set(column, value);
      }
    }
  }

  /// As in GraphML: defaults times elements are bounded.
  void set_standards(SparseTable& table, const GexfAttributes& attributes) {
    constexpr std::size_t kCellBytes = 64;
    for (const auto& [title, value] : attributes.standards) {
      standard_bytes_ += kCellBytes + value.size();
      require(standard_bytes_ <= most_standard_bytes_, origin(),
              ": the <default> values take far more memory than the file; write values where they are needed");
      table.set(title, value);
    }
  }

  void set_value(const XmlAttributes& attributes) {
    const bool of_edge = places_[places_.size() - 2] == GexfPlace::kEdge;
    if (!of_edge && open_nodes_.back() != tables_.num_nodes()) {
      fail(where(), ": the values of a node stand behind the nodes inside it; write its <attvalues> first");
    }
    const GexfAttributes& known = of_edge ? edge_attributes_ : node_attributes_;
    const std::string id(attributes.has("for") ? attributes["for"] : needed(attributes, "attvalue", "id"));
    const auto found = known.title_of_id.find(id);
    // Gephi writes an edge's weight as a value of an attribute that it does not declare.
    const std::string& title = found == known.title_of_id.end() ? id : found->second;
    if (found == known.title_of_id.end() && id != "weight") {
      fail(where(), ": the attribute ", shown_text(id), " is not declared; an <attribute> with this id was expected");
    }
    (of_edge ? tables_.edge_values() : tables_.node_values()).set(title, attributes["value"]);
  }

  void characters(std::string_view letters) override {
    if (!places_.empty() && places_.back() == GexfPlace::kDefault) {
      text_ += letters;
    }
  }

  void end() override {
    const GexfPlace place = places_.back();
    places_.pop_back();
    if (place == GexfPlace::kNode) {
      open_nodes_.pop_back();
    } else if (place == GexfPlace::kDefault && declared_ != nullptr) {
      auto& standards = declared_->standards;
      if (!standards.empty() && standards.back().first == title_) {
        standards.pop_back();
      }
      standards.emplace_back(title_, trimmed_xml_text(text_));
    }
  }

  std::vector<GexfPlace> places_;
  std::vector<std::size_t> open_nodes_;  ///< the nodes we are in, by number from 1
  GexfAttributes node_attributes_, edge_attributes_;
  GexfAttributes* declared_ = nullptr;  ///< the list an <attribute> belongs to; null for those of graphs
  std::string title_, text_;
  std::size_t standard_bytes_ = 0, most_standard_bytes_ = 0;
  bool directed_ = false, changes_ = false;
  KeyedTables tables_;
};

}  // namespace

bool can_read_gexf() { return true; }

GraphTables read_gexf(std::string_view text, const std::string& origin) { return GexfReader(origin).read(text); }

}  // namespace factorgcn
