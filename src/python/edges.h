// Edges as Python gives them: checked once, here, and sorted; operations then take the lists unseen.
//
// Preconditions: none; whatever is wrong is a UsageError that names the value and its place. Cost: O(nodes + edges).
#pragma once

#include <torch/custom_class.h>

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "factorgcn/graph/adjacency.h"
#include "ops/registration.h"

namespace factorgcn::python {

class Edges : public torch::CustomClassHolder {
 public:
  /// index: whole numbers [2, E], sources above targets. sources: how many there are; -1: as many as the largest id
  /// tells. targets: how many there are in a table of their own; -1: there is one table. add_self_loops: a loop for
  /// every node that has none (of two tables: that is in both), behind the given edges; with the mean weight. weight:
  /// [E] or nothing; gradients go through.
  Edges(const at::Tensor& index, std::int64_t sources, std::int64_t targets, bool add_self_loops,
        const OptionalTensor& weight);

  /// Of others' parts.
  Edges(Adjacency adjacency, at::Tensor edge_ids, at::Tensor weights, std::int64_t given, bool square)
      : adjacency_(std::move(adjacency)),
        edge_ids_(std::move(edge_ids)),
        weights_(std::move(weights)),
        given_(given),
        square_(square) {}

  /// What a pickle holds, from which all is checked and sorted again: edges and weights in the given order.
  using State = std::tuple<at::Tensor, std::int64_t, std::int64_t, std::int64_t, OptionalTensor>;
  State state() const;
  static c10::intrusive_ptr<Edges> from_state(const State& state);

  c10::intrusive_ptr<Edges> to(const std::string& device) const;

  bool is_square() const { return square_; }
  std::int64_t num_given() const { return given_; }
  const Adjacency& adjacency() const { return adjacency_; }
  std::vector<at::Tensor> lists() const;

  /// In the order of in-edges: which of the given edges each is, int64 [E]; added loops have the numbers behind.
  const at::Tensor& edge_ids() const { return edge_ids_; }
  /// In that order too: int64 [2, E].
  at::Tensor edge_index() const;
  /// In that order too, or nothing.
  OptionalTensor weights() const { return optional(weights_); }

 private:
  Adjacency adjacency_;
  at::Tensor edge_ids_, weights_;
  std::int64_t given_ = 0;
  bool square_ = true;
};

}  // namespace factorgcn::python
