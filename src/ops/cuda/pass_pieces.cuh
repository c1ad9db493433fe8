// Long rows in a pass over the edges: a block sums a piece (see long_rows.h), and whichever finishes a row's last piece
// adds all of them in order and ends the row.
#pragma once

#include "ops/cuda/pass_row_ends.cuh"

namespace factorgcn::cuda::edge_pass {

/// use(vector, total) with what all groups of a block's threads have summed of a row, added in order, by the first
/// group's threads.
template <class T, int V, class Use>
__device__ __forceinline__ void add_groups(const Layout& layout, int lanes, int groups, Sums<T, V>* slices, Use use) {
  constexpr int kValues = sizeof(Sums<T, V>) / sizeof(T);
  __syncthreads();
  // All threads share this: value by value, not vector by vector.
  T* values = reinterpret_cast<T*>(slices);
  const int row_values = layout.lanes * kValues;
  for (int i = threadIdx.x; i < row_values; i += blockDim.x) {
    T total = values[i];
#pragma unroll 4
    for (int group = 1; group < groups; ++group) {
      total += values[group * row_values + i];
    }
    values[i] = total;
  }
  __syncthreads();
  if (int(threadIdx.x) < lanes) {
    for (int vector = threadIdx.x; vector < layout.lanes; vector += lanes) {
      use(vector, slices[vector]);
    }
  }
}

/// Sums edges begin .. end of a row, all of a block's threads together; the first lanes' threads return each vector's.
template <class T, int V, Pass kPass, class Use>
__device__ void sum_together(const PassProblem<T>& problem, const Layout& layout, std::int32_t row, std::int64_t begin,
                             std::int64_t end, Sums<T, V>* slices, Use use) {
  const int lanes = layout.row_threads, groups = layout.rows * layout.slices;
  const int group = layout.by_row_threads(int(threadIdx.x)), lane = int(threadIdx.x) - group * lanes;
  const std::int64_t share = layout.by_groups(int(end - begin) + groups - 1);
  if (group < groups) {
    const std::int64_t from = begin + group * share < end ? begin + group * share : end;
    const std::int64_t to = from + share < end ? from + share : end;
    for (int vector = lane; vector < layout.lanes; vector += lanes) {
      Sums<T, V> sums{};
      sum_edges<T, V, kPass>(problem, layout, place_of<V>(layout, problem.factors, vector), row, from, to, sums);
      slices[group * layout.lanes + vector] = sums;
    }
  }
  add_groups(layout, lanes, groups, slices, use);
  __syncthreads();
}

/// Adds up a long row's pieces: groups of threads each take a range of them, and these are added in order.
template <class T, int V, class Use>
__device__ void add_pieces(const Layout& layout, const Sums<T, V>* pieces, std::int64_t count, Sums<T, V>* slices,
                           Use use) {
  const int lanes = layout.row_threads, groups = layout.rows * layout.slices;
  const int group = layout.by_row_threads(int(threadIdx.x)), lane = int(threadIdx.x) - group * lanes;
  const std::int64_t share = layout.by_groups(int(count) + groups - 1);
  if (group < groups) {
    const std::int64_t to = (group + 1) * share < count ? (group + 1) * share : count;
    for (int vector = lane; vector < layout.lanes; vector += lanes) {
      Sums<T, V> total{};
      for (std::int64_t i = group * share; i < to; ++i) {
        add_sums(total, pieces[i * layout.lanes + vector]);
      }
      slices[group * layout.lanes + vector] = total;
    }
  }
  add_groups(layout, lanes, groups, slices, use);
}

/// One piece of a long row, and all of the row where it is the last one.
template <class T, int V, Pass kPass>
__device__ void sum_piece(const PassProblem<T>& problem, const Layout& layout, const LongPiece& piece,
                          Sums<T, V>* slices, const RowSums<T, V>& at) {
  __shared__ bool is_last;
  const LongRows& longs = problem.long_rows;
  const std::int64_t piece_edges = 2 * longs.longest, first = piece.first;
  const std::int64_t count = (piece.end - piece.begin + piece_edges - 1) / piece_edges;
  const std::int64_t from = piece.begin + piece.number * piece_edges;
  const std::int64_t to = from + piece_edges < piece.end ? from + piece_edges : piece.end;
  auto* sums_of = static_cast<Sums<T, V>*>(longs.sums) + first * layout.lanes;
  const auto finish = [&](int vector, const Sums<T, V>& total) {
    finish_vector<T, V, kPass>(problem, place_of<V>(layout, problem.factors, vector), piece.row, total,
                               at.dots + vector, at.target_dots + vector, at.parts + vector * V);
  };
  sum_together<T, V, kPass>(problem, layout, piece.row, from, to, slices, [&](int vector, const Sums<T, V>& total) {
    if (count == 1) {
      finish(vector, total);
      return;
    }
    sums_of[piece.number * layout.lanes + vector] = total;
    __threadfence();  // before the piece counts
  });
  if (count > 1) {
    if (threadIdx.x == 0) {
      is_last = atomicAdd(longs.counts + first, 1) + 1 == count;
      if (is_last) {
        longs.counts[first] = 0;  // for a pass of the same kind after this one
      }
      __threadfence();
    }
    __syncthreads();
    if (!is_last) {
      return;
    }
    add_pieces(layout, sums_of, count, slices, finish);
  }
  complete_rows<T, V, kPass>(problem, layout, piece.row, 1, at, nullptr);
}

}  // namespace factorgcn::cuda::edge_pass
