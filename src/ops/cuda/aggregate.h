// Gated sums over edges on the GPU: what the host hands to the kernels. Plain pointers, no libtorch.
//
// One pass gathers over the edges of each row; which order (by target or by source) and what is summed is up to the
// caller. All pointers are device memory. Null pointers stand for what is absent.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/long_rows.h"

namespace factorgcn::cuda {

/// With c the gate of an edge, c' its slope (ops/gate.h), w the neighbour's weight and x, g, d the tables' values:
enum class Pass {
  kForward,  ///< rows are targets: out = own_weight * sum c w x, gate_sum likewise without x
  kSloped,   ///< the same, and the sums with c' in place of c: with them kTargets need not be run
  kSources,  ///< rows are sources: grad_x = own_weight * sum c w g; grad_gate = <x, sum c' w g>
  kTargets,  ///< rows are targets: grad_gate = <g, sum c' w x>
};

template <class T>
struct PassTable {
  bool each = false;  ///< x has columns for each factor, [N, K, width]; else [N, width]
  int width = 0;
  const T* x = nullptr;
  const T* grad_out = nullptr;  ///< [N, K, width]; the backward passes
  T* result = nullptr;          ///< forward: [N, K, width]; kSources: grad_x, as x
  T* slopes = nullptr;          ///< [N, K, width]; written by kSloped, read by kSources or null there
};

/// y = tanh(W out + b gate_sum) of each row's factors, found along with `out` where can_map_rows().
template <class T>
struct RowMap {
  int out = 0;                ///< 0: there is no map
  const T* weight = nullptr;  ///< [out, width]
  const T* bias = nullptr;
  T* y = nullptr;  ///< [N, K, out]
};

/// Whether the map is so small that a pass over the edges finds it sooner than a launch of its own.
bool can_map_rows(std::int64_t in, std::int64_t out);

template <class T>
struct PassProblem {
  std::int64_t rows = 0, edges = 0;
  int factors = 0;
  T gate_scale = 1;
  const std::int64_t* offsets = nullptr;
  const std::int32_t* neighbours = nullptr;
  const T* own_gate = nullptr;    ///< [N, K], rows gate_stride apart
  const T* their_gate = nullptr;  ///< [N, K], likewise
  std::int64_t gate_stride = 0;
  const T* own_weight = nullptr;
  const T* their_weight = nullptr;
  int num_tables = 0;
  PassTable<T> tables[2];
  const T* grad_gate_sum = nullptr;  ///< [N, K]; the backward passes
  T* gate_result = nullptr;          ///< forward: gate_sum [N, K] or null; else the gradient of own_gate
  T* slope_sum = nullptr;            ///< [N, K] or null; written by kSloped, read by kSources
  T* target_result = nullptr;        ///< kSources, where there are slopes: the gradient of the rows' gates as targets
  std::int64_t gate_result_stride = 0;
  // kSources with one table [N, width], slopes and both gates' gradients side by side (target_result = gate_result +
  // K): the gates are gate_map times x, so that grad_x goes on through them. Null: they are not.
  const T* gate_map = nullptr;     ///< [2K, width]
  const T* other_gates = nullptr;  ///< [N, 2K] or null; added, times *other_scale, to the gates' gradients
  const T* other_scale = nullptr;
  RowMap<T> row_map;  ///< forward, with one table; the sum of gates is the pass's own, whether or not it is written
  /// Several threads may share a row's edges, where rows alone do not fill the GPU and there is one table.
  bool may_slice = false;
  LongRows long_rows;
};

/// Once the problem's tables and `longest` are set.
template <class T>
std::size_t long_row_sums(const PassProblem<T>& problem);

/// Most bytes of values per row, K times all widths, so that a block's shared memory holds what it keeps of them.
inline constexpr std::int64_t kMaxRowBytes = 11 * 1024;

template <class T>
void run_pass(const PassProblem<T>& problem, Pass pass, cudaStream_t stream);

/// gates[e][k], in the order of in-edges.
template <class T>
void compute_gates(const PassProblem<T>& problem, T* gates, cudaStream_t stream);

}  // namespace factorgcn::cuda
