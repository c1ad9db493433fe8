// The interface between the drivers (plain C++, any processor) and the kernels (one build per instruction set).
//
// Kernels see raw pointers and row ranges only: no libtorch, no threads. A driver cuts the work into ranges, hands each
// to the pool and owns all memory. Null pointers stand for what is absent (weights of one, no bias, no gradient asked).
#pragma once

#include <cstdint>

#include "ops/cpu/tile_problems.h"

namespace factorgcn::cpu {

/// Node values that are summed over edges, [N, width] shared by all factors or [N, K, width] with columns for `each`.
template <class T>
struct AggregateTable {
  bool each = false;
  std::int64_t width = 0;
  const T* x = nullptr;
  T* out = nullptr;             // [N, K, width]
  const T* grad_out = nullptr;  // [N, K, width]
  T* grad_x = nullptr;          // as x
};

/// Gated sums over edges; see ops/factor_aggregate.h for the formulas. Two tables may share one pass over the gates.
template <class T>
struct AggregateProblem {
  std::int64_t nodes = 0;    // of the neighbours' table: sources, in the backward pass targets
  std::int64_t factors = 0;  // K, at most kMaxFactors
  T gate_scale = 1;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int64_t* in_to_out = nullptr;
  const T* left = nullptr;
  const T* right = nullptr;
  std::int64_t gate_stride = 0;  // distance between rows of left and of right
  const T* source_weight = nullptr;
  const T* target_weight = nullptr;
  const T* given_gates = nullptr;  // weighted_aggregate: [E, K] in the order of the pass; null: ones
  AggregateTable<T> tables[2];
  int num_tables = 0;
  T* gate_sum = nullptr;             // forward: [N, K] or null
  T* gates = nullptr;                // [E, K], for factor_gates alone
  const T* grad_gate_sum = nullptr;  // backward: [N, K] or null
  std::int64_t upstream_stride = 0;  // backward: distance between rows of right and of grad_gate_sum
  T* grad_left = nullptr;            // [N, K]
  T* grad_right = nullptr;           // [N, K]
  T* grad_logits = nullptr;          // scratch [E, K] in the order of out-edges
};

/// Gates of a chunk of edges are computed together in a buffer of this many values.
inline constexpr std::int64_t kGateBuffer = 2048;
inline constexpr std::int64_t kMaxFactors = 1024;

/// Attention over in-edges; see ops/edge_attention.h.
template <class T>
struct AttentionProblem {
  std::int64_t heads = 0;  // K, at most kMaxFactors
  T slope = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int64_t* in_to_out = nullptr;
  const T* left = nullptr;
  const T* right = nullptr;
  T* alpha = nullptr;  // [E, K]
  // backward
  const T* alpha_seen = nullptr;
  const T* grad_alpha = nullptr;
  T* grad_logits = nullptr;  // scratch [E, K] in the order of out-edges
  T* grad_left = nullptr;
  T* grad_right = nullptr;
};

/// One round of routing; see ops/capsule_route.h. Tables are [N, K, width].
template <class T>
struct RouteProblem {
  std::int64_t capsules = 0, width = 0;
  bool unit = true;  // whether capsules are brought to unit length
  T eps = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int64_t* in_to_out = nullptr;
  const T* x = nullptr;
  const T* u = nullptr;
  T* next = nullptr;
  T* inverse_length = nullptr;  // [N, K]
  T* shares = nullptr;  // [E, K]: in-edge order in capsule_shares, out-edge order as the backward pass's scratch
  // backward
  const T* next_seen = nullptr;
  const T* inverse_length_seen = nullptr;
  const T* grad_next = nullptr;
  T* grad_logits = nullptr;  // scratch [E, K] in the order of out-edges
  T* grad_sum = nullptr;     // the gradient of v, [N, K, width]
  T* grad_u = nullptr;
  T* grad_x = nullptr;
};

/// Means with a gate per column; see ops/gated_aggregate.h.
template <class T>
struct GatedProblem {
  std::int64_t width = 0, types = 1;
  T eps = 0;
  const std::int64_t* in_offsets = nullptr;
  const std::int32_t* in_sources = nullptr;
  const std::int64_t* out_offsets = nullptr;
  const std::int32_t* out_targets = nullptr;
  const std::int32_t* edge_types = nullptr;  // in the order of the pass; null: all 0
  const T* x = nullptr;                      // [N, width]
  const T* left = nullptr;                   // [N, types, width]
  const T* right = nullptr;                  // [N, width]
  T* out = nullptr;
  T* inverse_sum = nullptr;
  // backward
  const T* out_seen = nullptr;
  const T* inverse_sum_seen = nullptr;
  const T* grad_out = nullptr;
  T* grad_mean = nullptr;  // grad_out / sum of gates, [N, width]
  T* grad_x = nullptr;
  T* grad_left = nullptr;
  T* grad_right = nullptr;
};

/// y = activation(x W^T + bias_scale b) on rows; see ops/dense.h.
template <class T>
struct DenseProblem {
  std::int64_t in = 0, out = 0;
  bool tanh = false;
  const T* x = nullptr;
  const T* bias = nullptr;
  const T* bias_scale = nullptr;
  const T* forward_panels = nullptr;   // W^T packed by pack_panels, [in -> out]
  const T* backward_panels = nullptr;  // W packed by pack_panels, [out -> in]
  T* y = nullptr;
  // backward
  const T* y_seen = nullptr;  // the forward result, where tanh
  const T* grad_y = nullptr;
  T* grad_x = nullptr;           // or null
  T* grad_bias_scale = nullptr;  // or null
  // Where rows are averaged afterwards, grad_y is instead the gradient of one average: row r of y takes row r % period
  // of it, times pool_scale. 0: it is not.
  std::int64_t pool_period = 0;
  T pool_scale = 1;
};

/// Batch normalisation of [rows, columns] with an activation of the given negative slope (1: none).
template <class T>
struct BatchNormProblem {
  std::int64_t columns = 0;
  const T* x = nullptr;
  const T* row_scale = nullptr;
  const T* factor = nullptr;  // gamma / sqrt(variance + eps)
  const T* shift = nullptr;   // beta - mean * factor
  T slope = 1;
  T* y = nullptr;
  // backward; whether an activation let a value pass is found again from x, which is one table less to read than y
  const T* grad_y = nullptr;
  const T* mean = nullptr;
  const T* inverse_deviation = nullptr;
  const T* grad_mean_term = nullptr;      // mean over rows of grad_z, [columns]; null while evaluating
  const T* grad_variance_term = nullptr;  // mean over rows of grad_z * x_hat, [columns]
  T* grad_x = nullptr;
};

/// All kernels of one scalar type for one instruction set.
template <class T>
struct KernelSet {
  void (*aggregate_rows)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*aggregate_backward_sources)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*aggregate_backward_targets)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*gate_rows)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);

  void (*weighted_rows)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*weighted_backward_sources)(const AggregateProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*attention_rows)(const AttentionProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*attention_backward_targets)(const AttentionProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*attention_backward_sources)(const AttentionProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*route_rows)(const RouteProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*route_backward_targets)(const RouteProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*route_backward_sources)(const RouteProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*share_rows)(const RouteProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*gated_rows)(const GatedProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*gated_backward_targets)(const GatedProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  void (*gated_backward_sources)(const GatedProblem<T>&, std::int64_t row_begin, std::int64_t row_end);

  // Tiles of whole graphs; see kernels/tile_*.h.
  void (*tile_gates)(const TileEdges<T>&);
  void (*tile_source_gates)(const TileEdges<T>&);
  void (*tile_gate_sums)(const TileEdges<T>&, T* sums);
  void (*tile_sum)(const TileEdges<T>&, const TileTable<T>&);
  void (*tile_sum_backward)(const TileEdges<T>&, const TileTable<T>&, bool add, T* dots);
  void (*tile_gate_backward)(const TileEdges<T>&, const T* dots, const T* grad_gate_sum, T* grad_gates);

  /// Number of values pack_panels writes for a [depth, columns] matrix.
  std::int64_t (*panels_size)(std::int64_t depth, std::int64_t columns);
  /// Packs B[k][n] = matrix[k * depth_stride + n * column_stride] for multiplying rows by it.
  void (*pack_panels)(const T* matrix, std::int64_t depth_stride, std::int64_t column_stride, std::int64_t depth,
                      std::int64_t columns, T* panels);
  void (*dense_rows)(const DenseProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  /// Width of one row of a partial weight gradient, at least `in`; see unpack_partial.
  std::int64_t (*partial_stride)(std::int64_t in);
  /// Gradients of a range of rows: writes grad_x and grad_bias_scale, adds to the partial sums [out, partial_stride]
  /// and [out] (either may be null). `scratch` holds kDenseTileRows * out values.
  void (*dense_backward_rows)(const DenseProblem<T>&, std::int64_t row_begin, std::int64_t row_end, T* weight_partial,
                              T* bias_partial, T* scratch);
  /// Adds the partial sums to the gradient [out, in].
  void (*unpack_partial)(const T* partial, std::int64_t out, std::int64_t in, T* gradient);

  /// Per-column mean and sum of squared deviations of a range of rows.
  void (*column_moments)(const BatchNormProblem<T>&, std::int64_t row_begin, std::int64_t row_end, T* mean,
                         T* square_sum);
  void (*batch_norm_rows)(const BatchNormProblem<T>&, std::int64_t row_begin, std::int64_t row_end);
  /// Per-column sums of grad_z and grad_z * x_hat over a range of rows, grad_z being the gradient before the
  /// activation.
  void (*batch_norm_backward_sums)(const BatchNormProblem<T>&, std::int64_t row_begin, std::int64_t row_end,
                                   T* grad_sum, T* grad_hat_sum);
  void (*batch_norm_backward_rows)(const BatchNormProblem<T>&, std::int64_t row_begin, std::int64_t row_end);

  void (*tanh_values)(const T* x, T* y, std::int64_t count);
  void (*tanh_backward)(const T* y, const T* grad_y, T* grad_x, std::int64_t count);
  void (*leaky_values)(const T* x, T slope, T* y, std::int64_t count);
  void (*leaky_backward)(const T* y, T slope, const T* grad_y, T* grad_x, std::int64_t count);
  /// sums[c] += x[r][c] over a range of rows.
  void (*add_rows)(const T* x, std::int64_t rows, std::int64_t columns, T* sums);
  /// Each of `rows` rows of y becomes scale * x.
  void (*spread_row)(const T* x, T scale, std::int64_t rows, std::int64_t columns, T* y);
  /// y += scale * x.
  void (*add_scaled)(const T* x, T scale, T* y, std::int64_t count);

  // The ends of blocks and pooling over graphs; see kernels/block_ends.h.
  void (*block_gradient)(const BlockGradient<T>&);
  void (*block_input_gradient)(const BlockInputGradient<T>&);
  void (*pool_graphs)(const T* x, const std::int64_t* offsets, std::int64_t graphs, std::int64_t columns, bool mean,
                      T* pooled);
  void (*pooled_tanh_backward)(const T* y, const T* grad_means, const std::int64_t* offsets, std::int64_t graphs,
                               std::int64_t columns, T* gradient);
};

/// Rows that the dense backward kernel works on at a time: their gradients stay in the first-level cache.
inline constexpr std::int64_t kDenseTileRows = 64;

struct CpuKernels {
  const char* name;
  KernelSet<float> single_precision;
  KernelSet<double> double_precision;

  template <class T>
  const KernelSet<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return single_precision;
    } else {
      return double_precision;
    }
  }
};

}  // namespace factorgcn::cpu
