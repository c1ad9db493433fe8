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
// Long rows (hubs) are left to a second and third kernel: chunks of fixed size by different blocks, then their sums in
// order. The list of long rows is in whatever order blocks came by, but each row's result does not depend on it, so
// results are the same bits on every run.
#include "ops/cuda/aggregate.h"

#include <utility>

#include "ops/cuda/device_math.cuh"

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

__host__ __device__ constexpr bool is_forward(Pass pass) { return pass == Pass::kForward || pass == Pass::kSloped; }

struct LongRow {
  std::int64_t row;
  int first_chunk, chunks;
};

struct Chunk {
  std::int64_t row;
  std::int64_t begin, end;
};

/// The scratch's parts; `counts`: long rows, chunks.
struct LongRows {
  int* counts = nullptr;
  LongRow* rows = nullptr;
  Chunk* chunks = nullptr;
  void* sums = nullptr;
};

/// How rows are laid out over a block's threads.
struct Layout {
  int vectors[2] = {0, 0};  // per factor, of each table
  int lanes = 0;            // vectors of a row
  int rows = 1;             // rows per block
};

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
__device__ __forceinline__ void sum_edges(const PassProblem<T>& problem, const Place& place, std::int64_t row,
                                          std::int64_t begin, std::int64_t end, Sums<T, V>& sums) {
  const PassTable<T>& table = problem.tables[place.table];
  const int factors = problem.factors, width = table.width;
  const bool own_columns = kPass == Pass::kSources || table.each;
  const std::int64_t stride = own_columns ? std::int64_t(factors) * width : width;
  const T* values =
      (kPass == Pass::kSources ? table.grad_out : table.x) + (own_columns ? place.factor * width : 0) + place.column;
  const T own = problem.own_gate[row * problem.gate_stride + place.factor];
  const T* theirs = problem.their_gate + place.factor;
  const T* extra =
      kPass == Pass::kSources && place.first && problem.grad_gate_sum ? problem.grad_gate_sum + place.factor : nullptr;
  constexpr int kUnroll = V > 6 ? 2 : 4;
#pragma unroll kUnroll
  for (std::int64_t e = begin; e < end; ++e) {
    const std::int64_t n = problem.neighbours[e];
    const T gate = sigmoid((own + theirs[n * problem.gate_stride]) * problem.gate_scale);
    const T weight = problem.their_weight != nullptr ? problem.their_weight[n] : T(1);
    const Values<T, V> x = load_values<T, V>(values + n * stride);
    const T gated = gate * weight, sloped = gated * (1 - gate);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (kPass != Pass::kTargets) {
        sums.gated[v] += gated * x.at[v];
      }
      if (kPass != Pass::kForward) {
        sums.sloped[v] += sloped * x.at[v];
      }
    }
    if (is_forward(kPass)) {
      sums.scalar += gated;
    }
    if (kPass == Pass::kTargets || kPass == Pass::kSloped) {
      sums.slope += sloped;
    }
    if (extra != nullptr) {
      sums.slope += sloped * extra[n * factors];
    }
  }
}

/// Writes what one thread can write alone, and leaves the rest to reduce_rows in shared memory: `dots`, one per vector,
/// and `parts`, V per vector (the shared tables' gradients, still apart by factor).
template <class T, int V, Pass kPass>
__device__ __forceinline__ void finish_vector(const PassProblem<T>& problem, const Place& place, std::int64_t row,
                                              const Sums<T, V>& sums, T* dot_place, T* target_dot_place, T* parts) {
  const PassTable<T>& table = problem.tables[place.table];
  const int factors = problem.factors, width = table.width;
  const T weight = problem.own_weight != nullptr ? problem.own_weight[row] : T(1);
  const std::int64_t own = (row * factors + place.factor) * width + place.column;
  Values<T, V> result;
  if (is_forward(kPass)) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      result.at[v] = sums.gated[v] * weight;
    }
    store_values(table.result + own, result);
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
        problem.slope_sum[row * factors + place.factor] = sums.slope * weight;
      }
    }
    return;
  }
  T dot = 0;
  if (kPass == Pass::kSources) {
    const Values<T, V> x = load_values<T, V>(table.x + (table.each ? own : row * width + place.column));
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
        const std::int64_t at = row * factors + place.factor;
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
      dot += sums.slope * problem.grad_gate_sum[row * factors + place.factor];
    }
  }
  *dot_place = dot;
}

/// After finish_vector by all threads: sums over the vectors of a factor, and over the factors of a shared table.
/// `skipped`: rows that are not finished here.
template <class T, int V, Pass kPass>
__device__ void reduce_rows(const PassProblem<T>& problem, const Layout& layout, std::int64_t first_row, int rows,
                            const T* dots, const T* target_dots, const T* parts, const bool* skipped) {
  __syncthreads();
  const int factors = problem.factors, before = factors * layout.vectors[0];
  const bool both = kPass == Pass::kSources && problem.target_result != nullptr;
  for (int i = threadIdx.x; i < (both ? 2 : 1) * rows * factors; i += blockDim.x) {
    const bool second = i >= rows * factors;
    const int j = second ? i - rows * factors : i, r = j / factors, k = j - r * factors;
    const std::int64_t row = first_row + r;
    if (row >= problem.rows || (skipped != nullptr && skipped[r])) {
      continue;
    }
    T sum = 0;
    const T* mine = (second ? target_dots : dots) + r * layout.lanes;
    for (int v = 0; v < layout.vectors[0]; ++v) {
      sum += mine[k * layout.vectors[0] + v];
    }
    for (int v = 0; v < layout.vectors[1]; ++v) {
      sum += mine[before + k * layout.vectors[1] + v];
    }
    if (second) {
      problem.target_result[row * problem.gate_result_stride + k] = sum * problem.gate_scale;
    } else {
      const T weight = problem.own_weight != nullptr ? problem.own_weight[row] : T(1);
      problem.gate_result[row * problem.gate_result_stride + k] = sum * weight * problem.gate_scale;
    }
  }
  for (int t = 0; kPass == Pass::kSources && t < problem.num_tables; ++t) {
    const PassTable<T>& table = problem.tables[t];
    if (table.each) {
      continue;
    }
    const int width = table.width;
    for (int i = threadIdx.x; i < rows * width; i += blockDim.x) {
      const int r = i / width, c = i - r * width;
      const std::int64_t row = first_row + r;
      if (row >= problem.rows || (skipped != nullptr && skipped[r])) {
        continue;
      }
      const T* mine = parts + (r * layout.lanes + (t == 1 ? before : 0)) * V + c;
      T sum = 0;
      for (int k = 0; k < factors; ++k) {
        sum += mine[k * width];
      }
      table.result[row * width + c] = sum;
    }
  }
}

template <class T, int V, Pass kPass>
__global__ void __launch_bounds__(kThreads) pass_rows(PassProblem<T> problem, Layout layout, LongRows longs) {
  extern __shared__ __align__(16) unsigned char shared[];
  __shared__ bool skipped[kThreads];
  T* dots = reinterpret_cast<T*>(shared);
  T* target_dots = dots + layout.rows * layout.lanes;
  T* parts = target_dots + layout.rows * layout.lanes;
  const std::int64_t first_row = std::int64_t(blockIdx.x) * layout.rows;
  const int threads_per_row = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  const int r = threadIdx.x / threads_per_row, lane = threadIdx.x - r * threads_per_row;
  const std::int64_t row = first_row + r;
  if (r < layout.rows && row < problem.rows) {
    const std::int64_t begin = problem.offsets[row], end = problem.offsets[row + 1];
    const bool is_long = longs.counts != nullptr && end - begin > kLongRow;
    if (lane == 0) {
      skipped[r] = is_long;
    }
    if (!is_long) {
      for (int vector = lane; vector < layout.lanes; vector += threads_per_row) {
        const Place place = place_of<V>(layout, problem.factors, vector);
        Sums<T, V> sums{};
        sum_edges<T, V, kPass>(problem, place, row, begin, end, sums);
        const int at = r * layout.lanes + vector;
        finish_vector<T, V, kPass>(problem, place, row, sums, dots + at, target_dots + at, parts + at * V);
      }
    } else if (lane == 0) {
      const int chunks = int((end - begin + kRowChunk - 1) / kRowChunk);
      const int first = atomicAdd(longs.counts + 1, chunks);
      longs.rows[atomicAdd(longs.counts, 1)] = {row, first, chunks};
      for (int c = 0; c < chunks; ++c) {
        const std::int64_t from = begin + c * kRowChunk;
        longs.chunks[first + c] = {row, from, from + kRowChunk < end ? from + kRowChunk : end};
      }
    }
  }
  if constexpr (!is_forward(kPass)) {
    reduce_rows<T, V, kPass>(problem, layout, first_row, layout.rows, dots, target_dots, parts, skipped);
  }
}

/// Sums of the chunks of long rows: the threads of `rows` rows share a chunk.
template <class T, int V, Pass kPass>
__global__ void __launch_bounds__(kThreads) pass_chunks(PassProblem<T> problem, Layout layout, LongRows longs) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* slices = reinterpret_cast<Sums<T, V>*>(shared);
  auto* sums_of = static_cast<Sums<T, V>*>(longs.sums);
  const int threads_per_row = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  const int r = threadIdx.x / threads_per_row, lane = threadIdx.x - r * threads_per_row;
  for (int c = blockIdx.x; c < longs.counts[1]; c += gridDim.x) {
    const Chunk chunk = longs.chunks[c];
    const std::int64_t share = (kRowChunk + layout.rows - 1) / layout.rows;
    if (r < layout.rows) {
      const std::int64_t begin = chunk.begin + r * share;
      const std::int64_t end = begin + share < chunk.end ? begin + share : chunk.end;
      for (int vector = lane; vector < layout.lanes; vector += threads_per_row) {
        Sums<T, V> sums{};
        sum_edges<T, V, kPass>(problem, place_of<V>(layout, problem.factors, vector), chunk.row, begin, end, sums);
        slices[r * layout.lanes + vector] = sums;
      }
    }
    __syncthreads();
    if (r == 0) {
      for (int vector = lane; vector < layout.lanes; vector += threads_per_row) {
        Sums<T, V> total = slices[vector];
        for (int other = 1; other < layout.rows; ++other) {
          const Sums<T, V>& sums = slices[other * layout.lanes + vector];
#pragma unroll
          for (int v = 0; v < V; ++v) {
            total.gated[v] += sums.gated[v];
            total.sloped[v] += sums.sloped[v];
          }
          total.scalar += sums.scalar;
          total.slope += sums.slope;
        }
        sums_of[std::int64_t(c) * layout.lanes + vector] = total;
      }
    }
    __syncthreads();
  }
}

/// Adds up each long row's chunks and finishes the row: the threads of `rows` rows each take a range of the chunks, and
/// these are added in order.
template <class T, int V, Pass kPass>
__global__ void __launch_bounds__(kThreads) pass_long_rows(PassProblem<T> problem, Layout layout, LongRows longs) {
  extern __shared__ __align__(16) unsigned char shared[];
  auto* slices = reinterpret_cast<Sums<T, V>*>(shared);
  T* dots = reinterpret_cast<T*>(slices + layout.rows * layout.lanes);
  T* target_dots = dots + layout.lanes;
  T* parts = target_dots + layout.lanes;
  const auto* sums_of = static_cast<const Sums<T, V>*>(longs.sums);
  const int threads_per_row = layout.lanes < int(blockDim.x) ? layout.lanes : int(blockDim.x);
  const int r = threadIdx.x / threads_per_row, lane = threadIdx.x - r * threads_per_row;
  const auto add = [](Sums<T, V>& total, const Sums<T, V>& sums) {
#pragma unroll
    for (int v = 0; v < V; ++v) {
      total.gated[v] += sums.gated[v];
      total.sloped[v] += sums.sloped[v];
    }
    total.scalar += sums.scalar;
    total.slope += sums.slope;
  };
  for (int i = blockIdx.x; i < longs.counts[0]; i += gridDim.x) {
    const LongRow item = longs.rows[i];
    const int share = (item.chunks + layout.rows - 1) / layout.rows;
    if (r < layout.rows) {
      const int begin = r * share, end = begin + share < item.chunks ? begin + share : item.chunks;
      for (int vector = lane; vector < layout.lanes; vector += threads_per_row) {
        Sums<T, V> total{};
        for (int c = begin; c < end; ++c) {
          add(total, sums_of[std::int64_t(item.first_chunk + c) * layout.lanes + vector]);
        }
        slices[r * layout.lanes + vector] = total;
      }
    }
    __syncthreads();
    if (r == 0) {
      for (int vector = lane; vector < layout.lanes; vector += threads_per_row) {
        Sums<T, V> total = slices[vector];
        for (int other = 1; other < layout.rows; ++other) {
          add(total, slices[other * layout.lanes + vector]);
        }
        finish_vector<T, V, kPass>(problem, place_of<V>(layout, problem.factors, vector), item.row, total,
                                   dots + vector, target_dots + vector, parts + vector * V);
      }
    }
    if constexpr (!is_forward(kPass)) {
      reduce_rows<T, V, kPass>(problem, layout, item.row, 1, dots, target_dots, parts, nullptr);
    }
    __syncthreads();
  }
}

template <class T>
__global__ void gate_edges(PassProblem<T> problem, T* gates) {
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
__global__ void degree_rows(const std::int64_t* offsets, std::int64_t nodes, T* weights) {
  const std::int64_t node = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (node < nodes) {
    const std::int64_t degree = offsets[node + 1] - offsets[node];
    weights[node] = T(1.0 / sqrt(double(degree < 1 ? 1 : degree)));
  }
}

bool is_aligned(const void* pointer, std::size_t bytes) {
  return pointer == nullptr || reinterpret_cast<std::uintptr_t>(pointer) % bytes == 0;
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

template <class T>
Layout layout_of(const PassProblem<T>& problem, int v) {
  Layout layout;
  for (int t = 0; t < problem.num_tables; ++t) {
    layout.vectors[t] = problem.tables[t].width / v;
    layout.lanes += problem.factors * layout.vectors[t];
  }
  layout.rows = layout.lanes < kThreads ? kThreads / layout.lanes : 1;
  return layout;
}

std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

template <class T, int V>
LongRows long_rows(const PassProblem<T>& problem, const Layout& layout, std::size_t& total) {
  const std::size_t most_rows = std::size_t(problem.edges / kLongRow + 1);
  const std::size_t most_chunks = std::size_t(problem.edges / kRowChunk) + most_rows;
  char* base = static_cast<char*>(problem.scratch);
  LongRows longs;
  longs.counts = reinterpret_cast<int*>(base);
  total = 256;
  longs.rows = reinterpret_cast<LongRow*>(base + total);
  total += aligned(most_rows * sizeof(LongRow));
  longs.chunks = reinterpret_cast<Chunk*>(base + total);
  total += aligned(most_chunks * sizeof(Chunk));
  longs.sums = base + total;
  total += aligned(most_chunks * std::size_t(layout.lanes) * sizeof(Sums<T, V>));
  return longs;
}

template <class T, int V, Pass kPass>
void launch(const PassProblem<T>& problem, cudaStream_t stream) {
  const Layout layout = layout_of(problem, V);
  const int lanes = layout.lanes < kThreads ? layout.lanes : kThreads;
  const int threads = (layout.rows * lanes + 31) / 32 * 32;
  const std::size_t dots = std::size_t(layout.rows) * layout.lanes * sizeof(T);
  const std::size_t shared = is_forward(kPass) ? 0 : (kPass == Pass::kSources ? dots * (V + 2) : dots);
  const auto blocks = static_cast<unsigned>((problem.rows + layout.rows - 1) / layout.rows);
  LongRows longs;
  if (problem.scratch != nullptr) {
    std::size_t total = 0;
    longs = long_rows<T, V>(problem, layout, total);
    cudaMemsetAsync(longs.counts, 0, 2 * sizeof(int), stream);
  }
  pass_rows<T, V, kPass><<<blocks, threads, shared, stream>>>(problem, layout, longs);
  if (problem.scratch != nullptr) {
    const std::size_t slices = std::size_t(layout.rows) * layout.lanes * sizeof(Sums<T, V>);
    pass_chunks<T, V, kPass><<<1056, threads, slices, stream>>>(problem, layout, longs);
    const std::size_t one = std::size_t(layout.lanes) * (V + 2) * sizeof(T);
    if (slices + one > 48 * 1024) {
      cudaFuncSetAttribute(pass_long_rows<T, V, kPass>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           static_cast<int>(slices + one));
    }
    pass_long_rows<T, V, kPass><<<1056, threads, slices + one, stream>>>(problem, layout, longs);
  }
}

template <class T, int V>
void launch_pass(const PassProblem<T>& problem, Pass pass, cudaStream_t stream) {
  switch (pass) {
    case Pass::kForward:
      return launch<T, V, Pass::kForward>(problem, stream);
    case Pass::kSloped:
      return launch<T, V, Pass::kSloped>(problem, stream);
    case Pass::kSources:
      return launch<T, V, Pass::kSources>(problem, stream);
    case Pass::kTargets:
      return launch<T, V, Pass::kTargets>(problem, stream);
  }
}

}  // namespace

template <class T>
std::size_t long_row_scratch(const PassProblem<T>& problem, Pass) {
  std::size_t most = 0, total = 0;
  // Fewer columns per thread need more room; the choice depends on pointers that are not set yet.
  long_rows<T, 1>(problem, layout_of(problem, 1), total);
  most = total;
  return most;
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
    gate_edges<T><<<static_cast<unsigned>((problem.rows * 32 + 255) / 256), 256, 0, stream>>>(problem, gates);
  }
}

template <class T>
void degree_weights(const std::int64_t* offsets, std::int64_t nodes, T* weights, cudaStream_t stream) {
  if (nodes > 0) {
    degree_rows<T><<<static_cast<unsigned>((nodes + 255) / 256), 256, 0, stream>>>(offsets, nodes, weights);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                           \
  template std::size_t long_row_scratch<T>(const PassProblem<T>&, Pass);   \
  template void run_pass<T>(const PassProblem<T>&, Pass, cudaStream_t);    \
  template void compute_gates<T>(const PassProblem<T>&, T*, cudaStream_t); \
  template void degree_weights<T>(const std::int64_t*, std::int64_t, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
