// Checks that the operations on edges share, on the CPU and on the GPU.
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

/// `like`: a row for each node. Lists that are undefined are not looked at; values of lists on a GPU stay unseen.
inline void check_edge_lists(const char* operation, const Adjacency& edges, const at::Tensor& like) {
  const std::int64_t nodes = like.size(0), count = edges.num_edges();
  check_index(operation, "in_offsets", edges.in_offsets, at::kLong, nodes + 1, like);
  check_index(operation, "in_sources", edges.in_sources, at::kInt, count, like);
  if (like.device().is_cpu()) {
    const std::int64_t last = edges.in_offsets.data_ptr<std::int64_t>()[nodes];
    require(last == count, operation, ": in_offsets ends at ", last, " but there are ", count, " in-edges");
  }
  if (edges.out_offsets.defined()) {
    check_index(operation, "out_offsets", edges.out_offsets, at::kLong, nodes + 1, like);
  }
  if (edges.out_targets.defined()) {
    check_index(operation, "out_targets", edges.out_targets, at::kInt, count, like);
  }
  if (edges.in_to_out.defined()) {
    check_index(operation, "in_to_out", edges.in_to_out, at::kLong, count, like);
  }
}

}  // namespace factorgcn
