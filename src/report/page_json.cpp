// The JSON form of a page (docs/page.md). Absent members are left out; numbers that are not finite become null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "factorgcn/report/page.h"
#include "report/page_graphs_json.h"
#include "report/page_parts.h"

namespace factorgcn {
namespace {

using Json = nlohmann::ordered_json;

const char* better_name(PageBetter better) {
  return better == PageBetter::kHigher ? "higher" : better == PageBetter::kLower ? "lower" : "none";
}

void set_text(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) {
    object[key] = text;
  }
}

void set_number(Json& object, const char* key, const std::optional<double>& number) {
  if (number && std::isfinite(*number)) {
    object[key] = *number;
  }
}

template <class List>
void set_list(Json& object, const char* key, const List& list) {
  if (!list.empty()) {
    object[key] = list;
  }
}

template <class Part>
Json head_json(const Part& part) {
  Json object{{"id", part.id}, {"title", part.title}};
  set_text(object, "caption", part.caption);
  return object;
}

Json cell_json(const PageCell& cell) {
  Json object = Json::object();
  set_number(object, "value", cell.value);
  set_number(object, "deviation", cell.deviation);
  if (cell.count > 0) {
    object["count"] = cell.count;
  }
  set_number(object, "paper", cell.paper);
  set_number(object, "paper_deviation", cell.paper_deviation);
  set_text(object, "note", cell.note);
  set_text(object, "text", cell.text);
  return object;
}

Json table_json(const PageTable& table) {
  Json object = head_json(table);
  set_text(object, "protocol", table.protocol);
  if (table.detail) {
    object["detail"] = true;
  }
  object["columns"] = Json::array();
  for (const PageColumn& column : table.columns) {
    Json item{{"key", column.key},
              {"label", column.label},
              {"better", better_name(column.better)},
              {"digits", column.digits}};
    set_text(item, "group", column.group);
    object["columns"].push_back(std::move(item));
  }
  object["rows"] = Json::array();
  for (const PageRow& row : table.rows) {
    Json item{{"label", row.label}, {"cells", Json::object()}};
    for (const auto& [key, cell] : row.cells) {
      item["cells"][key] = cell_json(cell);
    }
    if (row.emphasis) {
      item["emphasis"] = true;
    }
    object["rows"].push_back(std::move(item));
  }
  return object;
}

Json curves_json(const PageCurves& curves) {
  Json object = head_json(curves);
  object["x_label"] = curves.x_label;
  object["runs"] = Json::array();
  for (const PageCurveRun& run : curves.runs) {
    Json item{{"label", run.label}, {"series", Json::array()}};
    for (const PageSeries& series : run.series) {
      item["series"].push_back({{"name", series.name}, {"panel", series.panel}, {"values", series.values}});
    }
    if (run.best) {
      item["best"] = *run.best;
    }
    object["runs"].push_back(std::move(item));
  }
  return object;
}

Json heatmaps_json(const PageHeatmaps& heatmaps) {
  Json object = head_json(heatmaps);
  object["value_label"] = heatmaps.value_label;
  object["panels"] = Json::array();
  for (const PageHeatmapPanel& panel : heatmaps.panels) {
    Json item{{"label", panel.label}, {"size", panel.size}, {"values", panel.values}};
    set_list(item, "blocks", panel.blocks);
    set_text(item, "score_name", panel.score_name);
    set_number(item, "score", panel.score);
    object["panels"].push_back(std::move(item));
  }
  return object;
}

Json lines_json(const PageLines& lines) {
  Json object = head_json(lines);
  object["x_label"] = lines.x_label;
  object["y_label"] = lines.y_label;
  object["log_x"] = lines.log_x;
  object["x"] = lines.x;
  object["series"] = Json::array();
  for (const PageLine& line : lines.series) {
    Json item{{"label", line.label}, {"y", line.y}};
    set_list(item, "deviation", line.deviation);
    set_list(item, "paper", line.paper);
    object["series"].push_back(std::move(item));
  }
  return object;
}

Json confusion_json(const PageConfusion& confusion) {
  Json object = head_json(confusion);
  object["names"] = confusion.names;
  object["counts"] = confusion.counts;
  return object;
}

Json reliability_json(const PageReliability& reliability) {
  Json object = head_json(reliability);
  object["bins"] = Json::array();
  for (const PageReliabilityBin& bin : reliability.bins) {
    object["bins"].push_back({{"from", bin.from},
                              {"to", bin.to},
                              {"count", bin.count},
                              {"said", bin.said},
                              {"came", bin.came},
                              {"low", bin.low},
                              {"high", bin.high}});
  }
  set_number(object, "error", reliability.error);
  set_number(object, "chance", reliability.chance);
  return object;
}

template <class Parts, class Convert>
Json list_json(const Parts& parts, Convert convert) {
  Json list = Json::array();
  for (const auto& part : parts) {
    list.push_back(convert(part));
  }
  return list;
}

}  // namespace

nlohmann::ordered_json to_json(const Page& page) {
  Json object;
  object["format"] = "factorgcn-page";
  object["version"] = kPageVersion;
  object["title"] = page.title;
  object["subtitle"] = page.subtitle;
  object["program"] = page.program;
  object["created"] = page.created;
  object["facts"] = facts_json(page.facts);
  object["notes"] = page.notes;
  object["tables"] = list_json(page.tables, table_json);
  object["curves"] = list_json(page.curves, curves_json);
  object["heatmaps"] = list_json(page.heatmaps, heatmaps_json);
  object["lines"] = list_json(page.lines, lines_json);
  object["confusions"] = list_json(page.confusions, confusion_json);
  object["reliabilities"] = list_json(page.reliabilities, reliability_json);
  object["factor_graphs"] = list_json(page.factor_graphs, graphs_json);
  return object;
}

std::string script_json(const Page& page) {
  const std::string json = to_json(page).dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string text;
  text.reserve(json.size() + json.size() / 64);
  for (std::size_t at = 0; at < json.size(); ++at) {
    // All three can only stand inside a JSON string, where an escape means the same.
    if (json[at] == '<') {
      text += "\\u003c";
    } else if (json.compare(at, 3, "\xE2\x80\xA8") == 0 || json.compare(at, 3, "\xE2\x80\xA9") == 0) {
      text += json[at + 2] == '\xA8' ? "\\u2028" : "\\u2029";
      at += 2;
    } else {
      text += json[at];
    }
  }
  return text;
}

}  // namespace factorgcn
