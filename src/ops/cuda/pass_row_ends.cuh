// What is left of a pass once a row's edges are summed: results, dot products, and a small map of the sums.
//
// The dot products of the backward passes are taken once per row, after its edges, since <x, sum of weighted g> is the
// sum of weighted <x, g>: no reduction per edge, nothing of size E. What a thread cannot write alone it leaves in
// shared memory. A small map of the sums (RowMap) is applied by the block that has them: its rows lie there by then,
// and all of its threads share the work, value by value.
#pragma once

#include "ops/cuda/map_weights.cuh"
#include "ops/cuda/pass_edges.cuh"

namespace factorgcn::cuda::edge_pass {

/// Writes what one thread can write alone, and leaves the rest to reduce_rows and map_rows in shared memory: `dots`,
/// one per vector, and `parts`, V per vector (the shared tables' gradients, still apart by factor, or sums to be
/// mapped).
template <class T, int V, Pass kPass>
__device__ __forceinline__ void finish_vector(const PassProblem<T>& problem, const Place& place, std::int32_t row,
                                              const Sums<T, V>& sums, T* dot_place, T* target_dot_place, T* parts) {
  const PassTable<T>& table = problem.tables[place.table];
  const int factors = problem.factors, width = table.width;
  const T weight = problem.own_weight != nullptr ? problem.own_weight[row] : T(1);
  const std::int64_t own = std::int64_t(row) * (factors * width) + (place.factor * width + place.column);
  Values<T, V> result;
  if (is_forward(kPass)) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      result.at[v] = sums.gated[v] * weight;
    }
    store_values(table.result + own, result);
    if (problem.row_map.out > 0) {
      store_values(parts, result);
      *dot_place = sums.scalar * weight;
    }
    if (kPass == Pass::kSloped) {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        result.at[v] = sums.sloped[v] * weight;
      }
      store_values(table.slopes + own, result);
    }
    if (place.first && problem.gate_result != nullptr) {
      problem.gate_result[row * problem.gate_result_stride + place.factor] = sums.scalar * weight;
      if (kPass == Pass::kSloped) {
        problem.slope_sum[std::int64_t(row) * factors + place.factor] = sums.slope * weight;
      }
    }
    return;
  }
  T dot = 0;
  if (kPass == Pass::kSources) {
    const Values<T, V> x = load_values<T, V>(table.x + (table.each ? own : std::int64_t(row) * width + place.column));
#pragma unroll
    for (int v = 0; v < V; ++v) {
      dot += x.at[v] * sums.sloped[v];
      result.at[v] = sums.gated[v] * weight;
    }
    dot += sums.slope;
    if (table.slopes != nullptr) {
      const Values<T, V> g = load_values<T, V>(table.grad_out + own), slopes = load_values<T, V>(table.slopes + own);
      T target_dot = 0;
#pragma unroll
      for (int v = 0; v < V; ++v) {
        target_dot += g.at[v] * slopes.at[v];
      }
      if (place.first && problem.grad_gate_sum != nullptr) {
        const std::int64_t at = std::int64_t(row) * factors + place.factor;
        target_dot += problem.grad_gate_sum[at] * problem.slope_sum[at];
      }
      *target_dot_place = target_dot;
    }
    if (table.each) {
      store_values(table.result + own, result);
    } else {
#pragma unroll
      for (int v = 0; v < V; ++v) {
        parts[v] = result.at[v];
      }
    }
  } else {
    const Values<T, V> g = load_values<T, V>(table.grad_out + own);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      dot += g.at[v] * sums.sloped[v];
    }
    if (place.first && problem.grad_gate_sum != nullptr) {
      dot += sums.slope * problem.grad_gate_sum[std::int64_t(row) * factors + place.factor];
    }
  }
  *dot_place = dot;
}

/// A block's share of shared memory for what is done with finished vectors: `parts`, V per vector (see finish_vector),
/// aligned as these are; the row map's weights and biases; `dots` and `target_dots`, one per vector; and the gates'
/// gradients of its rows.
template <class T, int V>
struct RowSums {
  T *parts, *weight, *bias, *dots, *target_dots, *gates;

  __device__ RowSums(void* memory, const PassProblem<T>& problem, int vectors) {
    parts = static_cast<T*>(memory);
    weight = parts + vectors * V;
    bias = weight + problem.row_map.out * problem.tables[0].width;
    dots = bias + problem.row_map.out;
    target_dots = dots + vectors;
    gates = target_dots + vectors;
  }
  static std::size_t bytes(const PassProblem<T>& problem, const Layout& layout) {
    return (std::size_t(layout.rows) * (layout.lanes * (V + 2) + 2 * problem.factors) +
            std::size_t(problem.row_map.out) * (problem.tables[0].width + 1)) *
           sizeof(T);
  }
};

/// Starts to bring the row map's weights and biases to shared memory; map_rows waits for them.
template <class T, int V>
__device__ __forceinline__ void fetch_map(const PassProblem<T>& problem, const RowSums<T, V>& at) {
  const RowMap<T>& map = problem.row_map;
  start_map_copy(at.weight, map.weight, map.out * problem.tables[0].width, map.bias, map.out, blockDim.x);
}

/// After finish_vector by all threads: the row map, a value each. `skipped`: rows that are not finished here.
template <class T, int V>
__device__ void map_rows(const PassProblem<T>& problem, const Layout& layout, std::int32_t first_row, int rows,
                         const RowSums<T, V>& at, const bool* skipped) {
  const RowMap<T>& map = problem.row_map;
  wait_for_copies();
  __syncthreads();
  const int row_values = problem.factors * map.out, width = problem.tables[0].width;
  const std::int64_t left = problem.rows - first_row;
  const int values = int(left < rows ? left : rows) * row_values;
  T* const y = map.y + std::int64_t(first_row) * row_values;
  for (int i = threadIdx.x; i < values; i += blockDim.x) {
    if (skipped != nullptr && skipped[layout.by_row_mapped(i)]) {
      continue;
    }
    const int factor = layout.by_mapped(i), o = i - factor * map.out;  // factors are counted on from row to row
    T sum = at.dots[factor * layout.vectors[0]] * at.bias[o];
#pragma unroll 1  // more would be instructions to fetch and to jump over
    for (int column = 0; column < width; column += V) {
      const auto x = load_values<T, V>(at.parts + factor * width + column);
      const auto w = load_values<T, V>(at.weight + o * width + column);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        sum += x.at[v] * w.at[v];
      }
    }
    y[i] = tanh_of(sum);
  }
}

/// After finish_vector by all threads: sums over the vectors of a factor, and over the factors of a shared table.
/// `skipped`: rows that are not finished here.
template <class T, int V, Pass kPass>
__device__ void reduce_rows(const PassProblem<T>& problem, const Layout& layout, std::int32_t first_row, int rows,
                            const RowSums<T, V>& at, const bool* skipped) {
  __syncthreads();
  const int factors = problem.factors, before = factors * layout.vectors[0];
  const bool both = kPass == Pass::kSources && problem.target_result != nullptr;
  for (int i = threadIdx.x; i < (both ? 2 : 1) * rows * factors; i += blockDim.x) {
    const bool second = i >= rows * factors;
    const int j = second ? i - rows * factors : i, r = layout.by_factors(j), k = j - r * factors;
    const std::int32_t row = first_row + r;
    if (row >= problem.rows || (skipped != nullptr && skipped[r])) {
      continue;
    }
    T sum = 0;
    const T* mine = (second ? at.target_dots : at.dots) + r * layout.lanes;
    for (int v = 0; v < layout.vectors[0]; ++v) {
      sum += mine[k * layout.vectors[0] + v];
    }
    for (int v = 0; v < layout.vectors[1]; ++v) {
      sum += mine[before + k * layout.vectors[1] + v];
    }
    const T weight = !second && problem.own_weight != nullptr ? problem.own_weight[row] : T(1);
    T gradient = Gate<T>(problem.gate_scale).scaled(sum * weight);
    if (problem.other_gates != nullptr) {
      const T other = problem.other_gates[std::int64_t(row) * 2 * factors + (second ? factors : 0) + k];
      gradient += *problem.other_scale * other;
    }
    (second ? problem.target_result : problem.gate_result)[row * problem.gate_result_stride + k] = gradient;
    at.gates[r * 2 * factors + (second ? factors : 0) + k] = gradient;
  }
  if (kPass == Pass::kSources && problem.gate_map != nullptr) {
    __syncthreads();
  }
  for (int t = 0; kPass == Pass::kSources && t < problem.num_tables; ++t) {
    const PassTable<T>& table = problem.tables[t];
    if (table.each) {
      continue;
    }
    const int width = table.width;
    for (int i = threadIdx.x; i < rows * width; i += blockDim.x) {
      const int r = layout.by_widths[t](i), c = i - r * width;
      const std::int32_t row = first_row + r;
      if (row >= problem.rows || (skipped != nullptr && skipped[r])) {
        continue;
      }
      const T* mine = at.parts + (r * layout.lanes + (t == 1 ? before : 0)) * V + c;
      T sum = 0;
      for (int k = 0; k < factors; ++k) {
        sum += mine[k * width];
      }
      if (problem.gate_map != nullptr) {
        for (int k = 0; k < 2 * factors; ++k) {
          sum += at.gates[r * 2 * factors + k] * problem.gate_map[k * width + c];
        }
      }
      table.result[std::int64_t(row) * width + c] = sum;
    }
  }
}

/// What is left to do once all vectors of some rows are finished.
template <class T, int V, Pass kPass>
__device__ __forceinline__ void complete_rows(const PassProblem<T>& problem, const Layout& layout,
                                              std::int32_t first_row, int rows, const RowSums<T, V>& at,
                                              const bool* skipped) {
  if constexpr (!is_forward(kPass)) {
    reduce_rows<T, V, kPass>(problem, layout, first_row, rows, at, skipped);
  } else if (problem.row_map.out > 0) {
    map_rows<T, V>(problem, layout, first_row, rows, at, skipped);
  }
}

}  // namespace factorgcn::cuda::edge_pass
