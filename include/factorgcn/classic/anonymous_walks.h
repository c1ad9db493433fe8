// Anonymous walks (Ivanov and Burnaev, ICML 2018): a random walk seen through the order in which it meets new nodes.
//
// The walk a b a c is written 0 1 0 2: names are gone, the pattern of returns is left. In a graph without self loops
// there are Bell(l) patterns of l steps: 1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975 for l = 1 .. 10. A graph's
// features are the probabilities of the patterns for a walk that starts at a node drawn uniformly (among those with
// neighbours) and goes to a neighbour drawn uniformly at each step. A graph without edges has no walks: all zero.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "factorgcn/base/export.h"
#include "factorgcn/base/random.h"
#include "factorgcn/classic/plain_graph.h"
#include "factorgcn/classic/sparse_features.h"

namespace factorgcn {

/// All patterns of up to `length` steps, as a tree: a step leads to the pattern that has one more entry.
class FACTORGCN_API WalkPatterns {
 public:
  static constexpr int kLongest = 11;

  /// Throws UsageError unless 1 <= length <= kLongest.
  explicit WalkPatterns(int length);

  int length() const { return length_; }

  /// Patterns of exactly length() steps; they are numbered 0 .. count() - 1 in lexicographic order.
  std::int64_t count() const { return static_cast<std::int64_t>(patterns_.size()); }
  const std::vector<int>& pattern(std::int64_t number) const { return patterns_[static_cast<std::size_t>(number)]; }

  /// The walk that stands on its first node.
  static constexpr std::int32_t kRoot = 0;
  /// The tree's node after a step to entry `entry`. At the last step this is the pattern's number.
  std::int32_t step(std::int32_t from, int entry) const {
    return children_[static_cast<std::size_t>(from) * static_cast<std::size_t>(length_ + 1) +
                     static_cast<std::size_t>(entry)];
  }

 private:
  std::int32_t grow(std::vector<int>& walk, int used);

  int length_;
  std::vector<std::int32_t> children_;  // [nodes, length + 1]; -1: no such step
  std::vector<std::vector<int>> patterns_;
};

/// Probability of each pattern, by visiting every walk. Cost: the number of walks of length() - 1 steps.
FACTORGCN_API std::vector<double> exact_walks(const PlainGraph& graph, const WalkPatterns& patterns);

/// The same, estimated from `walks` random ones.
FACTORGCN_API std::vector<double> sampled_walks(const PlainGraph& graph, const WalkPatterns& patterns,
                                                std::int64_t walks, RandomStream& random);

/// Walks to be sampled so that, with probability 1 - delta, the estimated probabilities differ from the true ones by
/// less than epsilon in sum: ceil(2 / epsilon^2 (log(2^patterns - 2) - log delta)), theorem 1 of the paper.
FACTORGCN_API std::int64_t walks_needed(std::int64_t patterns, double epsilon, double delta);

/// Number of walks of `steps` steps in a graph, as a floating-point number: it grows fast.
FACTORGCN_API double count_walks(const PlainGraph& graph, int steps);

struct FACTORGCN_API WalkOptions {
  int length = 7;
  double epsilon = 0.1, delta = 0.05;  ///< of walks_needed()
  std::uint64_t seed = 0;
};

/// The features of all graphs, in parallel; column = pattern. A graph is visited exactly where that takes no more steps
/// than sampling would, else sampled from a stream of its own. The same for any number of threads.
FACTORGCN_API SparseFeatures walk_features(std::span<const PlainGraph> graphs, const WalkOptions& options);

}  // namespace factorgcn
