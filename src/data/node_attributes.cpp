// Columns of a node table as attributes. Cost: O(cells) and a look-up each.
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "data/delimited_text.h"
#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/data/named_graph.h"

namespace factorgcn {
namespace {

constexpr std::size_t kMostCategories = 1000;

bool all_cells_are_numbers(const TextTable& table, std::size_t column) {
  bool any = false;
  for (std::size_t row = 0; row < table.num_rows(); ++row) {
    const std::string_view cell = table.cell(row, column);
    double value = 0;
    if (is_missing_value(cell)) {
      continue;
    }
    if (!parse_decimal(cell, value) || !std::isfinite(value)) {
      return false;
    }
    any = true;
  }
  return any;
}

NamedAttribute numbers_of(const TextTable& table, std::size_t column, const std::vector<std::int64_t>& rows) {
  NamedAttribute attribute;
  for (const std::int64_t row : rows) {
    double value = 0;
    const std::string_view cell = row < 0 ? "" : table.cell(static_cast<std::size_t>(row), column);
    attribute.numbers.push_back(
        !is_missing_value(cell) && parse_decimal(cell, value) ? value : std::numeric_limits<double>::quiet_NaN());
  }
  return attribute;
}

NamedAttribute words_of(const TextTable& table, std::size_t column, const std::vector<std::int64_t>& rows) {
  NamedAttribute attribute;
  std::unordered_map<std::string_view, std::int32_t> numbers;
  for (const std::int64_t row : rows) {
    const std::string_view cell = row < 0 ? "" : table.cell(static_cast<std::size_t>(row), column);
    if (is_missing_value(cell)) {
      attribute.category.push_back(-1);
      continue;
    }
    const auto [place, fresh] = numbers.try_emplace(cell, static_cast<std::int32_t>(numbers.size()));
    if (fresh) {
      attribute.categories.emplace_back(cell);
    }
    attribute.category.push_back(place->second);
  }
  return attribute;
}

/// Different for most nodes: a name, an address, a list.
bool names_nodes(const NamedAttribute& attribute) {
  std::size_t known = 0;
  for (const std::int32_t category : attribute.category) {
    known += category >= 0;
  }
  return attribute.categories.size() > kMostCategories || 2 * attribute.categories.size() > known + 1;
}

}  // namespace

std::vector<NamedAttribute> read_attributes(const TextTable& table, const std::vector<std::size_t>& columns,
                                           const std::vector<std::int64_t>& rows, std::vector<std::string>& notes) {
  std::vector<NamedAttribute> attributes;
  for (const std::size_t column : columns) {
    const bool numbers = all_cells_are_numbers(table, column);
    NamedAttribute attribute = numbers ? numbers_of(table, column, rows) : words_of(table, column, rows);
    attribute.name = table.columns[column];
    if (!numbers && attribute.categories.size() < 2) {
      continue;
    }
    if (!numbers && names_nodes(attribute)) {
      notes.push_back(concat(shown_text(attribute.name), " is different for most nodes: not used as an attribute"));
      continue;
    }
    attributes.push_back(std::move(attribute));
  }
  return attributes;
}

}  // namespace factorgcn
