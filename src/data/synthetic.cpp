// Generates the synthetic data set. Two passes over chunks of samples: the first draws and counts edges, the second
// writes them where they belong. Cost: O(samples * nodes^2), a few microseconds a sample on one core.
//
// Each sample has a stream of its own, so it depends on the seed and its index alone, never on the chunks or threads.
#include "factorgcn/data/synthetic.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "data/generated.h"
#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/base/random.h"

namespace factorgcn {
namespace {

constexpr int kMaxFactors = 6;
constexpr int kMaxNodes = 1000;
constexpr std::int64_t kMaxSamples = 10'000'000;
constexpr std::int64_t kSamplesPerTask = 1000;

struct Edge {
  std::int32_t left, right;
};

/// One predefined graph; edges are undirected and listed once.
struct Pattern {
  const char* name;
  std::int32_t nodes;
  std::vector<Edge> edges;
};

/// Complete bipartite graph between {0, 1} and {2, 3, 4}.
Pattern turan_5_2() {
  Pattern pattern{"turan-5-2", 5, {}};
  for (const std::int32_t left : {0, 1}) {
    for (const std::int32_t right : {2, 3, 4}) {
      pattern.edges.push_back({left, right});
    }
  }
  return pattern;
}

/// The square 0-1-3-2 with both diagonals, and the roof 4 over 2 and 3.
Pattern house_x() { return {"house-x", 5, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {0, 3}, {1, 2}, {2, 4}, {3, 4}}}; }

/// Root 0; the children of node p are 3p + 1, 3p + 2, 3p + 3.
Pattern balanced_tree_3_2() {
  Pattern pattern{"balanced-tree-3-2", 13, {}};
  for (std::int32_t child = 1; child < 13; ++child) {
    pattern.edges.push_back({(child - 1) / 3, child});
  }
  return pattern;
}

Pattern grid_3x3() {
  Pattern pattern{"grid-3x3", 9, {}};
  for (std::int32_t row = 0; row < 3; ++row) {
    for (std::int32_t column = 0; column < 3; ++column) {
      const std::int32_t node = row * 3 + column;
      if (column < 2) {
        pattern.edges.push_back({node, node + 1});
      }
      if (row < 2) {
        pattern.edges.push_back({node, node + 3});
      }
    }
  }
  return pattern;
}

/// Corners are numbered by their coordinates' bits; neighbours differ in one.
Pattern cube() {
  Pattern pattern{"cube", 8, {}};
  for (std::int32_t corner = 0; corner < 8; ++corner) {
    for (std::int32_t bit = 1; bit < 8; bit *= 2) {
      if ((corner & bit) == 0) {
        pattern.edges.push_back({corner, corner | bit});
      }
    }
  }
  return pattern;
}

/// All pairs of six nodes but the opposite ones i and i + 3.
Pattern octahedron() {
  Pattern pattern{"octahedron", 6, {}};
  for (std::int32_t left = 0; left < 6; ++left) {
    for (std::int32_t right = left + 1; right < 6; ++right) {
      if (right != left + 3) {
        pattern.edges.push_back({left, right});
      }
    }
  }
  return pattern;
}

std::vector<Pattern> first_patterns(int count) {
  std::vector<Pattern> patterns{turan_5_2(), house_x(), balanced_tree_3_2(), grid_3x3(), cube(), octahedron()};
  patterns.resize(static_cast<std::size_t>(count));
  return patterns;
}

void check_options(const SyntheticOptions& options) {
  require_usage(options.factors >= 2 && options.factors <= kMaxFactors, "synthetic: ", options.factors,
                " factors; choose 2 .. ", kMaxFactors);
  const std::array<std::pair<const char*, std::int64_t>, 3> sizes{
      {{"train", options.train}, {"validation", options.validation}, {"test", options.test}}};
  for (const auto& [name, size] : sizes) {
    require_usage(size >= 0 && size <= kMaxSamples, "synthetic: ", size, " ", name, " samples; choose 0 .. ",
                  kMaxSamples);
  }
  require_usage(options.train + options.validation + options.test >= 1,
                "synthetic: no samples; ask for at least 1 in train, validation or test");
  std::int32_t largest = 0;
  for (const Pattern& pattern : first_patterns(options.factors)) {
    largest = std::max(largest, pattern.nodes);
  }
  require_usage(options.nodes >= largest && options.nodes <= kMaxNodes, "synthetic: ", options.nodes,
                " nodes per sample; with ", options.factors, " factors choose ", largest, " .. ", kMaxNodes);
}

/// What was drawn for all samples; a flat row per sample.
struct Draws {
  std::int64_t nodes;                      ///< per sample
  std::int64_t parts;                      ///< per sample
  std::vector<std::int32_t> types;         ///< [samples, parts], rising in each sample
  std::vector<std::int32_t> permutations;  ///< [samples, parts, nodes]: where each padded node went

  const std::int32_t* types_of(std::int64_t sample) const { return types.data() + sample * parts; }
  std::int32_t* types_of(std::int64_t sample) { return types.data() + sample * parts; }
  const std::int32_t* permutation(std::int64_t sample, std::int64_t part) const {
    return permutations.data() + (sample * parts + part) * nodes;
  }
  std::int32_t* permutation(std::int64_t sample, std::int64_t part) {
    return permutations.data() + (sample * parts + part) * nodes;
  }
};

void draw_sample(std::uint64_t seed, std::int64_t factors, std::int64_t sample, Draws& draws) {
  RandomStream random(seed, "synthetic/sample/" + std::to_string(sample));
  std::array<std::int32_t, kMaxFactors> order{};
  std::iota(order.begin(), order.end(), 0);
  random.shuffle(std::span(order.data(), static_cast<std::size_t>(factors)));
  std::int32_t* types = draws.types_of(sample);
  std::copy_n(order.begin(), draws.parts, types);
  std::sort(types, types + draws.parts);
  for (std::int64_t part = 0; part < draws.parts; ++part) {
    std::int32_t* permutation = draws.permutation(sample, part);
    std::iota(permutation, permutation + draws.nodes, 0);
    random.shuffle(std::span(permutation, static_cast<std::size_t>(draws.nodes)));
  }
}

/// Adds the sample's parts into matrix [nodes, nodes].
void sum_parts(const std::vector<Pattern>& patterns, const Draws& draws, std::int64_t sample, float* matrix) {
  std::fill_n(matrix, draws.nodes * draws.nodes, 0.0F);
  for (std::int64_t part = 0; part < draws.parts; ++part) {
    const std::int32_t* place = draws.permutation(sample, part);
    for (const Edge& edge : patterns[static_cast<std::size_t>(draws.types_of(sample)[part])].edges) {
      matrix[place[edge.left] * draws.nodes + place[edge.right]] += 1.0F;
      matrix[place[edge.right] * draws.nodes + place[edge.left]] += 1.0F;
    }
  }
}

/// Writes the sample's edges: for each node its neighbours and itself, in rising order. The matrix is symmetric, so
/// both orders are the same list, and an edge's place in the other order is the place of its reverse. An edge weighs as
/// much as its entry, a self loop 1.
void write_edges(const float* matrix, std::int64_t nodes, std::int32_t* degrees, std::int32_t* neighbours,
                 std::int32_t* in_to_out, float* weights, std::vector<std::int32_t>& places) {
  places.resize(static_cast<std::size_t>(nodes * nodes));
  std::int32_t place = 0;
  for (std::int64_t row = 0; row < nodes; ++row) {
    const std::int32_t first = place;
    for (std::int64_t column = 0; column < nodes; ++column) {
      if (matrix[row * nodes + column] != 0.0F || row == column) {
        places[static_cast<std::size_t>(row * nodes + column)] = place;
        weights[place] = row == column ? 1.0F : matrix[row * nodes + column];
        neighbours[place++] = static_cast<std::int32_t>(column);
      }
    }
    degrees[row] = place - first;
  }
  std::int32_t edge = 0;
  for (std::int64_t row = 0; row < nodes; ++row) {
    for (std::int32_t left = degrees[row]; left > 0; --left, ++edge) {
      in_to_out[edge] = places[static_cast<std::size_t>(neighbours[edge] * nodes + row)];
    }
  }
}

/// Keeps the parts as they lie in the samples: both directions of each edge.
GroundTruth make_truth(const std::vector<Pattern>& patterns, const Draws& draws, std::int64_t samples) {
  GroundTruth truth;
  std::size_t most_entries = 0;
  for (const Pattern& pattern : patterns) {
    truth.type_names.emplace_back(pattern.name);
    most_entries = std::max(most_entries, pattern.edges.size() * 2);
  }
  truth.part_offsets.reserve(static_cast<std::size_t>(samples) + 1);
  truth.part_types.reserve(static_cast<std::size_t>(samples * draws.parts));
  truth.entry_offsets.reserve(static_cast<std::size_t>(samples * draws.parts) + 1);
  truth.entry_sources.reserve(static_cast<std::size_t>(samples * draws.parts) * most_entries);
  truth.entry_targets.reserve(static_cast<std::size_t>(samples * draws.parts) * most_entries);
  std::vector<std::int32_t> sources;
  std::vector<std::int32_t> targets;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    truth.begin_graph();
    for (std::int64_t part = 0; part < draws.parts; ++part) {
      const std::int32_t type = draws.types_of(sample)[part];
      const std::int32_t* place = draws.permutation(sample, part);
      sources.clear();
      targets.clear();
      for (const Edge& edge : patterns[static_cast<std::size_t>(type)].edges) {
        sources.insert(sources.end(), {place[edge.left], place[edge.right]});
        targets.insert(targets.end(), {place[edge.right], place[edge.left]});
      }
      truth.add_part(type, sources, targets);
    }
  }
  return truth;
}

/// Calls body(first, last) for runs of samples that cover all of them, in parallel.
template <class Body>
void for_each_run(std::int64_t samples, const Body& body) {
  parallel_tasks((samples + kSamplesPerTask - 1) / kSamplesPerTask, [&](std::int64_t task) {
    body(task * kSamplesPerTask, std::min(samples, (task + 1) * kSamplesPerTask));
  });
}

}  // namespace

Dataset make_synthetic(const SyntheticOptions& options) {
  check_options(options);
  const std::vector<Pattern> patterns = first_patterns(options.factors);
  const std::int64_t samples = options.train + options.validation + options.test;
  const std::int64_t nodes = options.nodes;
  const std::int64_t parts = (options.factors + 1) / 2;

  Dataset dataset;
  dataset.name = "synthetic";
  dataset.task = Task::kMultiLabel;
  dataset.num_outputs = options.factors;
  dataset.graphs.node_offsets = at::empty({samples + 1}, at::kLong);
  dataset.graphs.edge_offsets = at::empty({samples + 1}, at::kLong);
  dataset.graphs.features = at::empty({samples * nodes, nodes}, at::kFloat);
  dataset.targets = at::zeros({samples, options.factors}, at::kFloat);
  auto* node_offsets = dataset.graphs.node_offsets.data_ptr<std::int64_t>();
  auto* edge_offsets = dataset.graphs.edge_offsets.data_ptr<std::int64_t>();
  auto* features = dataset.graphs.features.data_ptr<float>();
  auto* targets = dataset.targets.data_ptr<float>();

  Draws draws{nodes, parts, std::vector<std::int32_t>(static_cast<std::size_t>(samples * parts)),
              std::vector<std::int32_t>(static_cast<std::size_t>(samples * parts * nodes))};
  for_each_run(samples, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t sample = first; sample < last; ++sample) {
      draw_sample(options.seed, options.factors, sample, draws);
      float* matrix = features + sample * nodes * nodes;
      sum_parts(patterns, draws, sample, matrix);
      edge_offsets[sample + 1] =
          nodes + nodes * nodes - static_cast<std::int64_t>(std::count(matrix, matrix + nodes * nodes, 0.0F));
      for (std::int64_t part = 0; part < parts; ++part) {
        targets[sample * options.factors + draws.types_of(sample)[part]] = 1.0F;
      }
    }
  });
  node_offsets[0] = 0;
  edge_offsets[0] = 0;
  for (std::int64_t sample = 0; sample < samples; ++sample) {
    node_offsets[sample + 1] = node_offsets[sample] + nodes;
    edge_offsets[sample + 1] += edge_offsets[sample];
  }

  GraphStore& graphs = dataset.graphs;
  graphs.in_degrees = at::empty({samples * nodes}, at::kInt);
  graphs.in_sources = at::empty({edge_offsets[samples]}, at::kInt);
  graphs.in_to_out = at::empty({edge_offsets[samples]}, at::kInt);
  graphs.edge_weights = at::empty({edge_offsets[samples]}, at::kFloat);
  for_each_run(samples, [&](std::int64_t first, std::int64_t last) {
    std::vector<std::int32_t> places;
    for (std::int64_t sample = first; sample < last; ++sample) {
      write_edges(features + sample * nodes * nodes, nodes, graphs.in_degrees.data_ptr<std::int32_t>() + sample * nodes,
                  graphs.in_sources.data_ptr<std::int32_t>() + edge_offsets[sample],
                  graphs.in_to_out.data_ptr<std::int32_t>() + edge_offsets[sample],
                  graphs.edge_weights.data_ptr<float>() + edge_offsets[sample], places);
    }
  });
  graphs.out_degrees = graphs.in_degrees.clone();
  graphs.out_targets = graphs.in_sources.clone();

  std::vector<std::int64_t> all(static_cast<std::size_t>(samples));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  dataset.split.train.assign(all.begin(), all.begin() + options.train);
  dataset.split.validation.assign(all.begin() + options.train, all.begin() + options.train + options.validation);
  dataset.split.test.assign(all.begin() + options.train + options.validation, all.end());
  dataset.added_self_loops = samples * nodes;
  dataset.truth = make_truth(patterns, draws, samples);
  return dataset;
}

DatasetEntry synthetic_entry() {
  const SyntheticOptions usual;
  DatasetEntry entry;
  entry.name = "synthetic";
  entry.summary = "predefined graphs laid over each other; which ones are in? (generated)";
  entry.slips.test_on_validation = true;
  entry.settings.push_back(
      {"factors", usual.factors, 2, kMaxFactors, concat("how many predefined graphs there are, 2 to ", kMaxFactors)});
  add_common_settings(entry.settings, usual);
  entry.relations_setting = "factors";
  entry.make = [](const Settings& settings) {
    SyntheticOptions options;
    options.factors = static_cast<int>(whole_number(settings, "factors"));
    read_common_settings(settings, options);
    return make_synthetic(options);
  };
  return entry;
}

}  // namespace factorgcn
