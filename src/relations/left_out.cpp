// No model is that sure of itself: a tenth of every probability goes by numbers of edges alone.
#include "relations/left_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "factorgcn/base/random.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kTenths = 10, kFewEdges = 5'000;
constexpr double kUnsure = 0.1;  // of the rate: as numbers of edges alone have it

/// Each node's part in sending and in receiving. Where groups are the same for both, how often a node sends is a factor
/// of its own: otherwise sides would win by degrees alone. In an undirected graph a node does both with every edge.
struct Directions {
  std::vector<double> sent, received;  // numbers of edges and half a one
  bool directed;

  explicit Directions(const RelationGraph& graph)
      : sent(static_cast<std::size_t>(graph.nodes), 0.5), received(sent), directed(graph.directed) {
    for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
      ++sent[graph.sources[edge]];
      ++received[graph.targets[edge]];
      if (!directed) {
        ++sent[graph.targets[edge]];
        ++received[graph.sources[edge]];
      }
    }
  }
  double sends(std::int64_t node) const { return directed ? 2 * sent[node] / (sent[node] + received[node]) : 1; }
  double receives(std::int64_t node) const { return 2 - sends(node); }
  double ends() const { return std::accumulate(sent.begin(), sent.end(), 0.0); }
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

std::vector<std::vector<std::int64_t>> tenths_to_leave_out(const RelationGraph& graph, std::uint64_t seed) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(graph.edges()));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  RandomStream(seed, "relations/edges left out").shuffle(std::span(order));
  std::vector<std::vector<std::int64_t>> tenths;
  for (std::int64_t tenth = 0; tenth < (graph.edges() <= kFewEdges ? 5 : 1); ++tenth) {
    const auto at = [&](std::int64_t place) { return order.begin() + graph.edges() * place / kTenths; };
    tenths.emplace_back(at(tenth), at(tenth + 1));
  }
  return tenths;
}

RelationGraph without_edges(const RelationGraph& graph, const std::vector<std::int64_t>& left_out) {
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
  return kept;
}

std::vector<double> bits_under(const Model& model, const RelationGraph& kept, const RelationGraph& graph,
                               const std::vector<std::int64_t>& left_out, bool sides) {
  Links rows;  // as many as the model's, and nothing else: rates are asked of nodes alone
  rows.nodes = (sides ? 2 : 1) * graph.nodes;
  rows.tasks = {{0, rows.nodes}};
  Table y(rows.nodes, model.groups() + 1);
  fill_rate_table(rows, model, y);
  const Directions directions(kept);
  const double all = sum_of_rates(y, graph.nodes, sides, directions), ends = directions.ends();
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

SavedBits::SavedBits(const std::vector<double>& before_each, const std::vector<double>& after_each)
    : edges(static_cast<std::int64_t>(before_each.size())) {
  const auto count = static_cast<double>(std::max<std::int64_t>(edges, 1));
  double squares = 0;
  for (std::size_t edge = 0; edge < before_each.size(); ++edge) {
    const double saved = before_each[edge] - after_each[edge];
    before += before_each[edge] / count;
    after += after_each[edge] / count;
    squares += saved * saved / count;
  }
  const double mean = before - after, variance = std::max(squares - mean * mean, 0.0);
  times_chance = variance > 0 ? mean / std::sqrt(variance / count) : 0;
}

}  // namespace factorgcn::relations
