// Graphs are counted side by side, a run of them at a time with memory for the largest.
#include "nn/aligned/walks.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <span>
#include <vector>

#include "factorgcn/base/parallel.h"

namespace factorgcn::aligned {
namespace {

constexpr std::int64_t kGraphsPerTask = 32;

/// Counts from one node at a time.
class WalkCounter {
 public:
  WalkCounter(const Adjacency& arcs, std::int64_t most_nodes)
      : offsets_(arcs.in_offsets.data_ptr<std::int64_t>()),
        neighbours_(arcs.in_sources.data_ptr<std::int32_t>()),
        two_(static_cast<std::size_t>(most_nodes), 0.0F),
        three_(static_cast<std::size_t>(most_nodes), 0.0F) {}

  /// Node ids below are those of the batch; the graph's begin at `first`.
  void start_at(std::int64_t first, std::int64_t node) {
    first_ = first;
    for (const std::int64_t each : reached_) {
      two_[each] = three_[each] = 0.0F;
    }
    reached_.clear();
    for (const std::int32_t middle : around(node)) {
      for (const std::int32_t end : around(middle)) {
        float& count = two_[end - first_];
        if (count == 0.0F) {
          reached_.push_back(end - first_);
        }
        count += 1.0F;
      }
    }
    // Walks of four steps end with one from a neighbour of the pair's other end, which two steps reach.
    for (const std::int64_t each : reached_) {
      three_[each] = sum_around(first_ + each, two_);
    }
  }

  void count_to(std::int64_t end, float* counts) const {
    counts[0] = two_[end - first_];
    counts[1] = sum_around(end, two_);
    counts[2] = sum_around(end, three_);
  }

 private:
  std::span<const std::int32_t> around(std::int64_t node) const {
    return {neighbours_ + offsets_[node], neighbours_ + offsets_[node + 1]};
  }

  float sum_around(std::int64_t node, const std::vector<float>& values) const {
    float sum = 0.0F;
    for (const std::int32_t each : around(node)) {
      sum += values[each - first_];
    }
    return sum;
  }

  const std::int64_t* offsets_;
  const std::int32_t* neighbours_;
  std::int64_t first_ = 0;
  std::vector<float> two_, three_;  ///< walks of that many steps from the node to each; three_ where two_ is not 0
  std::vector<std::int64_t> reached_;
};

}  // namespace

at::Tensor walk_counts(const Adjacency& arcs, const at::Tensor& graph_offsets, const at::Tensor& left,
                       const at::Tensor& right) {
  const std::int64_t graphs = graph_offsets.numel() - 1, pairs = left.numel();
  at::Tensor counts = at::empty({pairs, 3}, at::TensorOptions().dtype(at::kFloat));
  const auto* const nodes = graph_offsets.data_ptr<std::int64_t>();
  const auto* const from = left.data_ptr<std::int64_t>();
  const auto* const to = right.data_ptr<std::int64_t>();
  auto* const result = counts.data_ptr<float>();
  parallel_tasks((graphs + kGraphsPerTask - 1) / kGraphsPerTask, [&](std::int64_t task) {
    const std::int64_t begin = task * kGraphsPerTask, end = std::min(graphs, begin + kGraphsPerTask);
    std::int64_t most = 0;
    for (std::int64_t graph = begin; graph < end; ++graph) {
      most = std::max(most, nodes[graph + 1] - nodes[graph]);
    }
    WalkCounter counter(arcs, most);
    // Pairs lie by their right ends, so those of these graphs lie together.
    std::int64_t pair = std::lower_bound(to, to + pairs, nodes[begin]) - to;
    for (std::int64_t graph = begin; graph < end; ++graph) {
      while (pair < pairs && to[pair] < nodes[graph + 1]) {
        const std::int64_t node = to[pair];
        counter.start_at(nodes[graph], node);
        for (; pair < pairs && to[pair] == node; ++pair) {
          counter.count_to(from[pair], result + 3 * pair);
        }
      }
    }
  });
  return counts;
}

}  // namespace factorgcn::aligned
