// The door of a page: what does not fit together is refused here, by name, rather than drawn wrongly.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "factorgcn/base/error.h"
#include "factorgcn/report/page.h"

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

void check_indices(const std::vector<std::int32_t>& indices, std::int64_t count, const std::string& where,
                   const char* what) {
  for (const std::int32_t index : indices) {
    require(index >= 0 && index < count, where, ": ", what, " ", index, " is not among ", count);
  }
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

void check_sample(const PageFactorGraphs& part, const PageSample& sample) {
  const std::string where = concat("page: factor graphs ", part.id, ", sample ", sample.id);
  const auto nodes = static_cast<std::size_t>(std::max(sample.nodes, 0));
  require(sample.nodes >= 0, where, ": ", sample.nodes, " nodes");
  require(sample.node_labels.empty() || sample.node_labels.size() == nodes, where, ": ", sample.node_labels.size(),
          " names for ", sample.nodes, " nodes");
  require(sample.edges.size() % 2 == 0, where, ": ", sample.edges.size(), " ends of edges; each has two");
  check_indices(sample.edges, sample.nodes, where, "node");
  const std::size_t edges = sample.edges.size() / 2;
  for (std::size_t edge = 0; edge < edges; ++edge) {
    require(sample.edges[2 * edge] < sample.edges[2 * edge + 1], where, ": edge ", edge, " goes from ",
            sample.edges[2 * edge], " to ", sample.edges[2 * edge + 1], "; the smaller node comes first");
  }
  require(sample.coefficients.size() == edges * static_cast<std::size_t>(part.factors), where, ": ",
          sample.coefficients.size(), " coefficients for ", edges, " edges and ", part.factors, " factors");
  for (const float value : sample.coefficients) {
    require(value >= 0 && value <= 1, where, ": a coefficient is ", value, "; 0 to 1 can be shown");
  }
  for (const PageTruth& truth : sample.truth) {
    require(truth.type >= 0 && truth.type < static_cast<int>(part.types.size()), where, ": relation type ", truth.type,
            " is not among ", part.types.size());
    check_indices(truth.edges, static_cast<std::int64_t>(edges), where, "edge");
  }
  for (const PageMatch& match : sample.matches) {
    require(match.truth >= 0 && match.truth < static_cast<int>(sample.truth.size()), where, ": true relation ",
            match.truth, " is not among ", sample.truth.size());
    require(match.factor >= -1 && match.factor < part.factors, where, ": factor ", match.factor, " is not among ",
            part.factors);
    check_indices(match.kept, static_cast<std::int64_t>(edges), where, "edge");
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
  for (const PageFactorGraphs& part : page.factor_graphs) {
    check_id(part.id, "set of factor graphs", ids);
    require(part.layer >= 1, "page: factor graphs ", part.id, ": layer ", part.layer, "; layers are counted from 1");
    require(part.factors >= 1, "page: factor graphs ", part.id, ": ", part.factors, " factors; at least 1 is needed");
    std::set<std::string> samples;
    for (const PageSample& sample : part.samples) {
      require(samples.insert(sample.id).second, "page: factor graphs ", part.id, ": two samples have the id '",
              sample.id, "'");
      check_sample(part, sample);
    }
  }
}

}  // namespace factorgcn
