// Line charts as SVG. The x values stand at equal distances: they are settings, not measurements.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "factorgcn/base/text.h"
#include "factorgcn/report/figure_svg.h"
#include "report/svg.h"

namespace factorgcn {
namespace {

constexpr double kWidth = 460, kHeight = 300, kLeft = 64, kRight = 16, kLinesTop = 60, kBottom = 52;
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"};

/// A step of 1, 2 or 5 times a power of ten that cuts `range` into about five.
double tick_step(double range) {
  const double rough = std::max(range, 1e-12) / 5, power = std::pow(10.0, std::floor(std::log10(rough)));
  const double ratio = rough / power;
  return power * (ratio < 1.5 ? 1 : ratio < 3.5 ? 2 : ratio < 7.5 ? 5 : 10);
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  void take(double value) {
    if (std::isfinite(value)) {
      least = std::min(least, value);
      most = std::max(most, value);
    }
  }
};

Range value_range(const PageLines& figure) {
  Range range;
  for (const PageLine& line : figure.series) {
    for (std::size_t i = 0; i < line.y.size(); ++i) {
      const double spread = i < line.deviation.size() && std::isfinite(line.deviation[i]) ? line.deviation[i] : 0;
      range.take(line.y[i] - spread);
      range.take(line.y[i] + spread);
    }
    std::for_each(line.paper.begin(), line.paper.end(), [&](double value) { range.take(value); });
  }
  if (range.least > range.most) {
    return {0, 1};
  }
  const double margin = std::max(0.08 * (range.most - range.least), 1e-3);
  return {range.least - margin, range.most + margin};
}

}  // namespace

std::string lines_svg(const PageLines& figure) {
  SvgCanvas canvas(kWidth, kHeight, figure.title);
  canvas.text(kLeft, 20, figure.title, 14, "start", "#222", "font-weight=\"bold\"");
  const Range range = value_range(figure);
  const double inner_width = kWidth - kLeft - kRight, inner_height = kHeight - kLinesTop - kBottom;
  const auto x_at = [&](std::size_t i) {
    return kLeft + inner_width * (static_cast<double>(i) + 0.5) /
                       static_cast<double>(std::max<std::size_t>(figure.x.size(), 1));
  };
  const auto y_at = [&](double value) {
    return kLinesTop + inner_height * (range.most - value) / (range.most - range.least);
  };
  const double step = tick_step(range.most - range.least);
  const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step))), 0, 6);
  for (double tick = std::ceil(range.least / step) * step; tick <= range.most; tick += step) {
    canvas.line(kLeft, y_at(tick), kWidth - kRight, y_at(tick), "#e3e3e3", 1);
    canvas.text(kLeft - 6, y_at(tick) + 4, format_fixed(tick, decimals), 11, "end", "#555");
  }
  for (std::size_t i = 0; i < figure.x.size(); ++i) {
    canvas.text(x_at(i), kHeight - kBottom + 16, fmt::format("{}", figure.x[i]), 11, "middle", "#555");
  }
  canvas.line(kLeft, kHeight - kBottom, kWidth - kRight, kHeight - kBottom, "#555", 1);
  canvas.text(kLeft + inner_width / 2, kHeight - 14, figure.x_label, 12, "middle");
  canvas.text(16, kLinesTop + inner_height / 2, figure.y_label, 12, "middle", "#222",
              fmt::format("transform=\"rotate(-90 16 {:.1f})\"", kLinesTop + inner_height / 2));
  double legend = kLeft;
  for (std::size_t index = 0; index < figure.series.size(); ++index) {
    const PageLine& line = figure.series[index];
    const char* colour = kColours[index % kColours.size()];
    const auto draw = [&](const std::vector<double>& y, const char* more) {
      for (std::size_t i = 0; i + 1 < y.size(); ++i) {
        if (std::isfinite(y[i]) && std::isfinite(y[i + 1])) {
          canvas.line(x_at(i), y_at(y[i]), x_at(i + 1), y_at(y[i + 1]), colour, 1.8, more);
        }
      }
    };
    draw(line.paper, "stroke-dasharray=\"5 4\" opacity=\"0.6\"");
    draw(line.y, "");
    for (std::size_t i = 0; i < line.y.size(); ++i) {
      if (!std::isfinite(line.y[i])) {
        continue;
      }
      if (i < line.deviation.size() && std::isfinite(line.deviation[i])) {
        canvas.line(x_at(i), y_at(line.y[i] - line.deviation[i]), x_at(i), y_at(line.y[i] + line.deviation[i]), colour,
                    1);
      }
      canvas.circle(x_at(i), y_at(line.y[i]), 3.2, colour);
    }
    if (figure.series.size() > 1) {
      canvas.line(legend, 38, legend + 18, 38, colour, 2);
      canvas.text(legend + 23, 42, line.label, 11);
      legend += 36 + 7 * display_width(line.label);
    }
  }
  return canvas.finish();
}

}  // namespace factorgcn
