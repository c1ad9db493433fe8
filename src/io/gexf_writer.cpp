// GEXF 1.2: one graph, all its nodes before its edges. Where there may be several graphs, edges wait in a nameless file
// of the system until all nodes are written, so that memory does not grow with them.
#include <cstdio>
#include <string>

#include "factorgcn/base/error.h"
#include "io/graph_formats.h"

namespace factorgcn {
namespace {

/// Text put aside: written once, then read once.
class TextAside {
 public:
  TextAside() : file_(std::tmpfile()) { require(file_ != nullptr, "no temporary file can be made"); }
  ~TextAside() { std::fclose(file_); }
  TextAside(const TextAside&) = delete;
  TextAside& operator=(const TextAside&) = delete;

  void write(std::string_view bytes) {
    require(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size(), "a temporary file cannot be written");
  }

  template <class Use>
  void read_back(const Use& use) {
    require(std::fseek(file_, 0, SEEK_SET) == 0, "a temporary file cannot be read");
    std::string piece(std::size_t{1} << 18, '\0');
    while (const std::size_t count = std::fread(piece.data(), 1, piece.size(), file_)) {
      use(std::string_view(piece).substr(0, count));
    }
    require(std::ferror(file_) == 0, "a temporary file cannot be read");
  }

 private:
  std::FILE* file_;
};

class GexfWriter : public GraphTextWriter {
 public:
  GexfWriter(const GraphFileLayout& layout, TextOutput& output)
      : GraphTextWriter(layout, output),
        aside_(layout.many_graphs ? std::make_unique<TextAside>() : nullptr),
        append_aside_([this](std::string_view bytes) { aside_->write(bytes); }),
        later_(append_aside_, false) {
    out().put(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<gexf xmlns=\"http://www.gexf.net/1.2draft\" version=\"1.2\">\n"
        " <meta><creator>factorgcn</creator></meta>\n <graph mode=\"static\" defaultedgetype=\"");
    out().put(layout.directed ? std::string_view("directed\">\n") : "undirected\">\n");
    std::vector<NamedColumn> of_nodes = layout.node_columns;
    if (layout.many_graphs) {
      of_nodes.push_back({"graph", ColumnKind::kText, ""});
    }
    put_attributes(of_nodes, "node");
    put_attributes(layout.edge_columns, "edge");
    out().put("  <nodes>\n");
  }

  void end() override {
    begin_edges();
    if (aside_) {
      later_.finish();
      aside_->read_back([this](std::string_view piece) {
        out().put(piece);
        out().flush_when_full();
      });
    }
    out().put("  </edges>\n </graph>\n</gexf>\n");
  }

 protected:
  void graph(std::string_view name) override { graph_ = name; }

  void node(std::string_view name, std::span<const CellValue> values) override {
    out().put("   <node id=\"");
    put_id(out(), name);
    out().put("\" label=\"");
    out().put_xml(name);
    out().put("\"><attvalues>");
    put_values(out(), values);
    if (layout().many_graphs) {
      put_value(out(), values.size(), std::string_view(graph_));
    }
    out().put("</attvalues></node>\n");
    out().flush_when_full();
  }

  void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) override {
    if (!aside_) {
      begin_edges();
    }
    TextOutput& to = aside_ ? later_ : out();
    to.put("   <edge id=\"");
    to.put_number(edges_++);
    to.put("\" source=\"");
    put_id(to, source);
    to.put("\" target=\"");
    put_id(to, target);
    for (std::size_t column = 0; column < values.size(); ++column) {
      if (is_weight(column) && !is_unknown(values[column])) {
        to.put("\" weight=\"");
        to.put_xml_value(values[column]);
      }
    }
    to.put("\"><attvalues>");
    put_values(to, values, /*of_edge=*/true);
    to.put("</attvalues></edge>\n");
    to.flush_when_full();
  }

 private:
  /// The edge's own weight, which is an attribute of its element and no value.
  bool is_weight(std::size_t column) const {
    const NamedColumn& named = layout().edge_columns[column];
    return named.name == "weight" && named.kind == ColumnKind::kNumber;
  }

  void put_attributes(const std::vector<NamedColumn>& columns, std::string_view of) {
    out().put("  <attributes class=\"");
    out().put(of);
    out().put("\">\n");
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (of == "edge" && is_weight(column)) {
        continue;
      }
      out().put("   <attribute id=\"");
      out().put_number(static_cast<std::int64_t>(column));
      out().put("\" title=\"");
      out().put_xml(columns[column].name);
      out().put("\" type=\"");
      out().put(xml_type_name(columns[column].kind));
      out().put("\"/>\n");
    }
    out().put("  </attributes>\n");
  }

  void put_id(TextOutput& to, std::string_view name) const {
    if (layout().many_graphs) {
      to.put_number(graphs_begun());
      to.put(':');
    }
    to.put_xml(name);
  }

  static void put_value(TextOutput& to, std::size_t column, const CellValue& value) {
    to.put("<attvalue for=\"");
    to.put_number(static_cast<std::int64_t>(column));
    to.put("\" value=\"");
    to.put_xml_value(value);
    to.put("\"/>");
  }

  void put_values(TextOutput& to, std::span<const CellValue> values, bool of_edge = false) const {
    for (std::size_t column = 0; column < values.size(); ++column) {
      if (!is_unknown(values[column]) && !(of_edge && is_weight(column))) {
        put_value(to, column, values[column]);
      }
    }
  }

  void begin_edges() {
    if (!in_edges_) {
      out().put("  </nodes>\n  <edges>\n");
    }
    in_edges_ = true;
  }

  std::unique_ptr<TextAside> aside_;
  AppendBytes append_aside_;
  TextOutput later_;
  std::string graph_;
  std::int64_t edges_ = 0;
  bool in_edges_ = false;
};

}  // namespace

std::unique_ptr<GraphTextWriter> gexf_writer(const GraphFileLayout& layout, TextOutput& output) {
  return std::make_unique<GexfWriter>(layout, output);
}

}  // namespace factorgcn
