// What one thread sums in a pass over the edges: V columns of one factor of one row, over some of the row's edges.
//
// Its neighbours in the block own the row's other columns, so that a gathered row is read by consecutive threads. The
// gate of an edge is recomputed by each thread: that is cheaper than passing it on.
#pragma once

#include "ops/cuda/aggregate.h"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/divisor.h"

namespace factorgcn::cuda::edge_pass {

/// Most threads of a block.
inline constexpr int kThreads = 256;

/// What one thread has summed.
template <class T, int V>
struct Sums {
  T gated[V];       // with c w
  T sloped[V];      // with c' w
  T scalar, slope;  // the same without a table, or with the gate sum's gradient
};
static_assert(sizeof(Sums<float, 3>) == 8 * sizeof(float), "add_groups() takes the values one by one");

template <class T, int V>
__device__ __forceinline__ void add_sums(Sums<T, V>& total, const Sums<T, V>& sums) {
#pragma unroll
  for (int v = 0; v < V; ++v) {
    total.gated[v] += sums.gated[v];
    total.sloped[v] += sums.sloped[v];
  }
  total.scalar += sums.scalar;
  total.slope += sums.slope;
}

__host__ __device__ constexpr bool is_forward(Pass pass) { return pass == Pass::kForward || pass == Pass::kSloped; }

/// How rows are laid out over a block's threads, and the divisions that follow from it: next to a row's few edges each
/// would count.
struct Layout {
  int vectors[2] = {0, 0};  // per factor, of each table
  int lanes = 0;            // vectors of a row
  int rows = 1;             // rows per block
  int slices = 1;           // threads that share the edges of a row's vector
  int row_threads = 1;      // threads of a slice of a row: its lanes, or all of a block where these are more
  Divisor by_vectors[2], by_row_threads, by_slices;
  Divisor by_groups;                                           // rows * slices
  Divisor by_factors, by_widths[2];                            // the problem's factors, the tables' widths
  Divisor by_mapped, by_row_mapped;                            // values that the row map has of a factor, and of a row
  int row_bytes[2] = {0, 0}, gate_bytes = 0, extra_bytes = 0;  // from node to node of what is gathered
};

/// What a block's threads have summed, each of its own edges; what comes after it in shared memory is aligned.
template <class T, int V>
__host__ __device__ __forceinline__ std::size_t slice_bytes(const Layout& layout) {
  return (layout.rows * layout.slices * layout.lanes * sizeof(Sums<T, V>) + 15) / 16 * 16;
}

/// Which table, factor and column a vector of a row belongs to.
struct Place {
  int table, factor, column;
  bool first;  // the factor's first column of the first table
};

/// kOneTable: there is no other, which the compiler makes use of.
template <int V, bool kOneTable = false>
__device__ __forceinline__ Place place_of(const Layout& layout, int factors, int vector) {
  Place place;
  const int before = factors * layout.vectors[0];
  place.table = !kOneTable && vector >= before ? 1 : 0;
  const int local = vector - (place.table == 1 ? before : 0);
  const int per_factor = place.table == 1 ? layout.vectors[1] : layout.vectors[0];
  place.factor = (place.table == 1 ? layout.by_vectors[1] : layout.by_vectors[0])(local);
  place.column = (local - place.factor * per_factor) * V;
  place.first = place.table == 0 && place.column == 0;
  return place;
}

template <class T, int V, Pass kPass>
__device__ __forceinline__ void sum_edges(const PassProblem<T>& problem, const Layout& layout, const Place& place,
                                          std::int32_t row, std::int64_t begin, std::int64_t end, Sums<T, V>& sums) {
  const PassTable<T>& table = problem.tables[place.table];
  const bool own_columns = kPass == Pass::kSources || table.each;
  const int row_bytes = layout.row_bytes[place.table], gate_bytes = layout.gate_bytes;
  const T* values = (kPass == Pass::kSources ? table.grad_out : table.x) +
                    (own_columns ? place.factor * table.width : 0) + place.column;
  const T own = row_at(problem.own_gate, row, gate_bytes)[place.factor];
  const T* theirs = problem.their_gate + place.factor;
  const T* weights_at = problem.their_weight;
  const T* extra =
      kPass == Pass::kSources && place.first && problem.grad_gate_sum ? problem.grad_gate_sum + place.factor : nullptr;
  const bool weighted = weights_at != nullptr, with_extra = extra != nullptr;
  const Gate<T> gate_of(problem.gate_scale);
  // So many edges at a time: their loads do not wait for each other. Where fewer are left, the last one is read again
  // and added with a weight of 0; the next ones' neighbours are asked for before these are added.
  constexpr int kGroup = V > 6 ? 1 : 2;
  const std::int32_t* neighbours = problem.neighbours + begin;
  int left = int(end - begin);
  std::int32_t n[kGroup];
  const auto ask = [&] {
#pragma unroll
    for (int u = 0; u < kGroup; ++u) {
      n[u] = neighbours[u < left ? u : left - 1];
    }
  };
  if (left > 0) {
    ask();
  }
  while (left > 0) {
    T gates[kGroup], weights[kGroup], extras[kGroup];
    Values<T, V> x[kGroup];
#pragma unroll
    for (int u = 0; u < kGroup; ++u) {
      gates[u] = *row_at(theirs, n[u], gate_bytes);
      weights[u] = weighted ? *row_at(weights_at, n[u], int(sizeof(T))) : T(1);
      x[u] = load_values<T, V>(row_at(values, n[u], row_bytes));
      extras[u] = with_extra ? *row_at(extra, n[u], layout.extra_bytes) : T(0);
    }
#pragma unroll
    for (int u = 1; u < kGroup; ++u) {
      weights[u] = u < left ? weights[u] : T(0);
    }
    left -= kGroup;
    neighbours += kGroup;
    if (left > 0) {
      ask();
    }
#pragma unroll
    for (int u = 0; u < kGroup; ++u) {
      const auto [gated, sloped] = gate_of.weighted(gate_of(own + gates[u]), weights[u]);
#pragma unroll
      for (int v = 0; v < V; ++v) {
        if (kPass != Pass::kTargets) {
          sums.gated[v] += gated * x[u].at[v];
        }
        if (kPass != Pass::kForward) {
          sums.sloped[v] += sloped * x[u].at[v];
        }
      }
      if (is_forward(kPass)) {
        sums.scalar += gated;
      }
      if (kPass == Pass::kTargets || kPass == Pass::kSloped) {
        sums.slope += sloped;
      }
      if (kPass == Pass::kSources) {
        sums.slope += sloped * extras[u];
      }
    }
  }
}

}  // namespace factorgcn::cuda::edge_pass
