// From paths to tables: the format by name, then its reader. Cost: the text and its tables in memory.
#include "factorgcn/io/graph_files.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "data/delimited_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/files.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/io/graphml.h"
#include "factorgcn/io/node_link.h"

namespace factorgcn {
namespace {

enum class Format { kDelimited, kGraphml, kNodeLink };

/// Endings and names of --format are the same words.
Format format_of(const GraphFiles& files) {
  std::string word = files.format;
  if (word.empty()) {
    word = files.edges.extension().string();
    word = word.empty() ? "" : word.substr(1);
    std::transform(word.begin(), word.end(), word.begin(), [](char letter) {
      return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32) : letter;
    });
  }
  if (word == "csv" || word == "tsv" || word == "txt" || word == "edges" || word == "edgelist" || word == "tab") {
    return Format::kDelimited;
  }
  if (word == "graphml" || word == "xml") {
    return Format::kGraphml;
  }
  if (word == "json") {
    return Format::kNodeLink;
  }
  constexpr std::array<std::string_view, 5> kKnown{"csv", "tsv", "txt", "graphml", "json"};
  if (files.format.empty()) {
    throw UsageError(concat(files.edges.string(), ": the format is not clear from the ending; give --format csv, tsv, ",
                            "txt, graphml or json"));
  }
  throw UsageError(concat("--format '", files.format, "' is unknown", known_names_hint(files.format, kKnown)));
}

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

TextTable read_table(const std::filesystem::path& path, const GraphFiles& files, std::vector<std::string> asked,
                     std::initializer_list<const std::vector<std::string>*> known, std::size_t enough) {
  DelimitedOptions options;
  options.separator = separator_of(files);
  options.header = header_of(files);
  options.asked_names = std::move(asked);
  for (const auto* names : known) {
    options.known_names.insert(options.known_names.end(), names->begin(), names->end());
  }
  options.enough_known = enough;
  options.words_join_last = path != files.edges;
  return read_delimited(read_file(path), path.string(), options);
}

std::vector<std::string> joined(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::erase(names, "");
  std::erase(names, "none");
  return names;
}

}  // namespace

GraphTables read_graph_files(const GraphFiles& files, const ImportOptions& options) {
  const Format format = format_of(files);
  separator_of(files);  // wrong words are said whether they are needed or not
  header_of(files);
  if (format != Format::kDelimited) {
    for (const auto& [option, path] : {std::pair{"--nodes", files.nodes}, std::pair{"--graphs", files.graphs}}) {
      require_usage(path.empty(), option, " ", path.string(), " goes with an edge list; ", files.edges.string(),
                    " holds nodes and graphs itself");
    }
    const std::string text = read_file(files.edges);
    return format == Format::kGraphml ? read_graphml(text, files.edges.string())
                                      : read_node_link(text, files.edges.string());
  }
  using Known = KnownColumns;
  GraphTables tables;
  tables.edges =
      read_table(files.edges, files,
                 joined({options.source, options.target, options.graph, options.relation, options.edge_weight}, {}),
                 {&Known::source(), &Known::target(), &Known::graph(), &Known::relation(), &Known::weight()}, 2);
  if (!files.nodes.empty()) {
    tables.nodes = read_table(
        files.nodes, files,
        joined({options.node, options.node_graph, options.graph, options.label, options.split}, options.features),
        {&Known::node(), &Known::graph(), &Known::label(), &Known::split()}, 1);
  }
  if (!files.graphs.empty()) {
    tables.graphs =
        read_table(files.graphs, files,
                   joined({options.graph_name, options.graph_label, options.graph_split}, options.graph_targets),
                   {&Known::node(), &Known::graph(), &Known::label(), &Known::split()}, 1);
  }
  return tables;
}

std::map<std::string, std::string> read_relation_names(const std::filesystem::path& file, const GraphFiles& files) {
  const TextTable table = read_table(file, files, {}, {&KnownColumns::relation(), &KnownColumns::node()}, 1);
  require(table.num_columns() >= 2, file.string(), ": it has 1 column; two were expected, a relation and its name");
  std::map<std::string, std::string> names;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const bool fresh = names.emplace(table.cell(row, 0), table.cell(row, 1)).second;
    require(fresh, file.string(), ", line ", table.places[row], ": this relation has a name already");
  }
  return names;
}

}  // namespace factorgcn
