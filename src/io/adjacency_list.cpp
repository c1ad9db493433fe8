// Lines of names. A node's own lines may be several: its neighbours are those of all of them.
#include "factorgcn/io/adjacency_list.h"

#include <array>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "io/text_lines.h"

namespace factorgcn {
namespace {

/// The line without the comment at its end.
std::string_view without_comment(std::string_view line) {
  for (std::size_t mark = line.find('#'); mark != std::string_view::npos; mark = line.find('#', mark + 1)) {
    if (mark == 0 || line[mark - 1] == ' ' || line[mark - 1] == '\t') {
      return trimmed_line(line.substr(0, mark));
    }
  }
  return line;
}

void split_names(std::string_view line, char separator, std::vector<std::string_view>& names) {
  split_fields(line, separator, names);
  std::erase(names, std::string_view());
}

void add_node(std::string_view name, std::uint64_t line, std::unordered_set<std::string_view>& known,
              TextTable& nodes) {
  if (known.insert(name).second) {
    nodes.add_row(std::array{name}, line);
  }
}

}  // namespace

GraphTables read_adjacency_list(std::string_view text, const std::string& origin) {
  require_utf8(text, origin);
  const char separator = text.find('\t') == std::string_view::npos ? ' ' : '\t';
  GraphTables tables;
  TextTable nodes;
  for (TextTable* table : {&tables.edges, &nodes}) {
    table->origin = origin;
    table->has_header = true;
  }
  tables.edges.columns = {"source", "target"};
  nodes.columns = {"node"};
  std::unordered_set<std::string_view> known;
  std::vector<std::string_view> names;
  for (TextLines lines(text); lines.next();) {
    split_names(without_comment(lines.line()), separator, names);
    if (names.empty()) {
      continue;
    }
    add_node(names.front(), lines.number(), known, nodes);
    for (std::size_t index = 1; index < names.size(); ++index) {
      tables.edges.add_row(std::array{names.front(), names[index]}, lines.number());
    }
  }
  require(nodes.num_rows() > 0, origin, ": it holds no lines; a node and its neighbours on each were expected");
  for (std::size_t row = 0; row < tables.edges.num_rows(); ++row) {
    add_node(tables.edges.cell(row, 1), tables.edges.places[row], known, nodes);
  }
  tables.nodes = std::move(nodes);
  return tables;
}

}  // namespace factorgcn
