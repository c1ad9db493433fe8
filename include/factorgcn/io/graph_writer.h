// Graphs written for other programs, in the format that the file's ending names: one piece after the other, so that the
// size of a graph is bound by the disk and not by memory.
//
//   .csv .tsv      a line per edge: graph, source, target, the edges' columns. Nodes' columns are not written.
//   .graphml       a <graph> per graph; networkx.read_graphml() takes the first
//   .gexf          GEXF 1.2, for Gephi; several graphs side by side in one: ids are NUMBER:NODE, counted
//                  from 1, labels the nodes' names, the graph's name an attribute
//   .json          node-link form: an object, or a list of them where there may be many; networkx.node_link_graph()
//   .safetensors   arrays (see tensor_graph_writer.cpp); kept in memory until the end
//
// A further .gz (graph.csv.gz) compresses any of the text formats. In csv and tsv, text is quoted where it has to be
// (RFC 4180) and otherwise left as it is: a name that begins with = + - or @ is written unchanged, since changing names
// would make them useless for joining. What a format cannot hold (control characters in XML, broken UTF-8) becomes
// U+FFFD.
//
//   write_graphs("friends.graphml", {.edge_columns = {{"strength", ColumnKind::kNumber}}}, [](GraphWriter& writer) {
//     writer.begin_graph("friends");
//     writer.add_node("ann");
//     writer.add_node("bob");
//     writer.add_edge("ann", "bob", std::array<CellValue, 1>{0.5F});
//   });
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/io/columns.h"

namespace factorgcn {

struct FACTORGCN_API GraphFileLayout {
  bool directed = false;
  bool many_graphs = false;   ///< begin_graph() may be called more than once
  bool graph_column = false;  ///< csv, tsv: the first column is the graph's name
  std::vector<NamedColumn> node_columns = {};
  std::vector<NamedColumn> edge_columns = {};  ///< in GEXF, a number called "weight" is the edge's weight
};

class FACTORGCN_API GraphWriter {
 public:
  explicit GraphWriter(GraphFileLayout layout);
  virtual ~GraphWriter() = default;
  GraphWriter(const GraphWriter&) = delete;
  GraphWriter& operator=(const GraphWriter&) = delete;

  /// Names should differ between graphs.
  void begin_graph(std::string_view name);

  /// All nodes of a graph come before its edges, with names that differ.
  void add_node(std::string_view name, std::span<const CellValue> values = {});

  /// Both ends are names of nodes of this graph. Throws Error where the number of values is not that of the columns.
  void add_edge(std::string_view source, std::string_view target, std::span<const CellValue> values = {});

  /// False where nodes go nowhere, so that they need not be put together.
  virtual bool keeps_nodes() const { return true; }

  const GraphFileLayout& layout() const { return layout_; }

 protected:
  virtual void graph(std::string_view name) = 0;
  virtual void node(std::string_view name, std::span<const CellValue> values) = 0;
  virtual void edge(std::string_view source, std::string_view target, std::span<const CellValue> values) = 0;

  std::int64_t graphs_begun() const { return graphs_; }

 private:
  GraphFileLayout layout_;
  std::int64_t graphs_ = 0;
  bool in_edges_ = false;
};

enum class GraphFormat { kCsv, kTsv, kGraphml, kGexf, kNodeLink, kTensors };

struct FACTORGCN_API GraphFileFormat {
  GraphFormat format = GraphFormat::kCsv;
  bool gzip = false;

  /// One line per edge, which may be a line per edge and something else as well.
  bool is_table() const { return format == GraphFormat::kCsv || format == GraphFormat::kTsv; }
};

/// By the file's ending. UsageError, naming all endings, for others, and where this build cannot compress: to be asked
/// before long work.
FACTORGCN_API GraphFileFormat graph_file_format(const std::filesystem::path& path);

/// Writes the file whole or not at all (base/files.h); `fill` hands over the graphs. Cost: that of the text; for
/// safetensors memory for all of it.
FACTORGCN_API void write_graphs(const std::filesystem::path& path, const GraphFileLayout& layout,
                                const std::function<void(GraphWriter&)>& fill);

}  // namespace factorgcn
