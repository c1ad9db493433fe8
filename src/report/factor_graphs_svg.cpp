// Samples as rows of small graphs that share one layout.
#include <algorithm>
#include <set>
#include <vector>

#include "factorgcn/base/text.h"
#include "factorgcn/eval/metrics.h"
#include "factorgcn/report/figure_svg.h"
#include "report/graph_layout.h"
#include "report/svg.h"

namespace factorgcn {
namespace {

constexpr double kPanel = 130, kInset = 14, kPanelGap = 18, kPanelsTop = 44, kLabel = 18;
constexpr const char* kPlain = "#777";
constexpr const char* kShared = "#0072b2";    // in the part and in the factor
constexpr const char* kMissed = "#e69f00";    // in the part only
constexpr const char* kInvented = "#d55e00";  // in the factor only

struct DrawnEdge {
  std::int32_t edge;
  const char* colour;
  const char* more;
};

void draw_graph(SvgCanvas& canvas, double left, double top, const PageSample& sample, const std::vector<Point>& points,
                const std::vector<DrawnEdge>& edges) {
  const auto place = [&](std::int32_t node) {
    const Point& point = points[static_cast<std::size_t>(node)];
    const double side = kPanel - 2 * kInset;
    return Point{left + kInset + point.x * side, top + kInset + point.y * side};
  };
  canvas.rectangle(left, top, kPanel, kPanel, "#fafafa", "stroke=\"#ddd\" rx=\"4\"");
  std::set<std::int32_t> seen;
  for (const DrawnEdge& each : edges) {
    const auto at = static_cast<std::size_t>(2 * each.edge);
    const Point a = place(sample.edges[at]), b = place(sample.edges[at + 1]);
    canvas.line(a.x, a.y, b.x, b.y, each.colour, 1.6, each.more);
    seen.insert({sample.edges[at], sample.edges[at + 1]});
  }
  for (const std::int32_t node : seen) {
    const Point at = place(node);
    canvas.circle(at.x, at.y, 3.4, "#333");
  }
}

/// Places of all nodes; those without an edge, which are not drawn, take no room.
std::vector<Point> place_nodes(const PageSample& sample) {
  std::vector<std::int32_t> number(static_cast<std::size_t>(sample.nodes), -1), edges;
  std::int32_t drawn = 0;
  for (const std::int32_t node : sample.edges) {
    std::int32_t& own = number[static_cast<std::size_t>(node)];
    own = own < 0 ? drawn++ : own;
    edges.push_back(own);
  }
  const std::vector<Point> places = spring_layout(drawn, edges);
  std::vector<Point> result(number.size());
  for (std::size_t node = 0; node < number.size(); ++node) {
    result[node] = number[node] < 0 ? Point{} : places[static_cast<std::size_t>(number[node])];
  }
  return result;
}

std::vector<DrawnEdge> compared(const std::vector<std::int32_t>& own, const std::vector<std::int32_t>& other,
                                const char* only_here) {
  std::vector<DrawnEdge> edges;
  for (const std::int32_t edge : own) {
    const bool shared = std::find(other.begin(), other.end(), edge) != other.end();
    edges.push_back({edge, shared ? kShared : only_here, shared ? "" : "stroke-dasharray=\"4 3\""});
  }
  return edges;
}

const std::vector<PageMatch>& shown_matches(const PageFactorGraphs& figure, const PageSample& sample) {
  return sample.layers.at(static_cast<std::size_t>(figure.shown_layer)).matches;
}

}  // namespace

std::string factor_graphs_svg(const PageFactorGraphs& figure, std::size_t samples) {
  const std::size_t count = std::min(samples, figure.samples.size());
  std::size_t most_parts = 1;
  for (std::size_t index = 0; index < count; ++index) {
    most_parts = std::max(most_parts, shown_matches(figure, figure.samples[index]).size());
  }
  const double row_height = 2 * (kPanel + kLabel) + kPanelGap;
  SvgCanvas canvas(kPanelGap + static_cast<double>(most_parts + 1) * (kPanel + kPanelGap),
                   kPanelsTop + static_cast<double>(count) * row_height + 24, figure.title);
  canvas.text(kPanelGap, 22, figure.title, 14, "start", "#222", "font-weight=\"bold\"");
  for (std::size_t index = 0; index < count; ++index) {
    const PageSample& sample = figure.samples[index];
    const std::vector<Point> points = place_nodes(sample);
    const double top = kPanelsTop + static_cast<double>(index) * row_height + kLabel;
    std::vector<DrawnEdge> all;
    for (std::size_t edge = 0; 2 * edge < sample.edges.size(); ++edge) {
      all.push_back({static_cast<std::int32_t>(edge), kPlain, ""});
    }
    canvas.text(kPanelGap, top - 5, "input graph " + sample.id, 11);
    draw_graph(canvas, kPanelGap, top, sample, points, all);
    double left = 2 * kPanelGap + kPanel;
    for (const PageMatch& match : shown_matches(figure, sample)) {
      const PageTruth& truth = sample.truth[static_cast<std::size_t>(match.truth)];
      const auto type = static_cast<std::size_t>(truth.type);
      canvas.text(left, top - 5, type < figure.types.size() ? figure.types[type] : fmt::format("part {}", type + 1),
                  11);
      draw_graph(canvas, left, top, sample, points, compared(truth.edges, match.kept, kMissed));
      const double below = top + kPanel + kLabel;
      canvas.text(left, below - 5,
                  match.factor < 0 ? "no factor left"
                                   : fmt::format("factor {}, {} {}", match.factor + 1, metric_label("ged_e"),
                                                 format_fixed(match.ged, 0)),
                  11);
      draw_graph(canvas, left, below, sample, points, compared(match.kept, truth.edges, kInvented));
      left += kPanel + kPanelGap;
    }
  }
  const double foot = kPanelsTop + static_cast<double>(count) * row_height + 10;
  canvas.text(kPanelGap, foot,
              "solid: in both; dashed: in the true part only (above) or in the factor graph only (below)", 11, "start",
              "#555");
  return canvas.finish();
}

}  // namespace factorgcn
