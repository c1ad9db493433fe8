// Each format in a few functions; what they share is how a cell's numbers are written.
#include "factorgcn/report/table_files.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

#include "factorgcn/base/text.h"
#include "factorgcn/report/table.h"

namespace factorgcn {
namespace {

bool known(const std::optional<double>& value) { return value && std::isfinite(*value); }

/// "0.995 ± 0.004"; `plus_minus` as the format writes it. Empty where there is no value.
std::string number_text(const std::optional<double>& value, const std::optional<double>& deviation, int digits,
                        const char* plus_minus) {
  if (!known(value)) {
    return "";
  }
  return format_fixed(*value, digits) + (known(deviation) ? plus_minus + format_fixed(*deviation, digits) : "");
}

const PageCell& cell_of(const PageRow& row, const PageColumn& column) {
  static const PageCell empty;
  const auto found = row.cells.find(column.key);
  return found == row.cells.end() ? empty : found->second;
}

std::string heading(const PageColumn& column) {
  return column.group.empty() ? column.label : column.group + ", " + column.label;
}

/// Footnotes in the order of their first use; equal ones share a number.
class Footnotes {
 public:
  /// The number of a note, from 1; 0 for no note.
  std::size_t number(const std::string& note) {
    if (note.empty()) {
      return 0;
    }
    for (std::size_t index = 0; index < notes_.size(); ++index) {
      if (notes_[index] == note) {
        return index + 1;
      }
    }
    notes_.push_back(note);
    return notes_.size();
  }
  const std::vector<std::string>& all() const { return notes_; }

 private:
  std::vector<std::string> notes_;
};

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    return text;
  }
  std::string quoted = "\"";
  for (const char each : text) {
    quoted += each == '"' ? "\"\"" : std::string(1, each);
  }
  return quoted + "\"";
}

std::string csv_number(const std::optional<double>& value) { return known(value) ? fmt::format("{}", *value) : ""; }

std::string latex_text(const std::string& text) {
  std::string escaped;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char each = text[at];
    if (text.compare(at, 2, "\xC2\xB1") == 0) {  // the plus-minus sign
      escaped += "$\\pm$";
      ++at;
    } else if (each == '\\') {
      escaped += "\\textbackslash{}";
    } else if (each == '~' || each == '^') {
      escaped += fmt::format("\\{}{{}}", each);
    } else {
      escaped += std::string("&%$#_{}").find(each) == std::string::npos ? "" : "\\";
      escaped += each;
    }
  }
  return escaped;
}

}  // namespace

std::string table_markdown(const PageTable& table) {
  std::vector<Table::Column> columns{{"", Align::kLeft}};
  for (const PageColumn& column : table.columns) {
    columns.push_back({heading(column), Align::kRight});
  }
  Table body(columns);
  Footnotes notes;
  for (const PageRow& row : table.rows) {
    std::vector<std::string> cells{row.emphasis ? "**" + row.label + "**" : row.label};
    for (const PageColumn& column : table.columns) {
      const PageCell& cell = cell_of(row, column);
      std::string text = cell.text.empty() ? number_text(cell.value, cell.deviation, column.digits, " ± ") : cell.text;
      text = text.empty() ? "-" : text;
      const std::string paper = number_text(cell.paper, cell.paper_deviation, column.digits, " ± ");
      text += paper.empty() ? "" : " (paper " + paper + ")";
      const std::size_t note = notes.number(cell.note);
      text += note == 0 ? "" : fmt::format(" [{}]", note);
      cells.push_back(text);
    }
    body.add_row(cells);
  }
  std::string text = fmt::format("## {}\n\n{}\n", table.title, body.to_markdown());
  if (!table.protocol.empty()) {
    text += fmt::format("Protocol: {}. ", table.protocol);
  }
  text += table.caption + "\n";
  for (std::size_t index = 0; index < notes.all().size(); ++index) {
    text += fmt::format("\n[{}] {}\n", index + 1, notes.all()[index]);
  }
  return text;
}

std::string table_csv(const PageTable& table) {
  std::string text = "table,row,column,value,deviation,runs,paper,paper_deviation,note\n";
  for (const PageRow& row : table.rows) {
    for (const PageColumn& column : table.columns) {
      const PageCell& cell = cell_of(row, column);
      text += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_field(table.id), csv_field(row.label),
                          csv_field(column.key), csv_number(cell.value), csv_number(cell.deviation),
                          cell.count > 0 ? std::to_string(cell.count) : "", csv_number(cell.paper),
                          csv_number(cell.paper_deviation), csv_field(cell.note));
    }
  }
  return text;
}

std::string table_latex(const PageTable& table) {
  std::string text = fmt::format(
      "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{}. {} Second lines: the "
      "paper's values.}}\n\\begin{{tabular}}{{l{}}}\n\\toprule\n",
      latex_text(table.title), latex_text(table.caption), std::string(table.columns.size(), 'r'));
  for (const PageColumn& column : table.columns) {
    text += " & " + latex_text(heading(column));
  }
  text += " \\\\\n\\midrule\n";
  for (const PageRow& row : table.rows) {
    std::string ours = row.emphasis ? "\\textbf{" + latex_text(row.label) + "}" : latex_text(row.label), papers;
    bool any_paper = false;
    for (const PageColumn& column : table.columns) {
      const PageCell& cell = cell_of(row, column);
      const std::string own = number_text(cell.value, cell.deviation, column.digits, " $\\pm$ ");
      const std::string paper = number_text(cell.paper, cell.paper_deviation, column.digits, " $\\pm$ ");
      ours += " & " + (!cell.text.empty() ? latex_text(cell.text) : own.empty() ? "--" : own);
      papers += " & " + (paper.empty() ? "" : "{\\footnotesize " + paper + "}");
      any_paper = any_paper || !paper.empty();
    }
    text += ours + " \\\\\n" + (any_paper ? papers + " \\\\\n" : "");
  }
  return text + "\\bottomrule\n\\end{tabular}\n\\end{table}\n";
}

}  // namespace factorgcn
