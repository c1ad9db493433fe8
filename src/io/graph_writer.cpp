// The choice of the format, and what all of them check.
#include "factorgcn/io/graph_writer.h"

#include <utility>

#include "factorgcn/base/error.h"
#include "io/file_ending.h"
#include "io/graph_formats.h"

namespace factorgcn {

GraphWriter::GraphWriter(GraphFileLayout layout) : layout_(std::move(layout)) {}

void GraphWriter::begin_graph(std::string_view name) {
  require(graphs_ == 0 || layout_.many_graphs, "a second graph, '", name, "', in a file laid out for one");
  ++graphs_;
  in_edges_ = false;
  graph(name);
}

void GraphWriter::add_node(std::string_view name, std::span<const CellValue> values) {
  require(graphs_ > 0 && !in_edges_, "node '", name, "' comes ", graphs_ == 0 ? "before its graph" : "after edges");
  require(values.size() == layout_.node_columns.size(), "node '", name, "' has ", values.size(), " values for ",
          layout_.node_columns.size(), " columns");
  node(name, values);
}

void GraphWriter::add_edge(std::string_view source, std::string_view target, std::span<const CellValue> values) {
  require(graphs_ > 0, "edge '", source, "', '", target, "' comes before its graph");
  require(values.size() == layout_.edge_columns.size(), "edge '", source, "', '", target, "' has ", values.size(),
          " values for ", layout_.edge_columns.size(), " columns");
  in_edges_ = true;
  edge(source, target, values);
}

GraphFileFormat graph_file_format(const std::filesystem::path& path) {
  const FileEnding ending = file_ending(path);
  check_can_compress(path, ending);
  const std::string& word = ending.word;
  if (word == "csv" || word == "tsv") {
    return {word == "csv" ? GraphFormat::kCsv : GraphFormat::kTsv, ending.gzip};
  }
  if (word == "graphml") {
    return {GraphFormat::kGraphml, ending.gzip};
  }
  if (word == "gexf") {
    return {GraphFormat::kGexf, ending.gzip};
  }
  if (word == "json") {
    return {GraphFormat::kNodeLink, ending.gzip};
  }
  require_usage(word != "safetensors" || !ending.gzip, path.string(),
                ": a safetensors file is not compressed, since it is mapped where it is read; leave .gz out");
  require_usage(word == "safetensors", path.string(),
                ": the ending does not name a format for graphs; give .csv, .tsv, .graphml, .gexf, .json (each also "
                "with .gz) or .safetensors");
  return {GraphFormat::kTensors, false};
}

void write_graphs(const std::filesystem::path& path, const GraphFileLayout& layout,
                  const std::function<void(GraphWriter&)>& fill) {
  const GraphFileFormat format = graph_file_format(path);
  if (format.format == GraphFormat::kTensors) {
    write_safetensors(path, graph_tensors(layout, fill));
    return;
  }
  write_file_atomically(path, [&](const AppendBytes& append) {
    TextOutput output(append, format.gzip);
    std::unique_ptr<GraphTextWriter> writer;
    if (format.is_table()) {
      writer = delimited_graph_writer(layout, output, format.format == GraphFormat::kCsv ? ',' : '\t');
    } else if (format.format == GraphFormat::kGraphml) {
      writer = graphml_writer(layout, output);
    } else if (format.format == GraphFormat::kGexf) {
      writer = gexf_writer(layout, output);
    } else {
      writer = node_link_writer(layout, output);
    }
    fill(*writer);
    writer->end();
    output.finish();
  });
}

}  // namespace factorgcn
