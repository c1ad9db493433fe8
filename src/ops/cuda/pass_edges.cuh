// What one thread sums in a pass over the edges: V columns of one factor of one row, over some of the row's edges.
//
// Its neighbours in the block own the row's other columns, so that a gathered row is read by consecutive threads. The
// gate of an edge is recomputed by each thread: that is cheaper than passing it on.
#pragma once

#include "ops/cuda/aggregate.h"
#include "ops/cuda/device_math.cuh"

namespace factorgcn::cuda::edge_pass {

/// Most threads of a block.
inline constexpr int kThreads = 256;

/// What one thread has summed.
template <class T, int V>
struct Sums {
  T gated[V];       // with c w
  T sloped[V];      // with c (1 - c) w
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

/// How rows are laid out over a block's threads.
struct Layout {
  int vectors[2] = {0, 0};  // per factor, of each table
  int lanes = 0;            // vectors of a row
  int rows = 1;             // rows per block
  int slices = 1;           // threads that share the edges of a row's vector
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

template <int V>
__device__ __forceinline__ Place place_of(const Layout& layout, int factors, int vector) {
  Place place;
  const int before = factors * layout.vectors[0];
  place.table = vector >= before ? 1 : 0;
  const int local = vector - (place.table == 1 ? before : 0);
  const int per_factor = place.table == 1 ? layout.vectors[1] : layout.vectors[0];
  place.factor = local / per_factor;
  place.column = (local - place.factor * per_factor) * V;
  place.first = place.table == 0 && place.column == 0;
  return place;
}

template <class T, int V, Pass kPass>
__device__ __forceinline__ void sum_edges(const PassProblem<T>& problem, const Place& place, std::int32_t row,
                                          std::int64_t begin, std::int64_t end, Sums<T, V>& sums) {
  const PassTable<T>& table = problem.tables[place.table];
  const int factors = problem.factors, width = table.width;
  const bool own_columns = kPass == Pass::kSources || table.each;
  // Products of two 32-bit numbers: one instruction each in the loop.
  const int stride = own_columns ? factors * width : width, gate_stride = int(problem.gate_stride);
  const T* values =
      (kPass == Pass::kSources ? table.grad_out : table.x) + (own_columns ? place.factor * width : 0) + place.column;
  const T own = problem.own_gate[row * problem.gate_stride + place.factor];
  const T* theirs = problem.their_gate + place.factor;
  const T* extra =
      kPass == Pass::kSources && place.first && problem.grad_gate_sum ? problem.grad_gate_sum + place.factor : nullptr;
  // So many edges at a time: their loads do not wait for each other. Where fewer are left, the last one is read again
  // and not added; the next ones' neighbours are asked for before these are added.
  constexpr int kGroup = sizeof(T) > sizeof(float) || V > 6 ? 2 : (V > 4 ? 3 : 4);
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
      gates[u] = theirs[std::int64_t(n[u]) * gate_stride];
      weights[u] = problem.their_weight != nullptr ? problem.their_weight[n[u]] : T(1);
      x[u] = load_values<T, V>(values + std::int64_t(n[u]) * stride);
      extras[u] = extra != nullptr ? extra[std::int64_t(n[u]) * factors] : T(0);
    }
    const auto add = [&](int u) {
      const T gate = sigmoid((own + gates[u]) * problem.gate_scale);
      const T gated = gate * weights[u], sloped = gated * (1 - gate);
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
      if (kPass == Pass::kSources && extra != nullptr) {
        sums.slope += sloped * extras[u];
      }
    };
    const int now = left < kGroup ? left : kGroup;
    left -= now;
    neighbours += now;
    if (left > 0) {
      ask();
    }
    if (now == kGroup) {
#pragma unroll
      for (int u = 0; u < kGroup; ++u) {
        add(u);
      }
    } else {
#pragma unroll
      for (int u = 0; u < kGroup - 1; ++u) {
        if (u < now) {
          add(u);
        }
      }
    }
  }
}

}  // namespace factorgcn::cuda::edge_pass
