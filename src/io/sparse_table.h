// Rows in which each names its own columns, as formats with keys have them, gathered into a table of text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "factorgcn/data/graph_tables.h"

namespace factorgcn {

class SparseTable {
 public:
  /// `fixed` columns come first and are set by number.
  explicit SparseTable(std::vector<std::string> fixed);

  void begin_row(std::uint64_t place);
  void set(std::size_t fixed_column, std::string_view value);
  /// A value under a name; the last one stays where a name comes twice in a row.
  void set(const std::string& name, std::string_view value);

  std::size_t num_rows() const { return places_.size(); }
  std::uint64_t place(std::size_t row) const { return places_[row]; }
  std::string_view fixed(std::size_t row, std::size_t fixed_column) const {
    return cells_[first_cell_[row] + fixed_column].value;
  }
  /// What stands in rows without this name, where some row has it; returns how many have not. Call it at the end.
  std::size_t fill_missing(const std::string& name, const std::string& value);
  /// Replaces a fixed column's value of a row that was added before.
  void replace(std::size_t row, std::size_t fixed_column, std::string value);

  /// The table. `input_bytes` bounds its size: a file in which every row has names of its own would otherwise need the
  /// square of its length.
  TextTable to_table(const std::string& origin, const std::string& unit, std::size_t input_bytes) const;

 private:
  struct Cell {
    std::size_t column;
    std::string value;
  };
  std::size_t fixed_;
  std::vector<std::string> columns_;
  std::unordered_map<std::string, std::size_t> column_of_;  ///< without the fixed ones
  std::vector<std::uint64_t> places_;
  std::vector<std::size_t> first_cell_;
  std::vector<Cell> cells_;
  std::vector<std::string> standards_;  ///< of columns, by number; may be shorter
};

/// Names for graphs: their own where all have one and all differ, otherwise 1, 2, 3 ...
std::vector<std::string> graph_names_or_numbers(std::vector<std::string> names);

}  // namespace factorgcn
