// The edges of a graph as one argument of a registered operation: `Tensor[] edges` in schemas, at::TensorList in C++.
//
// The order of the five lists, that of Adjacency, is stated here alone. A list is a view: nothing is copied on the way
// from one operation to the next.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "factorgcn/base/error.h"
#include "factorgcn/graph/adjacency.h"

namespace factorgcn {

inline constexpr std::size_t kEdgeLists = 5;

/// An adjacency's lists, to be given to an operation.
inline std::array<at::Tensor, kEdgeLists> edge_lists(const Adjacency& edges) {
  return {edges.in_offsets, edges.in_sources, edges.out_offsets, edges.out_targets, edges.in_to_out};
}

/// What an operation was given.
inline Adjacency edges_of(const char* operation, at::TensorList lists) {
  require(lists.size() == kEdgeLists, operation, ": edges holds ", lists.size(), " tensors, expected ", kEdgeLists,
          ": in_offsets, in_sources, out_offsets, out_targets, in_to_out");
  return {lists[0], lists[1], lists[2], lists[3], lists[4]};
}

/// How a list goes through torch::autograd::Function::apply(): as one argument without a gradient, where a bare list
/// would be taken for as many variables as it holds.
struct EdgeArgument {
  at::TensorList lists;
};

/// For save_for_backward(): some tensors, and the edges behind them.
inline std::vector<at::Tensor> with_edges(std::vector<at::Tensor> tensors, EdgeArgument edges) {
  tensors.insert(tensors.end(), edges.lists.begin(), edges.lists.end());
  return tensors;
}

/// The edges of what with_edges() made.
inline at::TensorList saved_edges(const std::vector<at::Tensor>& saved) {
  return at::TensorList(saved).slice(saved.size() - kEdgeLists);
}

}  // namespace factorgcn
