// The door of a page: what does not fit together is refused here, by name, rather than drawn wrongly.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/report/page.h"
#include "report/page_graphs_check.h"

namespace factorgcn {
namespace {

bool is_id(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

void check_id(const std::string& id, const char* kind, std::set<std::string>& ids) {
  require(is_id(id), "page: the id '", id, "' of a ", kind, " must be made of letters, digits, '-' and '_'");
  require(ids.insert(id).second, "page: two parts have the id '", id, "'");
}

void check_table(const PageTable& table) {
  std::set<std::string> keys;
  for (const PageColumn& column : table.columns) {
    require(keys.insert(column.key).second, "page: table ", table.id, " has two columns '", column.key, "'");
    require(column.digits >= 0 && column.digits <= 12, "page: table ", table.id, ", column '", column.key,
            "': ", column.digits, " decimals; 0 to 12 can be shown");
  }
  for (const PageRow& row : table.rows) {
    for (const auto& [key, cell] : row.cells) {
      require(keys.count(key) > 0, "page: table ", table.id, ", row '", row.label, "': there is no column '", key, "'");
      require(cell.count >= 0, "page: table ", table.id, ", row '", row.label, "': ", cell.count, " runs");
    }
  }
}

void check_heatmaps(const PageHeatmaps& heatmaps) {
  for (const PageHeatmapPanel& panel : heatmaps.panels) {
    const std::string where = concat("page: heat map ", heatmaps.id, ", panel '", panel.label, "'");
    require(panel.size >= 1 && panel.size <= 4096, where, ": its size is ", panel.size, "; 1 to 4096 can be shown");
    require(static_cast<std::int64_t>(panel.values.size()) == panel.size * panel.size, where, ": ", panel.values.size(),
            " values for ", panel.size, " rows and columns");
    std::int64_t rows = 0;
    for (const std::int64_t block : panel.blocks) {
      require(block >= 1, where, ": a block of ", block, " rows");
      rows += block;
    }
    require(rows <= panel.size, where, ": its blocks have ", rows, " rows, the matrix has ", panel.size);
  }
}

void check_lines(const PageLines& lines) {
  for (const double x : lines.x) {
    require(std::isfinite(x), "page: chart ", lines.id, ": x must be finite");
  }
  for (const PageLine& line : lines.series) {
    const auto fits = [&](const std::vector<double>& values, bool may_be_empty) {
      return values.size() == lines.x.size() || (may_be_empty && values.empty());
    };
    require(fits(line.y, false) && fits(line.deviation, true) && fits(line.paper, true), "page: chart ", lines.id,
            ", series '", line.label, "': needs one value for each of ", lines.x.size(), " x");
  }
}

void check_confusion(const PageConfusion& confusion) {
  const std::size_t classes = confusion.names.size();
  require(confusion.counts.size() == classes * classes, "page: confusion ", confusion.id, ": ", confusion.counts.size(),
          " counts for ", classes, " classes");
  for (const std::int64_t count : confusion.counts) {
    require(count >= 0, "page: confusion ", confusion.id, ": a count is ", count);
  }
}

void check_reliability(const PageReliability& reliability) {
  for (const PageReliabilityBin& bin : reliability.bins) {
    for (const double value : {bin.from, bin.to, bin.said, bin.came, bin.low, bin.high}) {
      require(value >= 0 && value <= 1, "page: reliability ", reliability.id, ": a value is ", value,
              "; 0 to 1 can be shown");
    }
    require(bin.count > 0, "page: reliability ", reliability.id, ": a bin of ", bin.count, " predictions");
  }
}

}  // namespace

void check_page(const Page& page) {
  std::set<std::string> ids;
  for (const PageTable& table : page.tables) {
    check_id(table.id, "table", ids);
    check_table(table);
  }
  for (const PageCurves& curves : page.curves) {
    check_id(curves.id, "chart", ids);
  }
  for (const PageHeatmaps& heatmaps : page.heatmaps) {
    check_id(heatmaps.id, "heat map", ids);
    check_heatmaps(heatmaps);
  }
  for (const PageLines& lines : page.lines) {
    check_id(lines.id, "chart", ids);
    check_lines(lines);
  }
  for (const PageConfusion& confusion : page.confusions) {
    check_id(confusion.id, "confusion", ids);
    check_confusion(confusion);
  }
  for (const PageReliability& reliability : page.reliabilities) {
    check_id(reliability.id, "reliability", ids);
    check_reliability(reliability);
  }
  for (const PageFactorGraphs& part : page.factor_graphs) {
    check_id(part.id, "set of factor graphs", ids);
    check_graphs_part(part);
  }
}

}  // namespace factorgcn
