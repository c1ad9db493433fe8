// The parts of a page that need no script: for builds without the viewer, and for browsers that run none.
#include <cmath>
#include <nlohmann/json.hpp>

#include "factorgcn/base/text.h"
#include "report/page_parts.h"

namespace factorgcn {
namespace {

std::string element(const char* name, std::string_view text) {
  return std::string("<") + name + ">" + escape_html(text) + "</" + name + ">";
}

std::string spread(const std::optional<double>& value, const std::optional<double>& deviation, int digits) {
  if (!value || !std::isfinite(*value)) {
    return "\u2013";
  }
  const bool with = deviation && std::isfinite(*deviation);
  return format_fixed(*value, digits) + (with ? " \u00b1 " + format_fixed(*deviation, digits) : "");
}

std::string cell_html(const PageRow& row, const PageColumn& column) {
  const auto found = row.cells.find(column.key);
  const PageCell cell = found == row.cells.end() ? PageCell{} : found->second;
  std::string text = cell.text.empty() ? spread(cell.value, cell.deviation, column.digits) : cell.text;
  if (cell.paper) {
    text += " (paper: " + spread(cell.paper, cell.paper_deviation, column.digits) + ")";
  }
  return element("td", text + (cell.note.empty() ? "" : "; " + cell.note));
}

std::string table_html(const PageTable& table) {
  std::string text = "<h2 id=\"" + escape_html(table.id) + "-plain\">" + escape_html(table.title) + "</h2>\n";
  if (!table.protocol.empty()) {
    text += element("p", "Protocol: " + table.protocol) + "\n";
  }
  text += "<table border=\"1\">\n<tr><td></td>";
  for (const PageColumn& column : table.columns) {
    text += element("th", column.group.empty() ? column.label : column.group + ", " + column.label);
  }
  text += "</tr>\n";
  for (const PageRow& row : table.rows) {
    text += "<tr>" + element("th", row.label);
    for (const PageColumn& column : table.columns) {
      text += cell_html(row, column);
    }
    text += "</tr>\n";
  }
  text += "</table>\n";
  return text + (table.caption.empty() ? "" : element("p", table.caption) + "\n");
}

}  // namespace

std::string escape_html(std::string_view text) {
  // The JSON writer knows how to mend what is not UTF-8.
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::string mended = nlohmann::json::parse(quoted).get<std::string>();
  std::string escaped;
  for (const char c : mended) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string plain_html(const Page& page) {
  std::string text = element("h1", page.title) + "\n";
  if (!page.subtitle.empty()) {
    text += element("p", page.subtitle) + "\n";
  }
  if (!page.facts.empty()) {
    text += "<dl>\n";
    for (const PageFact& fact : page.facts) {
      text += element("dt", fact.label) + element("dd", fact.value) + "\n";
    }
    text += "</dl>\n";
  }
  for (const std::string& note : page.notes) {
    text += element("p", note) + "\n";
  }
  for (const PageTable& table : page.tables) {
    text += table_html(table);
  }
  return text + element("p", page.program + (page.created.empty() ? "" : ", " + page.created)) + "\n";
}

}  // namespace factorgcn
