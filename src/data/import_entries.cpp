// Entries are gathered node by node as text, so that what follows treats them like lists that stood in the table.
#include "data/import_entries.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "data/delimited_text.h"
#include "data/import_columns.h"
#include "data/import_roles.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr std::uint64_t kMostEntryColumns = std::uint64_t{1} << 21;

class EntryJoiner {
 public:
  EntryJoiner(const GraphTables& tables, const ImportOptions& options)
      : tables_(tables), entries_(*tables.entries), options_(options) {}

  GraphTables run() {
    const TextTable& table = entries_.table;
    require(table.num_columns() == 2 || table.num_columns() == 3, table.origin, ": it has ", table.num_columns(),
            " columns; entries of features have a node, a column and a value (or no value, for 1)");
    require(table.num_rows() > 0, table.origin, ": it holds no entries");
    require(entries_.width <= kMostEntryColumns, table.origin, ": it has ", entries_.width, " columns; up to ",
            kMostEntryColumns, " are possible");
    GraphTables result;
    result.edges = tables_.edges;
    result.graphs = tables_.graphs;
    result.edge_is_directed = tables_.edge_is_directed;
    const TextTable nodes = tables_.nodes ? *tables_.nodes : named_nodes();
    gather(nodes);
    result.nodes = widened(nodes);
    result.entry_column = static_cast<std::int64_t>(nodes.num_columns());
    result.entry_width = static_cast<std::int64_t>(entries_.width);
    return result;
  }

 private:
  /// A table of the nodes that edges and entries name, in their order.
  TextTable named_nodes() {
    const TextTable& edges = tables_.edges;
    const EdgeColumns columns = choose_roles({.edges = edges, .graphs = tables_.graphs}, without_node_options()).edges;
    require_usage(!entries_.by_place, entries_.table.origin,
                  " numbers its rows and names no nodes; give --nodes FILE, a line per row in the same order");
    require_usage(!columns.graph, entries_.table.origin, ": which graph a node is in is told by a node table alone; ",
                  "give --nodes FILE with a graph column");
    TextTable nodes;
    nodes.origin = entries_.table.origin;
    nodes.columns = {"node"};
    nodes.has_header = true;
    std::unordered_map<std::string_view, bool> seen;
    const auto add = [&](const TextTable& table, std::size_t row, std::size_t column) {
      const std::string_view name = table.cell(row, column);
      if (seen.emplace(name, true).second) {
        nodes.add_row({&name, 1}, table.places[row]);
      }
    };
    for (std::size_t row = 0; row < edges.num_rows(); ++row) {
      add(edges, row, columns.source);
      add(edges, row, columns.target);
    }
    for (std::size_t row = 0; row < entries_.table.num_rows(); ++row) {
      add(entries_.table, row, 0);
    }
    return nodes;
  }

  ImportOptions without_node_options() const {
    ImportOptions options = options_;
    options.node = options.label = options.split = "";
    options.features = options.one_hot = {};
    return options;
  }

  /// Lists of column:value, one per row of the node table.
  void gather(const TextTable& nodes) {
    lists_.assign(nodes.num_rows(), {});
    if (entries_.by_place) {
      require(entries_.nodes == nodes.num_rows(), entries_.table.origin, ": it has ", entries_.nodes, " rows, but ",
              nodes.origin, " has ", nodes.num_rows(), " nodes; a row per node is needed, in the same order");
    } else {
      find_rows(nodes);
    }
    for (std::size_t row = 0; row < entries_.table.num_rows(); ++row) {
      add_entry(row, node_row(nodes, row));
    }
  }

  void find_rows(const TextTable& nodes) {
    const std::size_t column = tables_.nodes ? choose_roles(tables_, options_).nodes.node : 0;
    row_of_name_.reserve(nodes.num_rows());
    for (std::size_t row = 0; row < nodes.num_rows(); ++row) {
      const auto [place, fresh] = row_of_name_.emplace(nodes.cell(row, column), row);
      if (!fresh) {
        place->second = kSeveralRows;
      }
    }
  }

  std::size_t node_row(const TextTable& nodes, std::size_t row) const {
    const std::string_view name = entries_.table.cell(row, 0);
    if (entries_.by_place) {
      std::size_t place = 0;
      std::from_chars(name.data(), name.data() + name.size(), place);
      return place - 1;
    }
    const auto found = row_of_name_.find(std::string(name));
    require(found != row_of_name_.end(), entries_.table.where(row), ": node ", shown_text(name), " is not in ",
            nodes.origin, "; add it there");
    require(found->second != kSeveralRows, entries_.table.where(row), ": node ", shown_text(name),
            " is several times in ", nodes.origin, "; write lists of column:value into that table instead");
    return found->second;
  }

  void add_entry(std::size_t row, std::size_t node) {
    const TextTable& table = entries_.table;
    const std::string_view column = table.cell(row, 1);
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (error != std::errc() || end != column.data() + column.size() || number >= kMostEntryColumns) {
      fail(table.where(row), ": ", column_text(table, 1), " is ", shown_text(column),
           "; the number of a column from 0 to ", kMostEntryColumns - 1, " was expected");
    }
    std::string_view value = table.num_columns() == 3 ? table.cell(row, 2) : "1";
    double read = 0;
    if (!parse_decimal(value, read) || !(std::abs(read) <= std::numeric_limits<float>::max())) {
      fail(table.where(row), ": ", column_text(table, 2), " is ", shown_text(value),
           "; features must be finite numbers that fit 32-bit floats");
    }
    std::string& list = lists_[node];
    list += list.empty() ? "" : " ";
    list.append(column).append(":").append(value);
  }

  TextTable widened(const TextTable& nodes) const {
    TextTable wider;
    wider.origin = nodes.origin;
    wider.unit = nodes.unit;
    wider.columns = nodes.columns;
    wider.has_header = nodes.has_header;
    wider.notes = nodes.notes;
    wider.notes.insert(wider.notes.end(), entries_.table.notes.begin(), entries_.table.notes.end());
    const auto without = std::count(lists_.begin(), lists_.end(), "");
    if (without > 0) {
      wider.notes.push_back(concat(without, without == 1 ? " node has" : " nodes have", " no entry in ",
                                   entries_.table.origin, ": its features are 0"));
    }
    const auto taken = [&](const std::string& name) {
      return std::find(nodes.columns.begin(), nodes.columns.end(), name) != nodes.columns.end();
    };
    std::string name = "feature";
    while (taken(name)) {
      name += "'";
    }
    wider.columns.push_back(name);
    std::vector<std::string_view> cells(wider.columns.size());
    for (std::size_t row = 0; row < nodes.num_rows(); ++row) {
      for (std::size_t column = 0; column < nodes.num_columns(); ++column) {
        cells[column] = nodes.cell(row, column);
      }
      cells.back() = lists_[row];
      wider.add_row(cells, nodes.places[row]);
    }
    return wider;
  }

  static constexpr std::size_t kSeveralRows = std::numeric_limits<std::size_t>::max();

  const GraphTables& tables_;
  const FeatureEntries& entries_;
  const ImportOptions& options_;
  std::vector<std::string> lists_;
  std::unordered_map<std::string, std::size_t> row_of_name_;
};

}  // namespace

GraphTables with_entry_column(const GraphTables& tables, const ImportOptions& options) {
  return EntryJoiner(tables, options).run();
}

}  // namespace factorgcn
