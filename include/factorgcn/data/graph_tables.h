// Graphs as tables of text: what edge lists, node tables, GraphML and node-link files have in common.
//
// Readers of file formats end here; import_graphs() (data/import.h) starts here. Each row knows where it came from, so
// that an error about a value can name its line.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "factorgcn/base/export.h"

namespace factorgcn {

/// Rows of equally many cells. The cells' text lies in one string, so a large table is a few allocations.
struct FACTORGCN_API TextTable {
  std::string origin;                    ///< the file, for errors
  std::string unit = "line";             ///< what `places` count: lines of a text file, links of a JSON file
  std::vector<std::string> columns;      ///< one name per column; "column 1" and so on where the file gives none
  bool has_header = false;               ///< the names stand in the file
  std::vector<std::uint64_t> places;     ///< [rows]; from 1
  std::string text;                      ///< all cells, row by row
  std::vector<std::uint64_t> cell_ends;  ///< [rows * columns]; where each cell's text ends

  std::vector<std::string> notes;  ///< what the reader did that a user should know

  std::size_t num_rows() const { return places.size(); }
  std::size_t num_columns() const { return columns.size(); }
  std::string_view cell(std::size_t row, std::size_t column) const {
    const std::size_t index = row * columns.size() + column;
    const std::uint64_t first = index == 0 ? 0 : cell_ends[index - 1];
    return std::string_view(text).substr(first, cell_ends[index] - first);
  }

  /// "people.csv, line 12".
  std::string where(std::size_t row) const;

  /// Appends a row; it must have one cell per column.
  void add_row(std::span<const std::string_view> cells, std::uint64_t place);
};

/// Node features as entries of a matrix of which most are 0: a node, a column and a value in each row.
struct FACTORGCN_API FeatureEntries {
  TextTable table;          ///< columns: node, column (from 0), and value (1 where there is no such column)
  bool by_place = false;    ///< nodes are rows of the node table, from 1, rather than names
  std::uint64_t nodes = 0;  ///< how many there are; 0: not said
  std::uint64_t width = 0;  ///< how many columns there are; 0: not said
};

struct FACTORGCN_API GraphTables {
  TextTable edges;                        ///< one row per edge
  std::optional<TextTable> nodes;         ///< one row per node
  std::optional<TextTable> graphs;        ///< one row per graph
  std::optional<FeatureEntries> entries;  ///< of nodes, beside what their table holds

  /// A column of the node table that holds `entries` as lists of column:value, at least so wide; -1: none. Set by
  /// import_graphs().
  std::int64_t entry_column = -1, entry_width = 0;

  /// Where the format itself says which edges have a direction: one entry per edge row, otherwise empty.
  std::vector<bool> edge_is_directed;
};

/// True for what tables write where a value is not known: nothing, NA, N/A, NaN (in any case), null, NULL.
FACTORGCN_API bool is_missing_value(std::string_view cell);

/// A column's name as names are compared: small letters, without blanks, underscores, hyphens and dots.
FACTORGCN_API std::string plain_column_name(std::string_view name);

}  // namespace factorgcn
