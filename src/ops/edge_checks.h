// What the operations on edges share, on the CPU and on the GPU: checks, and pointers for the kernels.
#pragma once

#include "factorgcn/graph/adjacency.h"
#include "ops/checks.h"

namespace factorgcn {

/// The tensor, contiguous; refused unless it has that shape and the type and device of `like`.
inline at::Tensor checked_values(const char* operation, const char* name, const at::Tensor& tensor,
                                 at::IntArrayRef shape, const at::Tensor& like) {
  check_table(operation, name, tensor, shape, like);
  return tensor.contiguous();
}

/// Likewise where there is one.
inline at::Tensor checked_if_given(const char* operation, const char* name, const OptionalTensor& tensor,
                                   at::IntArrayRef shape, const at::Tensor& like) {
  const at::Tensor given = value_or_undefined(tensor);
  return given.defined() ? checked_values(operation, name, given, shape, like) : given;
}

/// How many targets there are beside that many sources: as many, unless the edges lead from one table to another. Only
/// the other order of the edges tells.
inline std::int64_t targets_beside(const Adjacency& edges, std::int64_t sources) {
  return edges.num_sources() == edges.num_targets() ? sources : edges.num_targets();
}

/// From one table of nodes to another, on the device of `like`. Lists that are undefined are not looked at; values stay
/// unseen.
inline void check_edge_shapes(const char* operation, const Adjacency& edges, std::int64_t sources, std::int64_t targets,
                              const at::Tensor& like) {
  const std::int64_t count = edges.num_edges();
  check_index(operation, "in_offsets", edges.in_offsets, at::kLong, targets + 1, like);
  check_index(operation, "in_sources", edges.in_sources, at::kInt, count, like);
  if (edges.out_offsets.defined()) {
    check_index(operation, "out_offsets", edges.out_offsets, at::kLong, sources + 1, like);
  }
  if (edges.out_targets.defined()) {
    check_index(operation, "out_targets", edges.out_targets, at::kInt, count, like);
  }
  if (edges.in_to_out.defined()) {
    check_index(operation, "in_to_out", edges.in_to_out, at::kLong, count, like);
  }
}

/// Of lists that the CPU can read, and whose shapes were checked.
inline void check_last_offset(const char* operation, const Adjacency& edges) {
  const std::int64_t last = edges.in_offsets.data_ptr<std::int64_t>()[edges.num_targets()], count = edges.num_edges();
  require(last == count, operation, ": in_offsets ends at ", last, " but there are ", count, " in-edges");
}

/// Both, values where they are on the CPU; of one table, which `like` has a row for each node of.
inline void check_edge_lists(const char* operation, const Adjacency& edges, const at::Tensor& like) {
  check_edge_shapes(operation, edges, like.size(0), like.size(0), like);
  if (like.device().is_cpu()) {
    check_last_offset(operation, edges);
  }
}

/// For backward passes, which walk the edges by source.
inline void require_both_orders(const char* operation, const Adjacency& edges) {
  for (const auto& [name, list] : {std::pair<const char*, const at::Tensor*>{"out_offsets", &edges.out_offsets},
                                   {"out_targets", &edges.out_targets},
                                   {"in_to_out", &edges.in_to_out}}) {
    require(list->defined(), operation, ": ", name, " is not defined");
  }
}

/// Lets the struct of a kernel point to those of the lists that it knows; null for what is undefined.
template <class Problem>
void point_to_edges(const Adjacency& edges, Problem& problem) {
  problem.in_offsets = edges.in_offsets.data_ptr<std::int64_t>();
  problem.in_sources = edges.in_sources.data_ptr<std::int32_t>();
  problem.out_offsets = values_or_null<std::int64_t>(edges.out_offsets);
  if constexpr (requires { problem.out_targets; }) {
    problem.out_targets = values_or_null<std::int32_t>(edges.out_targets);
  }
  if constexpr (requires { problem.in_to_out; }) {
    problem.in_to_out = values_or_null<std::int64_t>(edges.in_to_out);
  }
}

}  // namespace factorgcn
