// Finding columns. Cost: O(columns) per question.
#include "data/import_columns.h"

#include <algorithm>
#include <charconv>

#include "data/shown_text.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/nearest_name.h"
#include "factorgcn/data/import.h"

namespace factorgcn {
namespace {

std::optional<std::size_t> find_known(const TextTable& table, const std::vector<std::string>& known) {
  if (!table.has_header) {
    return std::nullopt;
  }
  for (const std::string& name : known) {
    for (std::size_t column = 0; column < table.num_columns(); ++column) {
      if (plain_column_name(table.columns[column]) == name) {
        return column;
      }
    }
  }
  return std::nullopt;
}

/// Columns whose name is `asked`: to the letter, or else as plain names.
std::vector<std::size_t> find_named(const TextTable& table, const std::string& asked) {
  std::vector<std::size_t> found;
  if (!table.has_header) {
    return found;
  }
  for (std::size_t column = 0; column < table.num_columns(); ++column) {
    if (table.columns[column] == asked) {
      found.push_back(column);
    }
  }
  if (found.empty()) {
    const std::string plain = plain_column_name(asked);
    for (std::size_t column = 0; column < table.num_columns() && !plain.empty(); ++column) {
      if (plain_column_name(table.columns[column]) == plain) {
        found.push_back(column);
      }
    }
  }
  return found;
}

std::string hint(const TextTable& table, const std::string& asked) {
  const std::string all = concat("give a name or a number from 1 to ", table.num_columns());
  if (!table.has_header) {
    return concat("the file has no header line (--header yes says it has one): give a number from 1 to ",
                  table.num_columns());
  }
  const std::vector<std::string_view> names(table.columns.begin(), table.columns.end());
  const std::string nearest = nearest_name(asked, names);
  std::vector<std::size_t> columns(table.num_columns());
  for (std::size_t column = 0; column < columns.size(); ++column) {
    columns[column] = column;
  }
  return concat(nearest.empty() ? "" : concat("did you mean ", shown_text(nearest), "? "),
                "Columns: ", columns_text(table, columns, 12));
}

}  // namespace

std::optional<std::size_t> find_column(const TextTable& table, const std::string& option, const std::string& asked,
                                       const std::vector<std::string>& known) {
  if (asked.empty()) {
    return find_known(table, known);
  }
  const std::vector<std::size_t> named = find_named(table, asked);
  require_usage(named.size() <= 1, option, " ", shown_text(asked), ": ", table.origin, " has ", named.size(),
                " columns of that name; give the column's number");
  if (!named.empty()) {
    return named.front();
  }
  if (asked == "none") {
    return std::nullopt;
  }
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(asked.data(), asked.data() + asked.size(), number);
  const bool is_number = error == std::errc() && end == asked.data() + asked.size();
  if (is_number && number >= 1 && number <= table.num_columns()) {
    return number - 1;
  }
  throw UsageError(
      concat(option, " ", shown_text(asked), ": ", table.origin, " has no such column; ", hint(table, asked)));
}

std::string column_text(const TextTable& table, std::size_t column) {
  return table.has_header && !table.columns[column].empty() ? shown_text(table.columns[column])
                                                            : concat("column ", column + 1);
}

std::string columns_text(const TextTable& table, const std::vector<std::size_t>& columns, std::size_t most) {
  std::string text;
  for (std::size_t index = 0; index < columns.size() && index < most; ++index) {
    const bool last = index + 1 == columns.size();
    text += concat(index == 0 ? "" : last ? " and " : ", ", column_text(table, columns[index]));
  }
  if (columns.size() > most) {
    text += concat(" and ", columns.size() - most, " more");
  }
  return text;
}

void ColumnUse::take(std::optional<std::size_t> column, const std::string& part) {
  if (!column) {
    return;
  }
  std::string& taken = parts_[*column];
  require_usage(taken.empty(), table_.origin, ": ", column_text(table_, *column), " cannot be both the ", taken,
                " and the ", part, "; choose another column for one of them");
  taken = part;
}

std::vector<std::size_t> ColumnUse::free_columns() const {
  std::vector<std::size_t> free;
  for (std::size_t column = 0; column < parts_.size(); ++column) {
    if (is_free(column)) {
      free.push_back(column);
    }
  }
  return free;
}

const std::vector<std::string>& KnownColumns::source() {
  static const std::vector<std::string> names{"source", "from",     "u",          "src",        "node1",
                                              "tail",   "sourceid", "fromnodeid", "sourcenode", "start"};
  return names;
}

const std::vector<std::string>& KnownColumns::target() {
  static const std::vector<std::string> names{"target", "to",       "v",        "dst",        "node2",
                                              "head",   "targetid", "tonodeid", "targetnode", "end"};
  return names;
}

const std::vector<std::string>& KnownColumns::graph() {
  static const std::vector<std::string> names{"graph", "graphid", "graphname"};
  return names;
}

const std::vector<std::string>& KnownColumns::relation() {
  static const std::vector<std::string> names{"relation", "relationtype", "type", "layer", "layerid"};
  return names;
}

const std::vector<std::string>& KnownColumns::weight() {
  static const std::vector<std::string> names{"weight", "weights", "edgeweight"};
  return names;
}

const std::vector<std::string>& KnownColumns::node() {
  static const std::vector<std::string> names{"node", "nodeid", "id", "name", "nodename"};
  return names;
}

const std::vector<std::string>& KnownColumns::label() {
  static const std::vector<std::string> names{"label", "class"};
  return names;
}

const std::vector<std::string>& KnownColumns::split() {
  static const std::vector<std::string> names{"split"};
  return names;
}

}  // namespace factorgcn
