// Edges that are left out are the same for both ways, so their differences are compared one by one.
#include "relations/sides.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "factorgcn/base/random.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kTenths = 10, kFewEdges = 5'000;
constexpr double kUnsure = 0.1;  // of the rate: as numbers of edges alone have it. No model is that sure of itself

/// Each node's part in sending and in receiving. Where groups are the same for both, how often a node sends is a factor
/// of its own: otherwise sides would win by degrees alone.
struct Directions {
  std::vector<double> sent, received;  // numbers of edges and half a one

  explicit Directions(const RelationGraph& graph) : sent(static_cast<std::size_t>(graph.nodes), 0.5), received(sent) {
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      ++sent[graph.sources[edge]];
      ++received[graph.targets[edge]];
    }
  }
  double sends(std::int64_t node) const { return 2 * sent[node] / (sent[node] + received[node]); }
  double receives(std::int64_t node) const { return 2 - sends(node); }
};

/// Sum of all rates over ordered pairs of different nodes.
double sum_of_rates(const Table& y, std::int64_t nodes, bool sides, const Directions& directions) {
  const int columns = y.columns();
  std::vector<double> from(columns, 0), to(columns, 0);
  double same = 0;
  for (std::int64_t node = 0; node < nodes; ++node) {
    const float* out = y.row(node);
    const float* in = y.row(sides ? nodes + node : node);
    const double sends = sides ? 1 : directions.sends(node), receives = sides ? 1 : directions.receives(node);
    for (int column = 0; column < columns; ++column) {
      from[column] += sends * out[column];
      to[column] += receives * in[column];
      same += sends * receives * out[column] * in[column];
    }
  }
  return std::max(std::inner_product(from.begin(), from.end(), to.begin(), 0.0) - same, 1e-300);
}

}  // namespace

RelationGraph two_sides(const RelationGraph& graph) {
  RelationGraph sides = graph;
  sides.nodes = 2 * graph.nodes;
  sides.directed = false;
  for (std::int32_t& target : sides.targets) {
    target += static_cast<std::int32_t>(graph.nodes);
  }
  return sides;
}

Links two_sided_links(const RelationGraph& graph) {
  Links links = make_links(two_sides(graph));
  links.senders = graph.nodes;
  return links;
}

std::vector<double> bits_of_left_out(const RelationGraph& graph, const std::vector<std::int64_t>& left_out, bool sides,
                                     const FitOptions& fit) {
  RelationGraph kept{.nodes = graph.nodes, .directed = graph.directed};
  std::vector<char> out(static_cast<std::size_t>(graph.edges()), 0);
  for (const std::int64_t edge : left_out) {
    out[edge] = 1;
  }
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    if (out[edge] == 0) {
      kept.sources.push_back(graph.sources[edge]);
      kept.targets.push_back(graph.targets[edge]);
      if (!graph.weights.empty()) {
        kept.weights.push_back(graph.weights[edge]);
      }
    }
  }
  const Links links = sides ? two_sided_links(kept) : make_links(kept);
  const Model model = finish(links, fit_best(links, fit), fit.effort, fit.stop);
  Table y(links.nodes, model.groups() + 1);
  fill_rate_table(links, model, y);
  const Directions directions(kept);
  const double all = sum_of_rates(y, graph.nodes, sides, directions);
  const double ends = static_cast<double>(kept.edges()) + 0.5 * static_cast<double>(graph.nodes);
  std::vector<double> bits;
  for (const std::int64_t edge : left_out) {
    const std::int32_t source = graph.sources[edge], target = graph.targets[edge];
    const float* from = y.row(source);
    const double rate = std::inner_product(from, from + y.columns(), y.row(target + (sides ? graph.nodes : 0)), 0.0) *
                        (sides ? 1 : directions.sends(source) * directions.receives(target));
    const double by_degrees = directions.sent[source] / ends * directions.received[target] / ends;
    bits.push_back(-std::log2((1 - kUnsure) * rate / all + kUnsure * by_degrees));
  }
  return bits;
}

SidesEvidence weigh_sides(const RelationGraph& graph, FitOptions without, FitOptions with) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(graph.edges()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream(without.seed, "relations/edges left out").shuffle(std::span(order));
  const int times = graph.edges() <= kFewEdges ? 5 : 1;
  SidesEvidence evidence;
  double sum = 0, squares = 0;
  for (std::int64_t part = 0; part < times; ++part) {
    const auto at = [&](std::int64_t tenth) { return order.begin() + graph.edges() * tenth / kTenths; };
    const std::vector<std::int64_t> left_out(at(part), at(part + 1));
    const std::vector<double> plain = bits_of_left_out(graph, left_out, false, without);
    const std::vector<double> sided = bits_of_left_out(graph, left_out, true, with);
    for (std::size_t edge = 0; edge < plain.size(); ++edge) {
      const double saved = plain[edge] - sided[edge];
      evidence.without += plain[edge];
      evidence.with += sided[edge];
      sum += saved;
      squares += saved * saved;
      ++evidence.left_out;
    }
  }
  const auto count = static_cast<double>(std::max<std::int64_t>(evidence.left_out, 1));
  evidence.without /= count;
  evidence.with /= count;
  const double mean = sum / count, variance = std::max(squares / count - mean * mean, 0.0);
  evidence.help = mean > 2 * std::sqrt(variance / count);
  return evidence;
}

}  // namespace factorgcn::relations
