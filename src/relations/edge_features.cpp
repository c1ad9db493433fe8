// Columns are gathered one after the other, then brought to one scale.
#include "relations/edge_features.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "factorgcn/base/parallel.h"

namespace factorgcn::relations {
namespace {

constexpr std::int64_t kMostLooked = 2000;  // neighbours of one node that are looked at for common ones

struct Shared {
  float count = 0, weighted = 0;  // common neighbours, and each counted by 1 / log(degree)
};

Shared shared_neighbours(const Links& links, std::int32_t a, std::int32_t b) {
  Shared shared;
  std::int64_t left = links.offsets[a], right = links.offsets[b];
  const std::int64_t left_end = std::min(links.offsets[a + 1], left + kMostLooked);
  const std::int64_t right_end = std::min(links.offsets[b + 1], right + kMostLooked);
  while (left < left_end && right < right_end) {
    const std::int32_t one = links.neighbours[left], other = links.neighbours[right];
    if (one == other) {
      const auto degree = static_cast<float>(links.offsets[one + 1] - links.offsets[one]);
      shared.count += 1;
      shared.weighted += 1 / std::log(std::max(degree, 2.0F) + 1);
    }
    left += one <= other ? 1 : 0;
    right += other <= one ? 1 : 0;
  }
  return shared;
}

class Columns {
 public:
  explicit Columns(std::int64_t edges) : edges_(edges) {}

  /// value(edge) for every edge, as a new column.
  template <class Value>
  void add(const Value& value) {
    std::vector<float> column(static_cast<std::size_t>(edges_));
    parallel_tasks((edges_ + kEdgesPerTask - 1) / kEdgesPerTask, [&](std::int64_t task) {
      for (std::int64_t edge = task * kEdgesPerTask; edge < std::min(edges_, (task + 1) * kEdgesPerTask); ++edge) {
        column[edge] = value(edge);
      }
    });
    add_scaled(column);
  }

  EdgeFeatures take() {
    EdgeFeatures features{.edges = edges_, .columns = static_cast<int>(columns_.size()), .values = {}};
    features.values.resize(static_cast<std::size_t>(edges_) * columns_.size());
    for (std::size_t column = 0; column < columns_.size(); ++column) {
      for (std::int64_t edge = 0; edge < edges_; ++edge) {
        features.values[edge * columns_.size() + column] = columns_[column][edge];
      }
      columns_[column] = {};
    }
    return features;
  }

 private:
  static constexpr std::int64_t kEdgesPerTask = 8192;

  void add_scaled(std::vector<float>& column) {
    double sum = 0, squares = 0;
    for (const float value : column) {
      sum += value;
      squares += static_cast<double>(value) * value;
    }
    const double mean = sum / static_cast<double>(edges_);
    const double variance = squares / static_cast<double>(edges_) - mean * mean;
    if (!(variance > 1e-10)) {
      return;
    }
    for (float& value : column) {
      value = static_cast<float>((value - mean) / std::sqrt(variance));
    }
    columns_.push_back(std::move(column));
  }

  std::int64_t edges_;
  std::vector<std::vector<float>> columns_;
};

void add_direction(const RelationGraph& graph, Columns& columns) {
  std::unordered_set<std::uint64_t> ways;
  std::vector<float> out(static_cast<std::size_t>(graph.nodes), 0), in(out);
  const auto key = [](std::int32_t from, std::int32_t to) {
    return static_cast<std::uint64_t>(from) << 32 | static_cast<std::uint32_t>(to);
  };
  for (std::int64_t edge = 0; edge < graph.edges(); ++edge) {
    ways.insert(key(graph.sources[edge], graph.targets[edge]));
    ++out[graph.sources[edge]];
    ++in[graph.targets[edge]];
  }
  columns.add(
      [&](std::int64_t edge) { return ways.count(key(graph.targets[edge], graph.sources[edge])) ? 1.0F : 0.0F; });
  columns.add([&](std::int64_t edge) { return std::log(1 + out[graph.sources[edge]]); });
  columns.add([&](std::int64_t edge) { return std::log(1 + in[graph.sources[edge]]); });
  columns.add([&](std::int64_t edge) { return std::log(1 + out[graph.targets[edge]]); });
  columns.add([&](std::int64_t edge) { return std::log(1 + in[graph.targets[edge]]); });
}

void add_attribute(const RelationGraph& graph, const NodeAttribute& attribute, Columns& columns) {
  const auto missing = [&](std::int32_t node) {
    return attribute.categories.empty() ? std::isnan(attribute.numbers[node]) : attribute.categories[node] < 0;
  };
  if (!attribute.categories.empty()) {
    columns.add([&](std::int64_t edge) {
      const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
      return !missing(a) && attribute.categories[a] == attribute.categories[b] ? 1.0F : 0.0F;
    });
    return;
  }
  columns.add([&](std::int64_t edge) {
    const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
    return missing(a) || missing(b) ? 0.0F : std::abs(attribute.numbers[a] - attribute.numbers[b]);
  });
  columns.add([&](std::int64_t edge) {
    const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
    return missing(a) || missing(b) ? 0.0F : attribute.numbers[a] + attribute.numbers[b];
  });
}

}  // namespace

EdgeFeatures edge_features(const Links& links, const RelationGraph& graph, const std::vector<float>& found,
                           int found_columns, const std::vector<NodeAttribute>& attributes) {
  Columns columns(graph.edges());
  for (int column = 0; column < found_columns; ++column) {
    columns.add([&](std::int64_t edge) { return found[edge * found_columns + column]; });
  }
  const auto strength = [&](std::int32_t node) { return std::log(1 + links.strengths[node]); };
  columns.add([&](std::int64_t edge) { return strength(graph.sources[edge]) + strength(graph.targets[edge]); });
  columns.add(
      [&](std::int64_t edge) { return std::abs(strength(graph.sources[edge]) - strength(graph.targets[edge])); });
  std::vector<Shared> shared(static_cast<std::size_t>(graph.edges()));
  columns.add([&](std::int64_t edge) {
    shared[edge] = shared_neighbours(links, graph.sources[edge], graph.targets[edge]);
    return std::log(1 + shared[edge].count);
  });
  columns.add([&](std::int64_t edge) { return std::log(1 + shared[edge].weighted); });
  columns.add([&](std::int64_t edge) {
    const std::int32_t a = graph.sources[edge], b = graph.targets[edge];
    const auto either =
        static_cast<float>(links.offsets[a + 1] - links.offsets[a] + links.offsets[b + 1] - links.offsets[b]) -
        shared[edge].count;
    return shared[edge].count / std::max(either, 1.0F);
  });
  if (!graph.weights.empty()) {
    columns.add([&](std::int64_t edge) { return std::log(graph.weights[edge]); });
  }
  if (graph.directed) {
    add_direction(graph, columns);
  }
  for (const NodeAttribute& attribute : attributes) {
    add_attribute(graph, attribute, columns);
  }
  return columns.take();
}

}  // namespace factorgcn::relations
