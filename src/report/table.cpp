// Lays out small tables: every cell is measured once in screen columns, then padded.
#include "factorgcn/report/table.h"

#include <algorithm>

#include "factorgcn/base/error.h"

namespace factorgcn {
namespace {

constexpr int kGap = 3;  // spaces between columns

/// Columns left of a cell's decimal point; all of it where there is none.
int width_before_point(const std::string& cell) {
  return display_width(std::string_view(cell).substr(0, cell.find('.')));
}

std::string repeat(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) {
    result += text;
  }
  return result;
}

std::string without_trailing_spaces(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

std::string escape_bars(const std::string& cell) {
  std::string result;
  for (const char c : cell) {
    result += c == '|' ? "\\|" : std::string(1, c);
  }
  return result;
}

}  // namespace

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)) {
  require(!columns_.empty(), "a table needs at least one column");
}

void Table::add_row(std::vector<std::string> cells) {
  require(cells.size() == columns_.size(), "a table row has ", cells.size(), " cells, the table ", columns_.size(),
          " columns");
  rows_.push_back(std::move(cells));
}

std::string Table::to_text(bool utf8, int indent) const {
  auto rows = rows_;
  std::vector<std::string> titles;
  for (const auto& column : columns_) {
    titles.push_back(utf8 ? column.title : to_ascii(column.title));
  }
  std::vector<int> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    int before_point = 0;
    for (auto& row : rows) {
      row[c] = utf8 ? row[c] : to_ascii(row[c]);
      before_point = std::max(before_point, width_before_point(row[c]));
    }
    int width = display_width(titles[c]);
    for (auto& row : rows) {
      if (columns_[c].align == Align::kPoint) {
        row[c] = std::string(static_cast<std::size_t>(before_point - width_before_point(row[c])), ' ') + row[c];
      }
      width = std::max(width, display_width(row[c]));
    }
    widths.push_back(width);
  }

  const std::string margin(static_cast<std::size_t>(indent), ' ');
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string text = margin;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      const Align align = columns_[c].align == Align::kRight ? Align::kRight : Align::kLeft;
      text += (c > 0 ? std::string(kGap, ' ') : "") + pad_to_width(cells[c], widths[c], align);
    }
    return without_trailing_spaces(text) + "\n";
  };

  std::string text = line(titles);
  std::vector<std::string> rule;
  for (const int width : widths) {
    rule.push_back(repeat(utf8 ? "─" : "-", width));
  }
  text += line(rule);
  for (const auto& row : rows) {
    text += line(row);
  }
  return text;
}

std::string Table::to_markdown() const {
  std::string text = "|";
  for (const auto& column : columns_) {
    text.append(" ").append(escape_bars(column.title)).append(" |");
  }
  text += "\n|";
  for (const auto& column : columns_) {
    text += column.align == Align::kLeft ? " --- |" : " ---: |";
  }
  text += "\n";
  for (const auto& row : rows_) {
    text += "|";
    for (const auto& cell : row) {
      text.append(" ").append(escape_bars(cell)).append(" |");
    }
    text += "\n";
  }
  return text;
}

}  // namespace factorgcn
