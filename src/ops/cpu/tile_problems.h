// What the kernels that work on a tile of whole graphs are told; part of the interface in kernels.h.
//
// A tile's edges never leave it, and one thread works on it alone. So gates are computed once for all passes over its
// edges, kept in both orders, and gradients may be added to the target of an edge as well as to its source.
#pragma once

#include <cstdint>

namespace factorgcn::cpu {

/// The edges of the nodes node_begin .. node_end and their gates. Lists of edges and the nodes' tables are the whole
/// batch's; the gates are the tile's.
template <class T>
struct TileEdges {
  std::int64_t factors = 0;  // K, at most kMaxFactors
  T gate_scale = 1;
  std::int64_t node_begin = 0, node_end = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int32_t* in_targets = nullptr;  // the row of each in-edge
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int32_t* out_sources = nullptr;  // the row of each out-edge
  const std::int64_t* in_to_out = nullptr;
  const T* left = nullptr;  // [N, K]
  const T* right = nullptr;
  std::int64_t gate_stride = 0;      // distance between rows of left and of right
  const T* source_weight = nullptr;  // [N] or null
  const T* target_weight = nullptr;
  T* in_gates = nullptr;   // by target, times the source's weight: [edges, K], padded to whole vectors
  T* out_gates = nullptr;  // by source, as they are

  std::int64_t nodes() const { return node_end - node_begin; }
  std::int64_t first_edge() const { return in_offsets[node_begin]; }
  std::int64_t edges() const { return in_offsets[node_end] - in_offsets[node_begin]; }
};

/// Values that are summed over a tile's edges; all pointers are to the tile's first row.
template <class T>
struct TileTable {
  bool each = false;  // whether each factor has columns of its own
  std::int64_t width = 0;
  const T* x = nullptr;         // [nodes, width] or [nodes, K, width]
  T* out = nullptr;             // [nodes, K, width]
  const T* grad_out = nullptr;  // [nodes, K, width], times the target's weight
  T* grad_x = nullptr;          // as x
};

/// The end of a block, z = x * row_scale * factor + shift and an activation of the given negative slope, going
/// backward. Rows are some of a tile's.
template <class T>
struct BlockGradient {
  std::int64_t rows = 0, columns = 0;
  const T* x = nullptr;          // the block's sums before its end
  const T* row_scale = nullptr;  // or null
  const T* factor = nullptr;     // [columns], as `shift` and `mean`
  const T* shift = nullptr;
  const T* mean = nullptr;
  T slope = 1;
  const T* grad_rows = nullptr;    // gradient of each row, or null
  const T* grad_shared = nullptr;  // [columns], a gradient that all rows have in common, or null
  T shared_scale = 1;
  T* grad_z = nullptr;
  T* sum = nullptr;          // [columns]: grows by grad_z
  T* centred_sum = nullptr;  // [columns]: grows by grad_z * (x * row_scale - mean)
};

/// grad_x = target_weight * (row_scale * (a * grad_z + b - c * x * row_scale) + extra_scale * extra).
template <class T>
struct BlockInputGradient {
  std::int64_t rows = 0, columns = 0;
  const T* x = nullptr;
  const T* row_scale = nullptr;      // or null
  const T* target_weight = nullptr;  // or null
  const T* a = nullptr;
  const T* b = nullptr;  // null where b and c are zero
  const T* c = nullptr;
  const T* grad_z = nullptr;
  const T* extra = nullptr;  // or null
  T extra_scale = 0;
  T* grad_x = nullptr;
};

}  // namespace factorgcn::cpu
