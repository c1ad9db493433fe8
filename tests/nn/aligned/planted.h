// Graphs made of known parts on their own nodes, for tests of what a split is worth: a triangle, a star of three rays
// and a path of four nodes, whose labels are 0, 1 and 2.
#pragma once

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "factorgcn/base/random.h"
#include "factorgcn/optim/adam.h"
#include "nn/aligned/pair_graphs.h"
#include "nn/aligned/parts.h"

namespace factorgcn::testing {

inline constexpr std::int64_t kPlantedNodes = 9, kPlantedLabels = 3;

/// Edges of a part, on nodes 0, 1, 2, ...
inline std::vector<std::pair<int, int>> planted_part(std::int64_t label) {
  static const std::array<std::vector<std::pair<int, int>>, 3> parts{
      {{{0, 1}, {0, 2}, {1, 2}}, {{0, 1}, {0, 2}, {0, 3}}, {{0, 1}, {1, 2}, {2, 3}}}};
  return parts[static_cast<std::size_t>(label)];
}

struct PlantedGraphs {
  aligned::PairGraphs graphs;
  at::Tensor parts;   ///< float [P, K]: 1 where part k lies on a pair
  at::Tensor labels;  ///< float [G, K]
};

/// A graph for each list of labels, its parts on nodes of their own that are drawn at random.
inline PlantedGraphs plant(const std::vector<std::vector<std::int64_t>>& lists, RandomStream& random) {
  const auto count = static_cast<std::int64_t>(lists.size());
  PlantedGraphs result;
  result.labels = at::zeros({count, kPlantedLabels});
  at::Tensor offsets = at::zeros({count + 1}, at::TensorOptions().dtype(at::kLong));
  struct Placed {
    std::int32_t right, left;
    std::int64_t label;
    auto operator<=>(const Placed&) const = default;
  };
  std::vector<Placed> placed;
  for (std::int64_t g = 0; g < count; ++g) {
    offsets[g + 1] = (g + 1) * kPlantedNodes;
    std::vector<std::int32_t> nodes;
    for (std::int32_t node = 0; node < kPlantedNodes; ++node) {
      nodes.push_back(static_cast<std::int32_t>(g * kPlantedNodes) + node);
    }
    random.shuffle(std::span(nodes));
    std::size_t first = 0;
    for (const std::int64_t label : lists[static_cast<std::size_t>(g)]) {
      result.labels[g][label] = 1;
      for (const auto& [a, b] : planted_part(label)) {
        const std::int32_t one = nodes[first + static_cast<std::size_t>(a)];
        const std::int32_t other = nodes[first + static_cast<std::size_t>(b)];
        placed.push_back({std::max(one, other), std::min(one, other), label});
      }
      first += 4;
    }
  }
  std::sort(placed.begin(), placed.end());
  std::vector<aligned::NodePair> pairs;
  result.parts = at::zeros({static_cast<std::int64_t>(placed.size()), kPlantedLabels});
  for (const Placed& each : placed) {
    result.parts[static_cast<std::int64_t>(pairs.size())][each.label] = 1;
    pairs.push_back({each.left, each.right, 1});
  }
  result.graphs = aligned::connect_pairs(pairs, offsets);
  return result;
}

/// Something with weights to be trained.
struct Pupil : torch::nn::Module {
  explicit Pupil(std::uint64_t seed) : random(seed, "test/pupil"), maker(*this, random) {}

  /// Steps of Adam on what `loss` returns; the last value.
  template <class Loss>
  double train(int steps, const Loss& loss) {
    Adam adam(parameters(), {.learning_rate = 0.01});
    double value = 0;
    for (int step = 0; step < steps; ++step) {
      adam.zero_gradients();
      const at::Tensor now = loss();
      value = now.item<double>();
      now.backward();
      adam.step();
    }
    return value;
  }

  RandomStream random;
  aligned::WeightMaker maker;
};

}  // namespace factorgcn::testing
