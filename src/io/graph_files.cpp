// From paths to tables: the format, then its reader. Cost: the text and its tables in memory.
#include "factorgcn/io/graph_files.h"

#include <string_view>
#include <vector>

#include "data/delimited_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/io/adjacency_list.h"
#include "factorgcn/io/gexf.h"
#include "factorgcn/io/gml.h"
#include "factorgcn/io/graphml.h"
#include "factorgcn/io/gzip.h"
#include "factorgcn/io/input_format.h"
#include "factorgcn/io/matrix_market.h"
#include "factorgcn/io/mpx.h"
#include "factorgcn/io/node_link.h"
#include "factorgcn/io/pajek.h"
#include "io/multilayer_list.h"
#include "io/utf16.h"

namespace factorgcn {
namespace {

Separator separator_of(const GraphFiles& files) {
  const std::string& word = files.separator;
  if (word.empty()) {
    return files.format == "tsv" ? Separator::kTab : Separator::kDetect;
  }
  if (word == "comma" || word == ",") {
    return Separator::kComma;
  }
  if (word == "tab" || word == "\t" || word == "\\t") {
    return Separator::kTab;
  }
  if (word == "semicolon" || word == ";") {
    return Separator::kSemicolon;
  }
  if (word == "blanks" || word == "whitespace" || word == "space" || word == " ") {
    return Separator::kBlanks;
  }
  throw UsageError(concat("--separator '", word, "': give comma, tab, semicolon or blanks"));
}

Header header_of(const GraphFiles& files) {
  require_usage(files.header.empty() || files.header == "yes" || files.header == "no", "--header '", files.header,
                "': give yes or no");
  return files.header.empty() ? Header::kDetect : files.header == "yes" ? Header::kYes : Header::kNo;
}

/// The file's text, unpacked where it is gzip, whatever its name, and as UTF-8 where it is UTF-16.
std::string read_text(const std::filesystem::path& path) {
  std::string text = read_file(path);
  if (is_gzip(text)) {
    text = unpack_gzip(text, path.string());
  }
  require(!text.starts_with("PK\x03\x04"), path.string(),
          ": it is a zip archive, as spreadsheets are (.xlsx, .ods), and no text; save the sheet as CSV UTF-8");
  require(!text.starts_with("\xD0\xCF\x11\xE0"), path.string(),
          ": it is an old spreadsheet (.xls) and no text; save the sheet as CSV UTF-8");
  return is_utf16(text) ? utf8_of_utf16(text, path.string()) : text;
}

TextTable read_table(const std::filesystem::path& path, std::string_view text, const GraphFiles& files,
                     std::vector<std::string> asked, std::initializer_list<const std::vector<std::string>*> known,
                     std::size_t enough) {
  DelimitedOptions options;
  options.separator = separator_of(files);
  options.header = header_of(files);
  options.asked_names = std::move(asked);
  for (const auto* names : known) {
    options.known_names.insert(options.known_names.end(), names->begin(), names->end());
  }
  options.enough_known = enough;
  options.words_join_last = path != files.edges;
  return read_delimited(text, path.string(), options);
}

std::vector<std::string> joined(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::erase(names, "");
  std::erase(names, "none");
  return names;
}

/// Lines of "layer node node weight" are known by what they hold, unless columns were asked for.
void find_layers(TextTable& edges, InputFormat format, const ImportOptions& options) {
  if (format == InputFormat::kMultilayer) {
    if (!edges.has_header) {
      name_multilayer_columns(edges);
    }
    return;
  }
  const bool asked =
      !(options.source.empty() && options.target.empty() && options.relation.empty() && options.graph.empty());
  if (!asked && looks_like_multilayer_list(edges)) {
    name_multilayer_columns(edges);
    edges.notes.push_back(concat(edges.origin, ": taken for lines of layer, node, node, weight; if they are not, give ",
                                 "--source 1 --target 2"));
  }
}

GraphTables read_edge_list(std::string_view text, InputFormat format, const GraphFiles& files,
                           const ImportOptions& options) {
  using Known = KnownColumns;
  GraphTables tables;
  tables.edges =
      read_table(files.edges, text, files,
                 joined({options.source, options.target, options.graph, options.relation, options.edge_weight}, {}),
                 {&Known::source(), &Known::target(), &Known::graph(), &Known::relation(), &Known::weight()}, 2);
  find_layers(tables.edges, format, options);
  return tables;
}

FeatureEntries read_entries(const GraphFiles& files) {
  const std::string text = read_text(files.entries);
  if (is_matrix_market(text)) {
    return read_matrix_features(text, files.entries.string());
  }
  static const std::vector<std::string> kNames{"column", "feature", "word", "value", "count"};
  FeatureEntries entries;
  entries.table = read_table(files.entries, text, files, {}, {&KnownColumns::node(), &kNames}, 2);
  return entries;
}

GraphTables read_one_file(std::string_view text, InputFormat format, const GraphFiles& files,
                          const ImportOptions& options) {
  const std::string origin = files.edges.string();
  switch (format) {
    case InputFormat::kEdgeList:
    case InputFormat::kMultilayer:
      return read_edge_list(text, format, files, options);
    case InputFormat::kAdjacencyList:
      return read_adjacency_list(text, origin);
    case InputFormat::kGraphml:
      return read_graphml(text, origin);
    case InputFormat::kGexf:
      return read_gexf(text, origin);
    case InputFormat::kGml:
      return read_gml(text, origin);
    case InputFormat::kPajek:
      return read_pajek(text, origin);
    case InputFormat::kMpx:
      return read_mpx(text, origin);
    case InputFormat::kJson:
      return read_node_link(text, origin);
    case InputFormat::kMatrixMarket:
      return read_matrix_graph(text, origin);
  }
  fail(origin, ": this format has no reader");
}

}  // namespace

GraphTables read_graph_files(const GraphFiles& files, const ImportOptions& options) {
  separator_of(files);  // wrong words are said whether they are needed or not
  header_of(files);
  if (!files.format.empty()) {
    check_input_format(files.format);
  }
  const std::string text = read_text(files.edges);
  const InputFormat format = input_format(files.edges, files.format, text);
  const bool takes_nodes = names_alone(format);
  require_usage(files.nodes.empty() || takes_nodes, "--nodes ", files.nodes.string(), " goes with an edge list; ",
                files.edges.string(), " holds nodes and graphs itself");
  require_usage(files.graphs.empty() || is_edge_list(format), "--graphs ", files.graphs.string(),
                " goes with an edge list; ", files.edges.string(), " holds nodes and graphs itself");
  GraphTables tables = read_one_file(text, format, files, options);
  using Known = KnownColumns;
  if (!files.nodes.empty()) {
    tables.nodes = read_table(
        files.nodes, read_text(files.nodes), files,
        joined({options.node, options.node_graph, options.graph, options.label, options.split}, options.features),
        {&Known::node(), &Known::graph(), &Known::label(), &Known::split()}, 1);
  }
  if (!files.graphs.empty()) {
    tables.graphs =
        read_table(files.graphs, read_text(files.graphs), files,
                   joined({options.graph_name, options.graph_label, options.graph_split}, options.graph_targets),
                   {&Known::node(), &Known::graph(), &Known::label(), &Known::split()}, 1);
  }
  if (!files.entries.empty()) {
    tables.entries = read_entries(files);
  }
  return tables;
}

std::map<std::string, std::string> read_relation_names(const std::filesystem::path& file, const GraphFiles& files) {
  const TextTable table =
      read_table(file, read_text(file), files, {}, {&KnownColumns::relation(), &KnownColumns::node()}, 1);
  require(table.num_columns() >= 2, file.string(), ": it has 1 column; two were expected, a relation and its name");
  std::map<std::string, std::string> names;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const bool fresh = names.emplace(table.cell(row, 0), table.cell(row, 1)).second;
    require(fresh, file.string(), ", line ", table.places[row], ": this relation has a name already");
  }
  return names;
}

}  // namespace factorgcn
