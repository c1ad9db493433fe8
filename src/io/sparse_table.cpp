// Gathering rows with names. Cost: O(cells given), then O(rows * columns).
#include "io/sparse_table.h"

#include <algorithm>
#include <unordered_set>

#include "factorgcn/base/error.h"

namespace factorgcn {

SparseTable::SparseTable(std::vector<std::string> fixed) : fixed_(fixed.size()), columns_(std::move(fixed)) {}

void SparseTable::begin_row(std::uint64_t place) {
  places_.push_back(place);
  first_cell_.push_back(cells_.size());
  for (std::size_t column = 0; column < fixed_; ++column) {
    cells_.push_back({column, {}});
  }
}

void SparseTable::set(std::size_t fixed_column, std::string_view value) {
  cells_[first_cell_.back() + fixed_column].value = value;
}

void SparseTable::set(const std::string& name, std::string_view value) {
  const auto [place, fresh] = column_of_.try_emplace(name, columns_.size());
  if (fresh) {
    columns_.push_back(name);
  }
  cells_.push_back({place->second, std::string(value)});
}

void SparseTable::replace(std::size_t row, std::size_t fixed_column, std::string value) {
  cells_[first_cell_[row] + fixed_column].value = std::move(value);
}

std::size_t SparseTable::fill_missing(const std::string& name, const std::string& value) {
  const auto found = column_of_.find(name);
  if (found == column_of_.end()) {
    return 0;
  }
  if (standards_.size() < columns_.size()) {
    standards_.resize(columns_.size());
  }
  standards_[found->second] = value;
  std::size_t without = 0;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const std::size_t end = index + 1 < places_.size() ? first_cell_[index + 1] : cells_.size();
    const auto has_name = [&](const Cell& cell) { return cell.column == found->second; };
    without += std::none_of(cells_.begin() + static_cast<std::ptrdiff_t>(first_cell_[index]),
                            cells_.begin() + static_cast<std::ptrdiff_t>(end), has_name);
  }
  return without;
}

TextTable SparseTable::to_table(const std::string& origin, const std::string& unit, std::size_t input_bytes) const {
  constexpr std::size_t kAlwaysAllowed = 1'000'000;
  const std::size_t allowed = kAlwaysAllowed + 4 * input_bytes;
  require(places_.size() <= allowed / columns_.size(), origin, ": ", places_.size(), " rows use ", columns_.size(),
          " different keys, most of them in few rows; give all rows the same keys");
  TextTable table;
  table.origin = origin;
  table.unit = unit;
  table.columns = columns_;
  table.has_header = true;
  std::vector<std::string_view> blank(columns_.size());
  std::copy(standards_.begin(), standards_.end(), blank.begin());
  std::vector<std::string_view> row = blank;
  for (std::size_t index = 0; index < places_.size(); ++index) {
    const std::size_t end = index + 1 < places_.size() ? first_cell_[index + 1] : cells_.size();
    for (std::size_t cell = first_cell_[index]; cell < end; ++cell) {
      row[cells_[cell].column] = cells_[cell].value;
    }
    table.add_row(row, places_[index]);
    for (std::size_t cell = first_cell_[index]; cell < end; ++cell) {
      row[cells_[cell].column] = blank[cells_[cell].column];
    }
  }
  return table;
}

std::vector<std::string> graph_names_or_numbers(std::vector<std::string> names) {
  std::unordered_set<std::string> seen;
  bool good = true;
  for (const std::string& name : names) {
    good = good && !name.empty() && seen.insert(name).second;
  }
  for (std::size_t index = 0; index < names.size() && !good; ++index) {
    names[index] = std::to_string(index + 1);
  }
  return names;
}

}  // namespace factorgcn
