// GraphML: keys first, then the graphs. What is not known has no <data>.
#include "io/graph_formats.h"

namespace factorgcn {
namespace {

class GraphmlWriter : public GraphTextWriter {
 public:
  GraphmlWriter(const GraphFileLayout& layout, TextOutput& output) : GraphTextWriter(layout, output) {
    out().put(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" "
        "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
        "xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns "
        "http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd\">\n");
    put_keys(layout.node_columns, "node", 'n');
    put_keys(layout.edge_columns, "edge", 'e');
  }

  void end() override {
    end_graph();
    out().put("</graphml>\n");
  }

 protected:
  void graph(std::string_view name) override {
    end_graph();
    out().put(" <graph id=\"");
    out().put_xml(name);
    out().put("\" edgedefault=\"");
    out().put(layout().directed ? std::string_view("directed\">\n") : "undirected\">\n");
    open_ = true;
  }

  void node(std::string_view name, std::span<const CellValue> values) override {
    out().put("  <node id=\"");
    out().put_xml(name);
    put_values(values, 'n', "node");
  }

  void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) override {
    out().put("  <edge source=\"");
    out().put_xml(source);
    out().put("\" target=\"");
    out().put_xml(target);
    put_values(values, 'e', "edge");
  }

 private:
  void put_keys(const std::vector<NamedColumn>& columns, std::string_view of, char letter) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      out().put(" <key id=\"");
      put_key(letter, column);
      out().put("\" for=\"");
      out().put(of);
      out().put("\" attr.name=\"");
      out().put_xml(columns[column].name);
      out().put("\" attr.type=\"");
      out().put(xml_type_name(columns[column].kind));
      out().put("\"/>\n");
    }
  }

  void put_key(char letter, std::size_t column) {
    out().put(letter);
    out().put_number(static_cast<std::int64_t>(column));
  }

  /// The rest of an element whose last attribute is still open.
  void put_values(std::span<const CellValue> values, char letter, std::string_view element) {
    bool any = false;
    for (std::size_t column = 0; column < values.size(); ++column) {
      if (!is_unknown(values[column])) {
        out().put(any ? std::string_view("<data key=\"") : "\"><data key=\"");
        put_key(letter, column);
        out().put("\">");
        out().put_xml_value(values[column]);
        out().put("</data>");
        any = true;
      }
    }
    if (any) {
      out().put("</");
      out().put(element);
      out().put(">\n");
    } else {
      out().put("\"/>\n");
    }
    out().flush_when_full();
  }

  void end_graph() {
    if (open_) {
      out().put(" </graph>\n");
    }
    open_ = false;
  }

  bool open_ = false;
};

}  // namespace

std::unique_ptr<GraphTextWriter> graphml_writer(const GraphFileLayout& layout, TextOutput& output) {
  return std::make_unique<GraphmlWriter>(layout, output);
}

}  // namespace factorgcn
