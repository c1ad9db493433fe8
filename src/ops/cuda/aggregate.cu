// Gated sums over edges: one kernel for the forward pass and both backward passes.
//
// A thread owns V columns of one factor of one row and walks the row's edges; its neighbours in the block own the
// row's other columns, so that a gathered row is read by consecutive threads. The gate of an edge is recomputed by each
// thread: that is cheaper than passing it on. The dot products of the backward passes are taken once per row, after
// the loop, since <x, sum of weighted g> is the sum of weighted <x, g>: no reduction per edge, nothing of size E.
// For the same reason a forward pass that will be followed by a backward pass sums its messages a second time, with
// the gates' slopes (kSloped): the gradient of the targets' gates is then a dot product of two rows, and a whole pass
// over the edges is saved for [N, K, d] values of memory.
//
// Long rows (hubs) have blocks of their own, which come first: see long_rows.h.
//
// A small map of the sums (RowMap) is applied by the block that has them: its rows lie in shared memory by then, and
// all of its threads share the work, value by value.
#include "ops/cuda/aggregate.h"

#include <utility>

#include "ops/cuda/device_math.cuh"
#include "ops/cuda/instructions.cuh"
#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;

/// What one thread has summed.
template <class T, int V>
struct Sums {
  T gated[V];       // with c w
  T sloped[V];      // with c (1 - c) w
  T scalar, slope;  // the same without a table, or with the gate sum's gradient
};
static_assert(sizeof(Sums<float, 3>) == 8 * sizeof(float), "add_groups() takes the values one by one");

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

/// Writes what one thread can write alone, and leaves the rest to reduce_rows and map_rows in shared memory: `dots`,
/// one per vector, and `parts`, V per vector (the shared tables' gradients, still apart by factor, or sums to be
/// mapped).
template <class T, int V, Pass kPass>
__device__ __forceinline__ void finish_vector(const PassProblem<T>& problem, const Place& place, std::int32_t row,
                                              const Sums<T, V>& sums, T* dot_place, T* target_dot_place, T* parts) {
  const PassTable<T>& table = problem.tables[place.table];
  const int factors = problem.factors, width = table.width;
  const T weight = problem.own_weight != nullptr ? problem.own_weight[row] : T(1);
  const std::int64_t own = (std::int64_t(row) * factors + place.factor) * width + place.column;
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
  const int weights = map.out * problem.tables[0].width;
  for (int i = threadIdx.x; i < weights + map.out; i += blockDim.x) {
    start_copy(at.weight + i, i < weights ? map.weight + i : map.bias + (i - weights));
  }
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
    if (skipped != nullptr && skipped[i / row_values]) {
      continue;
    }
    const int factor = i / map.out, o = i - factor * map.out;  // factors are counted on from row to row
    T sum = at.dots[factor * layout.vectors[0]] * at.bias[o];
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
    const int j = second ? i - rows * factors : i, r = j / factors, k = j - r * factors;
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
    T gradient = sum * weight * problem.gate_scale;
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
      const int r = i / width, c = i - r * width;
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
  const int lanes = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  const int groups = layout.rows * layout.slices, group = threadIdx.x / lanes, lane = threadIdx.x - group * lanes;
  const std::int64_t share = (end - begin + groups - 1) / groups;
  if (group < groups) {
    const std::int64_t from = begin + group * share < end ? begin + group * share : end;
    const std::int64_t to = from + share < end ? from + share : end;
    for (int vector = lane; vector < layout.lanes; vector += lanes) {
      Sums<T, V> sums{};
      sum_edges<T, V, kPass>(problem, place_of<V>(layout, problem.factors, vector), row, from, to, sums);
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
  const int lanes = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  const int groups = layout.rows * layout.slices, group = threadIdx.x / lanes, lane = threadIdx.x - group * lanes;
  const std::int64_t share = (count + groups - 1) / groups;
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

/// How rows are shared: what is not needed would cost registers.
enum class Sharing {
  kNone,
  kSlices,  ///< by some of a block's threads
  kBlocks,  ///< likewise, and long rows by blocks
};

template <class T, int V, Pass kPass, Sharing kSharing, bool kSliced>
__device__ __forceinline__ void pass_block(const PassProblem<T>& problem, const Layout& layout, int piece_blocks) {
  auto* shared = dynamic_shared<unsigned char>();
  __shared__ bool skipped[kThreads];
  wait_for_previous();
  const int lanes = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  auto* slices = reinterpret_cast<Sums<T, V>*>(shared);
  const int vectors = layout.rows * layout.lanes;
  constexpr bool kShared = kSharing != Sharing::kNone;
  const RowSums<T, V> at(shared + (kShared ? slice_bytes<T, V>(layout) : 0), problem, vectors);
  if constexpr (is_forward(kPass)) {
    fetch_map(problem, at);
  }
  if constexpr (kSharing == Sharing::kBlocks) {
    if (int(blockIdx.x) < piece_blocks) {
      const int used = *problem.long_rows.used;
      for (int i = blockIdx.x; i < used; i += piece_blocks) {
        const LongPiece piece = problem.long_rows.pieces[i];
        if (piece.row >= 0) {
          sum_piece<T, V, kPass>(problem, layout, piece, slices, at);
          __syncthreads();  // before the shared memory is used again
        }
      }
      return;
    }
  }
  const int row_slices = kSliced ? layout.slices : 1;
  const int before = kSharing == Sharing::kBlocks ? piece_blocks : 0;
  const std::int32_t first_row = std::int32_t(blockIdx.x - before) * layout.rows;
  const int group = threadIdx.x / lanes, lane = threadIdx.x - group * lanes;
  const int r = group / row_slices, slice = group - r * row_slices;
  const std::int32_t row = first_row + r;
  bool mine = r < layout.rows && row < problem.rows;
  std::int64_t begin = 0, end = 0;
  if (mine) {
    begin = problem.offsets[row];
    end = problem.offsets[row + 1];
    const bool is_long = kSharing == Sharing::kBlocks && end - begin > problem.long_rows.longest;
    if (lane == 0 && slice == 0) {
      skipped[r] = is_long;
    }
    mine = !is_long;
  }
  if constexpr (!kSliced) {
    if (mine) {
      for (int vector = lane; vector < layout.lanes; vector += lanes) {
        const Place place = place_of<V>(layout, problem.factors, vector);
        Sums<T, V> sums{};
        sum_edges<T, V, kPass>(problem, place, row, begin, end, sums);
        const int of = r * layout.lanes + vector;
        finish_vector<T, V, kPass>(problem, place, row, sums, at.dots + of, at.target_dots + of, at.parts + of * V);
      }
    }
  } else {
    const Place place = place_of<V>(layout, problem.factors, lane);  // a row's vectors fit its threads here
    Sums<T, V> sums{};
    if (mine) {
      const std::int64_t share = (end - begin + row_slices - 1) / row_slices;
      const std::int64_t from = begin + slice * share < end ? begin + slice * share : end;
      sum_edges<T, V, kPass>(problem, place, row, from, from + share < end ? from + share : end, sums);
      if (slice > 0) {
        slices[group * lanes + lane] = sums;
      }
    }
    __syncthreads();
    if (mine && slice == 0) {
      for (int other = 1; other < row_slices; ++other) {
        add_sums(sums, slices[(group + other) * lanes + lane]);
      }
      const int of = r * layout.lanes + lane;
      finish_vector<T, V, kPass>(problem, place, row, sums, at.dots + of, at.target_dots + of, at.parts + of * V);
    }
  }
  complete_rows<T, V, kPass>(problem, layout, first_row, layout.rows, at,
                             kSharing == Sharing::kBlocks ? skipped : nullptr);
}

/// Blocks on a multiprocessor that registers are to suffice for: more hide more of the time that loads take.
template <class T, int V>
constexpr int kBlocksWanted = sizeof(T) == sizeof(float) ? (V > 8 ? 3 : 4) : (V > 2 ? 2 : 3);

template <class T, int V, Pass kPass, Sharing kSharing>
__global__ void __launch_bounds__(kThreads, (kBlocksWanted<T, V>))
    pass_rows(PassProblem<T> problem, Layout layout, int piece_blocks) {
  pass_block<T, V, kPass, kSharing, false>(problem, layout, piece_blocks);
}

/// With registers for four blocks on a multiprocessor: slices_for() counts on as many threads at a time.
template <class T, int V, Pass kPass, Sharing kSharing>
__global__ void __launch_bounds__(kThreads, 4) pass_slices(PassProblem<T> problem, Layout layout, int piece_blocks) {
  pass_block<T, V, kPass, kSharing, true>(problem, layout, piece_blocks);
}

template <class T>
__global__ void gate_edges(PassProblem<T> problem, T* gates) {
  wait_for_previous();
  const int factors = problem.factors;
  const std::int64_t row = (std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
  if (row >= problem.rows) {
    return;
  }
  const std::int64_t begin = problem.offsets[row] * factors, end = problem.offsets[row + 1] * factors;
  for (std::int64_t i = begin + threadIdx.x % 32; i < end; i += 32) {
    const int k = int(i % factors);
    const std::int64_t n = problem.neighbours[i / factors];
    gates[i] =
        sigmoid((problem.own_gate[row * problem.gate_stride + k] + problem.their_gate[n * problem.gate_stride + k]) *
                problem.gate_scale);
  }
}

template <class T>
bool suits(const PassProblem<T>& problem, int v, std::size_t alignment) {
  for (int t = 0; t < problem.num_tables; ++t) {
    const PassTable<T>& table = problem.tables[t];
    if (table.width % v != 0 || !is_aligned(table.x, alignment) || !is_aligned(table.grad_out, alignment) ||
        !is_aligned(table.result, alignment) || !is_aligned(table.slopes, alignment)) {
      return false;
    }
  }
  return true;
}

/// Columns per thread: as many as divide every width and suit the pointers, since what a thread does once per edge
/// (indices, gate, weight) is then shared by more of them.
template <class T>
int columns_per_thread(const PassProblem<T>& problem) {
  if constexpr (sizeof(T) == sizeof(float)) {
    for (const auto& [v, alignment] : {std::pair{12, 16}, std::pair{8, 16}, std::pair{9, 4}, std::pair{6, 8}}) {
      if (suits(problem, v, alignment)) {
        return v;
      }
    }
  }
  for (const int v : {4, 2, 3}) {
    if (suits(problem, v, v == 3 ? sizeof(T) : (v * sizeof(T) < 16 ? v * sizeof(T) : 16))) {
      return v;
    }
  }
  return 1;
}

/// How many threads share the edges of a row's vector.
int slices_for(std::int64_t rows, std::int64_t edges, int lanes) {
  // Threads that a large GPU runs at a time; a slice of less than two edges does not pay.
  constexpr std::int64_t kThreadsWanted = 128 * 1024, kFewestEdges = 2, kMostSlices = 8;
  std::int64_t slices = kThreads / lanes < kMostSlices ? kThreads / lanes : kMostSlices;
  for (const std::int64_t most : {kThreadsWanted / (rows * lanes), edges / (rows * kFewestEdges)}) {
    slices = slices < most ? slices : most;
  }
  return static_cast<int>(slices < 1 ? 1 : slices);
}

template <class T>
Layout layout_of(const PassProblem<T>& problem, int v) {
  Layout layout;
  for (int t = 0; t < problem.num_tables; ++t) {
    layout.vectors[t] = problem.tables[t].width / v;
    layout.lanes += problem.factors * layout.vectors[t];
  }
  layout.slices = problem.may_slice ? slices_for(problem.rows, problem.edges, layout.lanes) : 1;
  const int threads = layout.lanes * layout.slices;
  layout.rows = threads < kThreads ? kThreads / threads : 1;
  return layout;
}

/// Blocks for pieces of long rows.
int blocks_for_pieces(std::int64_t rows, std::int64_t places) {
  // Some for each multiprocessor; where the list has gaps, more, since most blocks find little to do.
  constexpr std::int64_t kBlocks = 512, kPlacesPerBlock = 8;
  const std::int64_t wanted = rows <= kFewListedRows ? 0 : places / kPlacesPerBlock;
  return static_cast<int>(places < kBlocks ? places : (wanted > kBlocks ? wanted : kBlocks));
}

template <class T, int V, Pass kPass>
void start_pass(const PassProblem<T>& problem, cudaStream_t stream) {
  const Layout layout = layout_of(problem, V);
  const int lanes = layout.lanes < kThreads ? layout.lanes : kThreads;
  const int threads = (layout.rows * layout.slices * lanes + 31) / 32 * 32;
  const bool cuts = problem.long_rows.longest > 0;
  const int piece_blocks =
      cuts ? blocks_for_pieces(problem.rows, long_row_places(problem.edges, problem.long_rows.longest)) : 0;
  const bool sliced = layout.slices > 1, shares = sliced || cuts;
  const auto kernel =
      cuts ? (sliced ? pass_slices<T, V, kPass, Sharing::kBlocks> : pass_rows<T, V, kPass, Sharing::kBlocks>)
           : (sliced ? pass_slices<T, V, kPass, Sharing::kSlices> : pass_rows<T, V, kPass, Sharing::kNone>);
  const bool completes = !is_forward(kPass) || problem.row_map.out > 0;
  const std::size_t shared =
      (shares ? slice_bytes<T, V>(layout) : 0) + (completes ? RowSums<T, V>::bytes(problem, layout) : 0);
  if (shared > 48 * 1024) {
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared));
  }
  const auto blocks = static_cast<unsigned>(piece_blocks + (problem.rows + layout.rows - 1) / layout.rows);
  launch(kernel, blocks, threads, shared, stream, problem, layout, piece_blocks);
}

template <class T, int V>
void launch_pass(const PassProblem<T>& problem, Pass pass, cudaStream_t stream) {
  switch (pass) {
    case Pass::kForward:
      return start_pass<T, V, Pass::kForward>(problem, stream);
    case Pass::kSloped:
      return start_pass<T, V, Pass::kSloped>(problem, stream);
    case Pass::kSources:
      return start_pass<T, V, Pass::kSources>(problem, stream);
    case Pass::kTargets:
      return start_pass<T, V, Pass::kTargets>(problem, stream);
  }
}

}  // namespace

bool can_map_rows(std::int64_t in, std::int64_t out) {
  // Beyond that, a map's own kernel reads its weights less often.
  constexpr std::int64_t kMostWeights = 256;
  return in * out <= kMostWeights;
}

template <class T>
std::size_t long_row_sums(const PassProblem<T>& problem) {
  const int columns = columns_per_thread(problem), values = 2 * columns + 2;  // as in Sums
  return std::size_t(long_row_places(problem.edges, problem.long_rows.longest)) * layout_of(problem, columns).lanes *
         values * sizeof(T);
}

template <class T>
void run_pass(const PassProblem<T>& problem, Pass pass, cudaStream_t stream) {
  if (problem.rows == 0) {
    return;
  }
  const int columns = columns_per_thread(problem);
  if constexpr (sizeof(T) == sizeof(float)) {
    switch (columns) {
      case 12:
        return launch_pass<T, 12>(problem, pass, stream);
      case 8:
        return launch_pass<T, 8>(problem, pass, stream);
      case 9:
        return launch_pass<T, 9>(problem, pass, stream);
      case 6:
        return launch_pass<T, 6>(problem, pass, stream);
      default:
        break;
    }
  }
  switch (columns) {
    case 4:
      return launch_pass<T, 4>(problem, pass, stream);
    case 3:
      return launch_pass<T, 3>(problem, pass, stream);
    case 2:
      return launch_pass<T, 2>(problem, pass, stream);
    default:
      return launch_pass<T, 1>(problem, pass, stream);
  }
}

template <class T>
void compute_gates(const PassProblem<T>& problem, T* gates, cudaStream_t stream) {
  if (problem.rows > 0) {
    launch(gate_edges<T>, static_cast<unsigned>((problem.rows * 32 + 255) / 256), 256, 0, stream, problem, gates);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                        \
  template std::size_t long_row_sums<T>(const PassProblem<T>&);         \
  template void run_pass<T>(const PassProblem<T>&, Pass, cudaStream_t); \
  template void compute_gates<T>(const PassProblem<T>&, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
