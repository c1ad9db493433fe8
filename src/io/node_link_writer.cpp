// Node-link JSON, a line per node and link. What is not known has no key, as networkx keeps it.
#include "io/graph_formats.h"

namespace factorgcn {
namespace {

class NodeLinkWriter : public GraphTextWriter {
 public:
  NodeLinkWriter(const GraphFileLayout& layout, TextOutput& output) : GraphTextWriter(layout, output) {
    if (layout.many_graphs) {
      out().put('[');
    }
  }

  void end() override {
    end_graph();
    out().put(layout().many_graphs ? std::string_view("\n]\n") : "\n");
  }

 protected:
  void graph(std::string_view name) override {
    end_graph();
    out().put(graphs_begun() > 1 ? std::string_view(",\n") : layout().many_graphs ? "\n" : "");
    out().put(layout().directed ? std::string_view("{\"directed\": true, ") : "{\"directed\": false, ");
    out().put("\"multigraph\": false, \"graph\": {\"name\": ");
    out().put_json(name);
    out().put("}, \"nodes\": [");
    open_ = true;
    in_links_ = false;
    first_ = true;
  }

  void node(std::string_view name, std::span<const CellValue> values) override {
    begin_row();
    out().put("{\"id\": ");
    out().put_json(name);
    end_row(layout().node_columns, values);
  }

  void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) override {
    begin_links();
    begin_row();
    out().put("{\"source\": ");
    out().put_json(source);
    out().put(", \"target\": ");
    out().put_json(target);
    end_row(layout().edge_columns, values);
  }

 private:
  void begin_row() {
    out().put(first_ ? std::string_view("\n ") : ",\n ");
    first_ = false;
  }

  void end_row(const std::vector<NamedColumn>& columns, std::span<const CellValue> values) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
      if (!is_unknown(values[column])) {
        out().put(", ");
        out().put_json(columns[column].name);
        out().put(": ");
        out().put_json_value(values[column]);
      }
    }
    out().put('}');
    out().flush_when_full();
  }

  void begin_links() {
    if (!in_links_) {
      out().put("\n], \"links\": [");
      in_links_ = true;
      first_ = true;
    }
  }

  void end_graph() {
    if (open_) {
      begin_links();
      out().put("\n]}");
    }
    open_ = false;
  }

  bool open_ = false, in_links_ = false, first_ = true;
};

}  // namespace

std::unique_ptr<GraphTextWriter> node_link_writer(const GraphFileLayout& layout, TextOutput& output) {
  return std::make_unique<NodeLinkWriter>(layout, output);
}

}  // namespace factorgcn
