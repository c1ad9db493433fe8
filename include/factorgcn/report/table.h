// Tables with aligned columns, for terminals and as Markdown.
#pragma once

#include <string>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/text.h"

namespace factorgcn {

class FACTORGCN_API Table {
 public:
  struct Column {
    std::string title;
    Align align = Align::kLeft;
  };

  explicit Table(std::vector<Column> columns);

  /// A row must have as many cells as there are columns; throws Error otherwise.
  void add_row(std::vector<std::string> cells);

  bool empty() const { return rows_.empty(); }

  /// Title line, a rule, one line per row, each starting with `indent` spaces and ending with a newline. Without `utf8`
  /// everything is ASCII.
  std::string to_text(bool utf8 = true, int indent = 2) const;

  /// A Markdown table; the bar character in cells is escaped.
  std::string to_markdown() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace factorgcn
