// Tables of text in flat storage. Cost: a cell is found in O(1); appending copies its text once.
#include "factorgcn/data/graph_tables.h"

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

char small(char letter) { return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter; }

}  // namespace

std::string TextTable::where(std::size_t row) const { return concat(origin, ", ", unit, " ", places[row]); }

void TextTable::add_row(std::span<const std::string_view> cells, std::uint64_t place) {
  require(cells.size() == columns.size(), origin, ", ", unit, " ", place, ": ", cells.size(), " columns where ",
          columns.size(), " were expected");
  for (const std::string_view cell : cells) {
    text += cell;
    cell_ends.push_back(text.size());
  }
  places.push_back(place);
}

bool is_missing_value(std::string_view cell) {
  if (cell.empty() || cell == "NA" || cell == "N/A" || cell == "null" || cell == "NULL") {
    return true;
  }
  return cell.size() == 3 && small(cell[0]) == 'n' && small(cell[1]) == 'a' && small(cell[2]) == 'n';
}

std::string plain_column_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (letter != ' ' && letter != '_' && letter != '-' && letter != '.') {
      plain += small(letter);
    }
  }
  return plain;
}

}  // namespace factorgcn
