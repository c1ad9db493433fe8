// The edges of one graph as a page counts them: each connected pair of nodes once. Cost: a sort of the entries.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace factorgcn {

class NodePairs {
 public:
  using Pair = std::pair<std::int32_t, std::int32_t>;  ///< the smaller node first

  /// Directed entries; self loops among them belong to no pair.
  NodePairs(std::span<const std::int32_t> sources, std::span<const std::int32_t> targets);

  std::size_t size() const { return pairs_.size(); }
  const Pair& operator[](std::size_t pair) const { return pairs_[pair]; }

  /// -1 where the graph has no such edge.
  std::int64_t find(std::int32_t a, std::int32_t b) const;

  /// s, t, s, t, ... in ascending order.
  std::vector<std::int32_t> ends() const;

  /// 0 both ways, 1 from the smaller node alone, 2 to it alone; empty where every pair goes both ways.
  std::vector<std::uint8_t> directions() const;

  /// Sums of [entries, width] over the entries of each pair, [pairs, width].
  template <class T>
  std::vector<double> sums(const T* values, std::size_t width) const {
    std::vector<double> result(size() * width, 0.0);
    for (std::size_t entry = 0; entry < pair_of_.size(); ++entry) {
      if (pair_of_[entry] >= 0) {
        double* const into = result.data() + static_cast<std::size_t>(pair_of_[entry]) * width;
        for (std::size_t column = 0; column < width; ++column) {
          into[column] += static_cast<double>(values[entry * width + column]);
        }
      }
    }
    return result;
  }

  /// How many entries a pair has: 2 for an undirected edge.
  std::int32_t entries(std::size_t pair) const { return entries_[pair]; }

 private:
  std::vector<Pair> pairs_;
  std::vector<std::int32_t> pair_of_;  ///< per entry; -1 for a self loop
  std::vector<std::int32_t> entries_;
  std::vector<std::uint8_t> ways_;  ///< bit 0: an entry from the smaller node, bit 1: one to it
};

}  // namespace factorgcn
