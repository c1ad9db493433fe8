// Heat maps as SVG: one rectangle per value.
#include <algorithm>
#include <cmath>

#include "factorgcn/base/text.h"
#include "factorgcn/report/figure_svg.h"
#include "report/svg.h"

namespace factorgcn {
namespace {

constexpr double kSide = 180, kHeatmapGap = 24, kHeatmapTop = 56, kScaleWidth = 56;

/// White to dark blue; equal steps look equal, and it prints well in grey.
std::string shade(double value) {
  if (!std::isfinite(value)) {
    return "#ddd";
  }
  const double t = std::clamp(value, 0.0, 1.0);
  const auto mix = [&](double light, double dark) { return static_cast<int>(std::lround(light + (dark - light) * t)); };
  return fmt::format("#{:02x}{:02x}{:02x}", mix(255, 8), mix(255, 48), mix(255, 107));
}

}  // namespace

std::string heatmaps_svg(const PageHeatmaps& figure) {
  const auto count = static_cast<double>(figure.panels.size());
  SvgCanvas canvas(kHeatmapGap + count * (kSide + kHeatmapGap) + kScaleWidth, kHeatmapTop + kSide + 40, figure.title);
  canvas.text(kHeatmapGap, 22, figure.title, 14, "start", "#222", "font-weight=\"bold\"");
  double left = kHeatmapGap;
  for (const PageHeatmapPanel& panel : figure.panels) {
    std::string label = panel.label;
    if (panel.score) {
      label += " (" + (panel.score_name.empty() ? "" : panel.score_name + " ") + format_fixed(*panel.score, 3) + ")";
    }
    canvas.text(left + kSide / 2, kHeatmapTop - 8, label, 12, "middle");
    const double cell = kSide / static_cast<double>(std::max<std::int64_t>(panel.size, 1));
    for (std::int64_t row = 0; row < panel.size; ++row) {
      for (std::int64_t column = 0; column < panel.size; ++column) {
        // A little overlap: otherwise viewers show hairlines between neighbours.
        canvas.rectangle(left + static_cast<double>(column) * cell, kHeatmapTop + static_cast<double>(row) * cell,
                         cell + 0.3, cell + 0.3,
                         shade(panel.values[static_cast<std::size_t>(row * panel.size + column)]));
      }
    }
    std::int64_t border = 0;
    for (std::size_t block = 0; block + 1 < panel.blocks.size(); ++block) {
      border += panel.blocks[block];
      const double at = static_cast<double>(border) * cell;
      canvas.line(left + at, kHeatmapTop, left + at, kHeatmapTop + kSide, "#d55e00", 0.8);
      canvas.line(left, kHeatmapTop + at, left + kSide, kHeatmapTop + at, "#d55e00", 0.8);
    }
    canvas.rectangle(left, kHeatmapTop, kSide, kSide, "none", "stroke=\"#555\"");
    left += kSide + kHeatmapGap;
  }
  constexpr int kSteps = 32;
  for (int step = 0; step < kSteps; ++step) {
    canvas.rectangle(left, kHeatmapTop + kSide * step / kSteps, 12, kSide / kSteps + 0.3,
                     shade(1 - (step + 0.5) / kSteps));
  }
  canvas.text(left + 16, kHeatmapTop + 10, "1", 11);
  canvas.text(left + 16, kHeatmapTop + kSide, "0", 11);
  canvas.text(kHeatmapGap, kHeatmapTop + kSide + 24, figure.value_label, 11, "start", "#555");
  return canvas.finish();
}

}  // namespace factorgcn
