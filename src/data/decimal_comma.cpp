// A column is looked at as a whole: one value that is no such number, and all stay as they are.
#include "data/decimal_comma.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "data/import_columns.h"
#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

std::size_t count_digits(std::string_view text, std::size_t first) {
  std::size_t end = first;
  while (end < text.size() && is_digit(text[end])) {
    ++end;
  }
  return end - first;
}

/// "1.234,5" as "1234.5".
std::string with_point(std::string_view text) {
  std::string result;
  for (const char letter : text) {
    if (letter != '.') {
      result += letter == ',' ? '.' : letter;
    }
  }
  return result;
}

bool is_comma_column(const TextTable& table, std::size_t column) {
  bool any = false;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, column);
    if (is_missing_value(cell)) {
      continue;
    }
    if (!is_comma_number(cell)) {
      return false;
    }
    any = any || cell.find(',') != std::string_view::npos;
  }
  return any;
}

}  // namespace

bool is_comma_number(std::string_view text) {
  std::size_t place = !text.empty() && (text.front() == '+' || text.front() == '-') ? 1 : 0;
  std::size_t digits = count_digits(text, place);
  if (digits == 0) {
    return false;
  }
  place += digits;
  for (bool first = true; place < text.size() && text[place] == '.'; first = false) {
    if ((first && digits > 3) || count_digits(text, place + 1) != 3) {
      return false;
    }
    place += 4;
  }
  if (place < text.size() && text[place] == ',') {
    digits = count_digits(text, place + 1);
    if (digits == 0) {
      return false;
    }
    place += 1 + digits;
  }
  if (place < text.size() && (text[place] == 'e' || text[place] == 'E')) {
    ++place;
    place += place < text.size() && (text[place] == '+' || text[place] == '-') ? 1 : 0;
    digits = count_digits(text, place);
    return digits > 0 && place + digits == text.size();
  }
  return place == text.size();
}

void read_decimal_commas(TextTable& table) {
  if (table.text.find(',') == std::string::npos) {
    return;
  }
  std::vector<std::size_t> found;
  for (std::size_t column = 0; column < table.num_columns(); ++column) {
    if (is_comma_column(table, column)) {
      found.push_back(column);
    }
  }
  if (found.empty()) {
    return;
  }
  std::string text;
  text.reserve(table.text.size());
  std::vector<std::uint64_t> ends;
  ends.reserve(table.cell_ends.size());
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    for (std::size_t column = 0; column < table.num_columns(); ++column) {
      const std::string_view cell = table.cell(row, column);
      if (std::binary_search(found.begin(), found.end(), column) && !is_missing_value(cell)) {
        text += with_point(cell);
      } else {
        text += cell;
      }
      ends.push_back(text.size());
    }
  }
  table.text = std::move(text);
  table.cell_ends = std::move(ends);
  table.notes.push_back(concat(table.origin, ": commas in ", columns_text(table, found),
                               " are decimal commas (a list of numbers is written with blanks)"));
}

}  // namespace factorgcn
