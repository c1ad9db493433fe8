// Edges that are left out are the same for both ways, so their differences are compared one by one.
#include "relations/sides.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "factorgcn/base/error.h"
#include "factorgcn/base/random.h"
#include "relations/column_sums.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kTenths = 10, kFewEdges = 5'000;
constexpr double kUnsure = 0.1;  // of the rate: as numbers of edges alone have it. No model is that sure of itself

/// Sum of all rates over ordered pairs of different nodes.
double sum_of_rates(const Links& links, const Table& y, std::int64_t nodes, bool sides) {
  const int columns = y.columns();
  std::vector<double> from(columns, 0), to(columns, 0);
  double same = 0;
  for (std::int64_t node = 0; node < nodes; ++node) {
    const float* out = y.row(node);
    const float* in = y.row(sides ? nodes + node : node);
    for (int column = 0; column < columns; ++column) {
      from[column] += out[column];
      to[column] += in[column];
      same += static_cast<double>(out[column]) * in[column];
    }
  }
  require(links.nodes == (sides ? 2 : 1) * nodes, "relations: sides do not fit the graph");
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
  const double all = sum_of_rates(links, y, graph.nodes, sides);
  std::vector<double> sent(static_cast<std::size_t>(graph.nodes), 0.5), received = sent;
  for (std::int64_t edge = 0; edge < kept.edges(); ++edge) {
    ++sent[kept.sources[edge]];
    ++received[kept.targets[edge]];
  }
  const double ends = static_cast<double>(kept.edges()) + 0.5 * static_cast<double>(graph.nodes);
  std::vector<double> bits;
  for (const std::int64_t edge : left_out) {
    const float* from = y.row(graph.sources[edge]);
    const float* to = y.row(graph.targets[edge] + (sides ? graph.nodes : 0));
    const double rate = std::inner_product(from, from + y.columns(), to, 0.0);
    const double by_degrees = sent[graph.sources[edge]] / ends * received[graph.targets[edge]] / ends;
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
