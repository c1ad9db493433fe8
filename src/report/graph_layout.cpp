// Fruchterman and Reingold's forces with a falling temperature.
#include "report/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace factorgcn {
namespace {

constexpr int kRounds = 300;

void fit_to_unit_square(std::vector<Point>& points) {
  const auto stretch = [&](double Point::*axis) {
    double least = points[0].*axis, most = least;
    for (const Point& each : points) {
      least = std::min(least, each.*axis);
      most = std::max(most, each.*axis);
    }
    for (Point& each : points) {
      each.*axis = most > least ? (each.*axis - least) / (most - least) : 0.5;
    }
  };
  stretch(&Point::x);
  stretch(&Point::y);
}

}  // namespace

std::vector<Point> spring_layout(std::int32_t nodes, std::span<const std::int32_t> edge_pairs) {
  std::vector<Point> points(static_cast<std::size_t>(nodes));
  if (nodes <= 0) {
    return points;
  }
  for (std::size_t node = 0; node < points.size(); ++node) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(node) / nodes;
    points[node] = {std::cos(angle), std::sin(angle)};
  }
  const double ideal = std::sqrt(4.0 / nodes);  // side of each node's share of the square of size 2
  std::vector<Point> moves(points.size());
  for (int round = 0; round < kRounds; ++round) {
    std::fill(moves.begin(), moves.end(), Point{});
    for (std::size_t a = 0; a < points.size(); ++a) {
      for (std::size_t b = a + 1; b < points.size(); ++b) {
        const double dx = points[a].x - points[b].x, dy = points[a].y - points[b].y;
        const double push = ideal * ideal / std::max(dx * dx + dy * dy, 1e-9);
        moves[a].x += dx * push;
        moves[a].y += dy * push;
        moves[b].x -= dx * push;
        moves[b].y -= dy * push;
      }
    }
    for (std::size_t edge = 0; edge + 1 < edge_pairs.size(); edge += 2) {
      const auto a = static_cast<std::size_t>(edge_pairs[edge]), b = static_cast<std::size_t>(edge_pairs[edge + 1]);
      const double dx = points[a].x - points[b].x, dy = points[a].y - points[b].y;
      const double pull = std::hypot(dx, dy) / ideal;
      moves[a].x -= dx * pull;
      moves[a].y -= dy * pull;
      moves[b].x += dx * pull;
      moves[b].y += dy * pull;
    }
    const double temperature = 0.2 * (1 - static_cast<double>(round) / kRounds);
    for (std::size_t node = 0; node < points.size(); ++node) {
      const double length = std::max(std::hypot(moves[node].x, moves[node].y), 1e-9);
      const double step = std::min(length, temperature) / length;
      points[node].x += moves[node].x * step - 0.03 * points[node].x;  // a weak pull keeps parts together
      points[node].y += moves[node].y * step - 0.03 * points[node].y;
    }
  }
  fit_to_unit_square(points);
  return points;
}

}  // namespace factorgcn
