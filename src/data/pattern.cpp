// Graphs are drawn in parallel, each from streams of its own, so the result depends on the seed alone.
// Each graph is drawn twice, once to count its edges and once to write them: drawing is cheaper than keeping.
#include "factorgcn/data/pattern.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "data/generated.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

constexpr std::uint64_t kSmallest = 5, kLargest = 34;  // nodes of a community or a pattern
constexpr int kCommunities = 5;
constexpr double kInside = 0.5, kAcross = 0.35, kPatternEdges = 0.5, kPatternToRest = 0.5;
constexpr std::uint64_t kSignals = 3;

std::int64_t draw_size(RandomStream& random) {
  return static_cast<std::int64_t>(kSmallest + random.below(kLargest - kSmallest + 1));
}

/// The part of a graph that all graphs of a pattern share.
struct HiddenPattern {
  std::int64_t nodes = 0;
  std::vector<char> joined;  // [nodes, nodes], the upper triangle
  std::vector<std::int64_t> signals;

  HiddenPattern(std::uint64_t seed, std::int64_t number) {
    RandomStream random(seed, concat("pattern/hidden ", number));
    nodes = draw_size(random);
    joined.assign(static_cast<std::size_t>(nodes * nodes), 0);
    for (std::int64_t left = 0; left < nodes; ++left) {
      for (std::int64_t right = left + 1; right < nodes; ++right) {
        joined[static_cast<std::size_t>(left * nodes + right)] = random.chance(kPatternEdges) ? 1 : 0;
      }
    }
    for (std::int64_t node = 0; node < nodes; ++node) {
      signals.push_back(static_cast<std::int64_t>(random.below(kSignals)));
    }
  }
};

/// One graph: who is joined to whom, after the shuffle. Reused from graph to graph.
struct Drawing {
  std::int64_t nodes = 0, edges = 0;
  std::vector<char> joined;           // [nodes, nodes], symmetric
  std::vector<std::int64_t> signals;  // [nodes]
  std::vector<std::int64_t> hidden;   // [nodes]; 1 on the pattern

  void draw(std::uint64_t seed, std::int64_t number, const HiddenPattern& pattern) {
    RandomStream random(seed, concat("pattern/graph ", number));
    std::vector<int> community;
    for (int index = 0; index < kCommunities; ++index) {
      community.insert(community.end(), static_cast<std::size_t>(draw_size(random)), index);
    }
    const auto rest = static_cast<std::int64_t>(community.size());
    nodes = rest + pattern.nodes;
    std::vector<std::int64_t> place(static_cast<std::size_t>(nodes));
    std::iota(place.begin(), place.end(), std::int64_t{0});
    random.shuffle(std::span(place));

    joined.assign(static_cast<std::size_t>(nodes * nodes), 0);
    edges = 0;
    const auto join = [&](std::int64_t left, std::int64_t right) {
      const std::int64_t a = place[static_cast<std::size_t>(left)], b = place[static_cast<std::size_t>(right)];
      joined[static_cast<std::size_t>(a * nodes + b)] = joined[static_cast<std::size_t>(b * nodes + a)] = 1;
      edges += 2;
    };
    for (std::int64_t left = 0; left < rest; ++left) {
      for (std::int64_t right = left + 1; right < rest; ++right) {
        const bool inside = community[static_cast<std::size_t>(left)] == community[static_cast<std::size_t>(right)];
        if (random.chance(inside ? kInside : kAcross)) {
          join(left, right);
        }
      }
      for (std::int64_t node = 0; node < pattern.nodes; ++node) {
        if (random.chance(kPatternToRest)) {
          join(left, rest + node);
        }
      }
    }
    signals.resize(static_cast<std::size_t>(nodes));
    hidden.assign(static_cast<std::size_t>(nodes), 0);
    for (std::int64_t node = 0; node < rest; ++node) {
      signals[static_cast<std::size_t>(place[static_cast<std::size_t>(node)])] =
          static_cast<std::int64_t>(random.below(kSignals));
    }
    for (std::int64_t left = 0; left < pattern.nodes; ++left) {
      const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(rest + left)]);
      signals[at] = pattern.signals[static_cast<std::size_t>(left)];
      hidden[at] = 1;
      for (std::int64_t right = left + 1; right < pattern.nodes; ++right) {
        if (pattern.joined[static_cast<std::size_t>(left * pattern.nodes + right)] != 0) {
          join(rest + left, rest + right);
        }
      }
    }
  }

  /// Neighbours of each node in rising order. The matrix is symmetric, so both orders of the edges are this one list,
  /// and the place of an edge in the other order is that of its reverse.
  void write_edges(std::int32_t* degrees, std::int32_t* neighbours, std::int32_t* in_to_out) const {
    std::vector<std::int32_t> next(static_cast<std::size_t>(nodes));
    std::vector<std::int32_t> row_neighbours(static_cast<std::size_t>(nodes) + 1);
    std::int32_t edge = 0;
    for (std::int64_t row = 0; row < nodes; ++row) {
      const char* flags = joined.data() + row * nodes;
      std::size_t degree = 0;  // always written, kept where joined: a coin's branch would be missed half the time
      for (std::int64_t column = 0; column < nodes; ++column) {
        row_neighbours[degree] = static_cast<std::int32_t>(column);
        degree += static_cast<std::size_t>(flags[column]);
      }
      std::copy_n(row_neighbours.begin(), degree, neighbours + edge);
      degrees[row] = static_cast<std::int32_t>(degree);
      next[static_cast<std::size_t>(row)] = edge;
      edge += degrees[row];
    }
    // Rows are walked in rising order, so the reverses of a node's edges come in rising order too.
    for (std::int64_t row = 0, place = 0; row < nodes; ++row) {
      for (std::int32_t left = degrees[row]; left > 0; --left, ++place) {
        in_to_out[place] = next[static_cast<std::size_t>(neighbours[place])]++;
      }
    }
  }
};

void check_options(const PatternOptions& options) {
  require_usage(options.patterns >= 1, "pattern: patterns is ", options.patterns, "; it must be at least 1");
  for (const auto& [name, count] :
       {std::pair{"train", options.train}, {"validation", options.validation}, {"test", options.test}}) {
    require_usage(count >= 0, "pattern: ", name, " is ", count, "; it must be at least 0");
  }
  require_usage(options.train + options.validation + options.test >= 1, "pattern: all sizes are 0; ask for a graph");
}

}  // namespace

Dataset make_pattern(const PatternOptions& options) {
  check_options(options);
  std::vector<HiddenPattern> patterns;
  for (std::int64_t number = 0; number < options.patterns; ++number) {
    patterns.emplace_back(options.seed, number);
  }
  Dataset dataset;
  dataset.name = "pattern";
  dataset.task = Task::kNodeClass;
  dataset.num_outputs = 2;
  dataset.output_names = {"background", "pattern"};
  dataset.num_node_types = static_cast<std::int64_t>(kSignals);
  const std::array sizes{options.train, options.validation, options.test};
  const std::array splits{&dataset.split.train, &dataset.split.validation, &dataset.split.test};
  std::vector<std::int64_t> pattern_of;
  for (std::size_t part = 0; part < sizes.size(); ++part) {
    for (std::int64_t index = 0; index < sizes[part]; ++index) {
      splits[part]->push_back(static_cast<std::int64_t>(pattern_of.size()));
      pattern_of.push_back(index % options.patterns);
    }
  }
  const auto count = static_cast<std::int64_t>(pattern_of.size());

  GraphStore& graphs = dataset.graphs;
  graphs.node_offsets = at::empty({count + 1}, at::kLong);
  graphs.edge_offsets = at::empty({count + 1}, at::kLong);
  auto* node_offsets = graphs.node_offsets.data_ptr<std::int64_t>();
  auto* edge_offsets = graphs.edge_offsets.data_ptr<std::int64_t>();
  constexpr std::int64_t kGraphsPerTask = 50;
  const auto for_each_graph = [&](const auto& body) {
    parallel_tasks((count + kGraphsPerTask - 1) / kGraphsPerTask, [&](std::int64_t task) {
      Drawing drawing;
      for (std::int64_t graph = task * kGraphsPerTask; graph < std::min(count, (task + 1) * kGraphsPerTask); ++graph) {
        drawing.draw(options.seed, graph,
                     patterns[static_cast<std::size_t>(pattern_of[static_cast<std::size_t>(graph)])]);
        body(graph, drawing);
      }
    });
  };
  for_each_graph([&](std::int64_t graph, const Drawing& drawing) {
    node_offsets[graph + 1] = drawing.nodes;
    edge_offsets[graph + 1] = drawing.edges;
  });
  node_offsets[0] = edge_offsets[0] = 0;
  std::partial_sum(node_offsets, node_offsets + count + 1, node_offsets);
  std::partial_sum(edge_offsets, edge_offsets + count + 1, edge_offsets);

  graphs.in_degrees = at::empty({node_offsets[count]}, at::kInt);
  graphs.in_sources = at::empty({edge_offsets[count]}, at::kInt);
  graphs.in_to_out = at::empty({edge_offsets[count]}, at::kInt);
  graphs.features = at::empty({node_offsets[count]}, at::kLong);
  dataset.targets = at::empty({node_offsets[count]}, at::kLong);
  for_each_graph([&](std::int64_t graph, const Drawing& drawing) {
    const std::int64_t node = node_offsets[graph];
    const std::int64_t edge = edge_offsets[graph];
    std::copy(drawing.signals.begin(), drawing.signals.end(), graphs.features.data_ptr<std::int64_t>() + node);
    std::copy(drawing.hidden.begin(), drawing.hidden.end(), dataset.targets.data_ptr<std::int64_t>() + node);
    drawing.write_edges(graphs.in_degrees.data_ptr<std::int32_t>() + node,
                        graphs.in_sources.data_ptr<std::int32_t>() + edge,
                        graphs.in_to_out.data_ptr<std::int32_t>() + edge);
  });
  // All edges go both ways: the two orders are the same arrays, and a gigabyte need not become more.
  graphs.out_degrees = graphs.in_degrees;
  graphs.out_targets = graphs.in_sources;
  return dataset;
}

DatasetEntry pattern_entry() {
  DatasetEntry entry;
  entry.name = "pattern";
  entry.summary = "random graphs; which nodes belong to a planted pattern? (generated)";
  entry.slips.choose_on_last_batch = true;
  add_common_settings(entry.settings, PatternOptions{});
  entry.make = [](const Settings& settings) {
    PatternOptions options;
    read_common_settings(settings, options);
    return make_pattern(options);
  };
  return entry;
}

}  // namespace factorgcn
