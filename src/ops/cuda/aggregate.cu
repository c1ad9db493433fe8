// Gated sums over edges: one kernel for the forward pass and both backward passes, and how it is started.
//
// What a thread does is in pass_edges.cuh and pass_row_ends.cuh. A forward pass that will be followed by a backward
// pass sums its messages a second time, with the gates' slopes (kSloped): the gradient of the targets' gates is then a
// dot product of two rows, and a whole pass over the edges is saved for [N, K, d] values of memory.
//
// Long rows (hubs) have blocks of their own, which come first: see pass_pieces.cuh.
#include "ops/cuda/aggregate.h"

#include <utility>

#include "gpu/cuda/launch.cuh"
#include "ops/cuda/pass_pieces.cuh"

namespace factorgcn::cuda {
namespace {

using namespace edge_pass;

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
  const int lanes = layout.row_threads;
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
  const int group = layout.by_row_threads(int(threadIdx.x)), lane = int(threadIdx.x) - group * lanes;
  const int r = kSliced ? layout.by_slices(group) : group, slice = group - r * row_slices;
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
        sum_edges<T, V, kPass>(problem, layout, place, row, begin, end, sums);
        const int of = r * layout.lanes + vector;
        finish_vector<T, V, kPass>(problem, place, row, sums, at.dots + of, at.target_dots + of, at.parts + of * V);
      }
    }
  } else {
    const Place place = place_of<V, true>(layout, problem.factors, lane);  // a row's vectors fit its threads here
    Sums<T, V> sums{};
    if (mine) {
      const int length = int(end - begin), share = layout.by_slices(length + row_slices - 1);
      const int from = slice * share < length ? slice * share : length;
      const int to = from + share < length ? from + share : length;
      sum_edges<T, V, kPass>(problem, layout, place, row, begin + from, begin + to, sums);
      if (slice > 0) {
        slices[group * lanes + lane] = sums;
      }
    }
    __syncthreads();
    if (mine && slice == 0) {
#pragma unroll 1
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

/// __grid_constant__, here and below: arrays in the arguments that are indexed at run time are read where they lie.
/// Without it each thread first writes a copy of them to memory of its own.
template <class T, int V, Pass kPass, Sharing kSharing>
__global__ void __launch_bounds__(kThreads, (kBlocksWanted<T, V>))
    pass_rows(const __grid_constant__ PassProblem<T> problem, const __grid_constant__ Layout layout, int piece_blocks) {
  pass_block<T, V, kPass, kSharing, false>(problem, layout, piece_blocks);
}

/// One table, with registers for four blocks on a multiprocessor: slices_for() counts on as many threads at a time.
template <class T, int V, Pass kPass, Sharing kSharing>
__global__ void __launch_bounds__(kThreads, 4) pass_slices(const __grid_constant__ PassProblem<T> problem,
                                                           const __grid_constant__ Layout layout, int piece_blocks) {
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
  const Gate<T> gate_of(problem.gate_scale);
  const std::int64_t begin = problem.offsets[row] * factors, end = problem.offsets[row + 1] * factors;
  for (std::int64_t i = begin + threadIdx.x % 32; i < end; i += 32) {
    const int k = int(i % factors);
    const std::int64_t n = problem.neighbours[i / factors];
    gates[i] =
        gate_of(problem.own_gate[row * problem.gate_stride + k] + problem.their_gate[n * problem.gate_stride + k]);
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
  if (edges >= (std::int64_t(1) << 31) / kMostSlices) {
    return 1;  // a row's length could be more than its Divisor is for; long rows are cut anyway
  }
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
    layout.by_vectors[t] = Divisor(layout.vectors[t]);
    layout.by_widths[t] = Divisor(problem.tables[t].width);
  }
  layout.slices =
      problem.may_slice && problem.num_tables == 1 ? slices_for(problem.rows, problem.edges, layout.lanes) : 1;
  const int threads = layout.lanes * layout.slices;
  layout.rows = threads < kThreads ? kThreads / threads : 1;
  layout.row_threads = layout.lanes < kThreads ? layout.lanes : kThreads;
  layout.by_row_threads = Divisor(layout.row_threads);
  layout.by_slices = Divisor(layout.slices);
  layout.by_groups = Divisor(layout.rows * layout.slices);
  layout.by_factors = Divisor(problem.factors);
  if (problem.row_map.out > 0) {
    layout.by_mapped = Divisor(problem.row_map.out);
    layout.by_row_mapped = Divisor(problem.factors * problem.row_map.out);
  }
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
  Layout layout = layout_of(problem, V);
  for (int t = 0; t < problem.num_tables; ++t) {
    const bool own_columns = kPass == Pass::kSources || problem.tables[t].each;
    layout.row_bytes[t] = (own_columns ? problem.factors : 1) * problem.tables[t].width * int(sizeof(T));
  }
  layout.gate_bytes = int(problem.gate_stride) * int(sizeof(T));
  layout.extra_bytes = problem.factors * int(sizeof(T));
  const int threads = (layout.rows * layout.slices * layout.row_threads + 31) / 32 * 32;
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
