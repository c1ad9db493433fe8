// Walks with their names taken off. The last step needs no visits: all nodes that are new there give one pattern.
#include "factorgcn/classic/anonymous_walks.h"

#include <algorithm>
#include <cmath>

#include "factorgcn/base/error.h"
#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

/// A walk in progress: which of its entries each node is.
class Trace {
 public:
  explicit Trace(std::int64_t nodes) : entry_(static_cast<std::size_t>(nodes), -1) {}

  int entry_of(std::int32_t node) const { return entry_[static_cast<std::size_t>(node)]; }
  int used() const { return static_cast<int>(order_.size()); }

  void add(std::int32_t node) {
    entry_[static_cast<std::size_t>(node)] = used();
    order_.push_back(node);
  }
  void drop_last() {
    entry_[static_cast<std::size_t>(order_.back())] = -1;
    order_.pop_back();
  }
  void clear() {
    while (!order_.empty()) {
      drop_last();
    }
  }

 private:
  std::vector<int> entry_;
  std::vector<std::int32_t> order_;
};

/// Walks of all continuations, each with its probability. Depth is at most WalkPatterns::kLongest.
class ExactVisitor {
 public:
  ExactVisitor(const PlainGraph& graph, const WalkPatterns& patterns, std::vector<double>& result)
      : graph_(graph), patterns_(patterns), trace_(graph.num_nodes()), result_(result) {}

  void start(std::int32_t node, double probability) {
    trace_.add(node);
    visit(node, WalkPatterns::kRoot, 1, probability);
    trace_.drop_last();
  }

 private:
  void visit(std::int32_t node, std::int32_t at, int step, double probability) {
    const double share = probability / static_cast<double>(graph_.degree(node));
    if (step == patterns_.length()) {
      std::int64_t fresh = 0;
      for (const std::int32_t neighbour : graph_.around(node)) {
        const int entry = trace_.entry_of(neighbour);
        if (entry < 0) {
          ++fresh;
        } else {
          result_[static_cast<std::size_t>(patterns_.step(at, entry))] += share;
        }
      }
      if (fresh > 0) {
        result_[static_cast<std::size_t>(patterns_.step(at, trace_.used()))] += share * static_cast<double>(fresh);
      }
      return;
    }
    for (const std::int32_t neighbour : graph_.around(node)) {
      const int entry = trace_.entry_of(neighbour);
      if (entry >= 0) {
        visit(neighbour, patterns_.step(at, entry), step + 1, share);
        continue;
      }
      const std::int32_t next = patterns_.step(at, trace_.used());
      trace_.add(neighbour);
      visit(neighbour, next, step + 1, share);
      trace_.drop_last();
    }
  }

  const PlainGraph& graph_;
  const WalkPatterns& patterns_;
  Trace trace_;
  std::vector<double>& result_;
};

/// Nodes from which a walk can go anywhere.
std::vector<std::int32_t> starts_of(const PlainGraph& graph) {
  std::vector<std::int32_t> starts;
  for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
    if (graph.degree(node) > 0) {
      starts.push_back(static_cast<std::int32_t>(node));
    }
  }
  return starts;
}

}  // namespace

WalkPatterns::WalkPatterns(int length) : length_(length) {
  require_usage(length >= 1 && length <= kLongest, "anonymous walks of ", length, " steps; choose 1 to ", kLongest);
  std::vector<int> walk{0};
  grow(walk, 1);
}

std::int32_t WalkPatterns::grow(std::vector<int>& walk, int used) {
  if (static_cast<int>(walk.size()) == length_ + 1) {
    patterns_.push_back(walk);
    return static_cast<std::int32_t>(patterns_.size()) - 1;
  }
  const std::size_t width = static_cast<std::size_t>(length_) + 1;
  const auto node = static_cast<std::int32_t>(children_.size() / width);
  children_.resize(children_.size() + width, -1);
  for (int entry = 0; entry <= used; ++entry) {
    if (entry == walk.back()) {
      continue;  // no self loops
    }
    walk.push_back(entry);
    const std::int32_t child = grow(walk, std::max(used, entry + 1));
    walk.pop_back();
    children_[static_cast<std::size_t>(node) * width + static_cast<std::size_t>(entry)] = child;
  }
  return node;
}

std::vector<double> exact_walks(const PlainGraph& graph, const WalkPatterns& patterns) {
  std::vector<double> result(static_cast<std::size_t>(patterns.count()), 0.0);
  const std::vector<std::int32_t> starts = starts_of(graph);
  ExactVisitor visitor(graph, patterns, result);
  for (const std::int32_t node : starts) {
    visitor.start(node, 1.0 / static_cast<double>(starts.size()));
  }
  return result;
}

std::vector<double> sampled_walks(const PlainGraph& graph, const WalkPatterns& patterns, std::int64_t walks,
                                  RandomStream& random) {
  std::vector<double> result(static_cast<std::size_t>(patterns.count()), 0.0);
  const std::vector<std::int32_t> starts = starts_of(graph);
  if (starts.empty()) {
    return result;
  }
  Trace trace(graph.num_nodes());
  const double share = 1.0 / static_cast<double>(walks);
  for (std::int64_t walk = 0; walk < walks; ++walk) {
    std::int32_t node = starts[random.below(starts.size())];
    trace.add(node);
    std::int32_t at = WalkPatterns::kRoot;
    for (int step = 1; step <= patterns.length(); ++step) {
      const auto around = graph.around(node);
      node = around[random.below(around.size())];
      if (trace.entry_of(node) < 0) {
        trace.add(node);
      }
      at = patterns.step(at, trace.entry_of(node));
    }
    result[static_cast<std::size_t>(at)] += share;
    trace.clear();
  }
  return result;
}

std::int64_t walks_needed(std::int64_t patterns, double epsilon, double delta) {
  require_usage(patterns >= 1 && epsilon > 0 && delta > 0 && delta < 1, "walks for ", patterns, " patterns, epsilon ",
                epsilon, ", delta ", delta, ": epsilon must be above 0, delta between 0 and 1");
  const auto count = static_cast<double>(patterns);
  // 2^patterns leaves the range of a double early; there the 2 that is taken off no longer counts.
  const double sets = patterns <= 2 ? std::log(2.0)
                      : count < 50  ? std::log(std::exp2(count) - 2)
                                    : count * std::log(2.0);
  return static_cast<std::int64_t>(std::ceil(2.0 / (epsilon * epsilon) * (sets - std::log(delta))));
}

double count_walks(const PlainGraph& graph, int steps) {
  std::vector<double> walks(static_cast<std::size_t>(graph.num_nodes()), 1.0);
  for (int step = 0; step < steps; ++step) {
    std::vector<double> longer(walks.size(), 0.0);
    for (std::int64_t node = 0; node < graph.num_nodes(); ++node) {
      for (const std::int32_t neighbour : graph.around(node)) {
        longer[static_cast<std::size_t>(node)] += walks[static_cast<std::size_t>(neighbour)];
      }
    }
    walks = std::move(longer);
  }
  double total = 0;
  for (const double count : walks) {
    total += count;
  }
  return total;
}

SparseFeatures walk_features(std::span<const PlainGraph> graphs, const WalkOptions& options) {
  const WalkPatterns patterns(options.length);
  const std::int64_t needed = walks_needed(patterns.count(), options.epsilon, options.delta);
  std::vector<SparseFeatures> rows(graphs.size());
  parallel_tasks(static_cast<std::int64_t>(graphs.size()), [&](std::int64_t index) {
    const PlainGraph& graph = graphs[static_cast<std::size_t>(index)];
    const bool exact = count_walks(graph, options.length) <= static_cast<double>(needed) * options.length;
    RandomStream random(options.seed, concat("anonymous walks/length ", options.length, "/graph ", index));
    const std::vector<double> found =
        exact ? exact_walks(graph, patterns) : sampled_walks(graph, patterns, needed, random);
    for (std::size_t column = 0; column < found.size(); ++column) {
      if (found[column] != 0) {
        rows[static_cast<std::size_t>(index)].add(static_cast<std::int64_t>(column), found[column]);
      }
    }
  });
  SparseFeatures features;
  for (const SparseFeatures& row : rows) {
    features.columns.insert(features.columns.end(), row.columns.begin(), row.columns.end());
    features.values.insert(features.values.end(), row.values.begin(), row.values.end());
    features.end_graph();
  }
  return features;
}

}  // namespace factorgcn
