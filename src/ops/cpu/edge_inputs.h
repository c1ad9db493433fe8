// Checks of what the operations on edges take, and the two permutations between the orders of edges.
#pragma once

#include <ATen/ops/empty.h>

#include <algorithm>

#include "factorgcn/graph/adjacency.h"
#include "ops/cpu/row_ranges.h"
#include "ops/registration.h"

namespace factorgcn::cpu {

/// The tensor, contiguous; refused unless it has that shape, the type of `like` and lies in main memory.
inline at::Tensor checked_values(const char* operation, const char* name, const at::Tensor& tensor,
                                 at::IntArrayRef shape, const at::Tensor& like) {
  require(tensor.defined(), operation, ": ", name, " is not defined");
  require(tensor.sizes() == shape, operation, ": ", name, " has shape ", tensor.sizes(), ", expected ", shape);
  require(tensor.scalar_type() == like.scalar_type(), operation, ": ", name, " has type ", tensor.scalar_type(),
          ", expected ", like.scalar_type());
  require(tensor.device().is_cpu(), operation, ": ", name, " is on ", tensor.device(), ", expected cpu");
  return tensor.contiguous();
}

inline void check_list(const char* operation, const char* name, const at::Tensor& tensor, at::ScalarType type,
                       std::int64_t length) {
  require(tensor.defined() && tensor.dim() == 1 && tensor.scalar_type() == type && tensor.is_contiguous() &&
              tensor.device().is_cpu(),
          operation, ": ", name, " must be a contiguous list of ", type, "; build it with build_adjacency");
  require(tensor.numel() == length, operation, ": ", name, " has ", tensor.numel(), " entries, expected ", length);
}

/// Lists that are undefined are not looked at.
inline void check_edge_lists(const char* operation, const Adjacency& edges, std::int64_t nodes) {
  const std::int64_t count = edges.num_edges();
  check_list(operation, "in_offsets", edges.in_offsets, at::kLong, nodes + 1);
  check_list(operation, "in_sources", edges.in_sources, at::kInt, count);
  const std::int64_t last = edges.in_offsets.data_ptr<std::int64_t>()[nodes];
  require(last == count, operation, ": in_offsets ends at ", last, " but there are ", count, " in-edges");
  if (edges.out_offsets.defined()) {
    check_list(operation, "out_offsets", edges.out_offsets, at::kLong, nodes + 1);
  }
  if (edges.out_targets.defined()) {
    check_list(operation, "out_targets", edges.out_targets, at::kInt, count);
  }
  if (edges.in_to_out.defined()) {
    check_list(operation, "in_to_out", edges.in_to_out, at::kLong, count);
  }
}

/// Rows of [E, columns] from one order of edges to the other: out[in_to_out[e]] = in[e], or in[e] = out[in_to_out[e]].
template <class T>
void permute_edges(const T* from, const std::int64_t* in_to_out, std::int64_t edges, std::int64_t columns, bool to_out,
                   T* to) {
  parallel_rows(edges, std::max<std::int64_t>(1, (1 << 15) / columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t e = begin; e < end; ++e) {
      const T* row = from + (to_out ? e : in_to_out[e]) * columns;
      std::copy_n(row, columns, to + (to_out ? in_to_out[e] : e) * columns);
    }
  });
}

}  // namespace factorgcn::cpu
