// Lists of long rows' pieces, and nodes' weights, which are as short a look at the same offsets: one launch for both.
#include "ops/cuda/long_rows.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

/// How many pieces a row of `length` edges is cut into; 0: it is not long.
__device__ __forceinline__ std::int64_t pieces_of(std::int64_t length, int longest) {
  return length > longest ? (length + 2 * longest - 1) / (2 * longest) : 0;
}

__device__ __forceinline__ void clear_counts(const LongRowSearch& p, std::int64_t first) {
  for (int set = 0; set < p.count_sets; ++set) {
    p.counts[set * (p.edges / p.longest) + first] = 0;
  }
}

template <class T>
__device__ __forceinline__ void weigh_node(const NodeDegrees<T>& p, std::int64_t node) {
  if (node < p.nodes) {
    const std::int64_t degree = p.offsets[node + 1] - p.offsets[node];
    p.weights[node] = T(1.0 / sqrt(double(degree < 1 ? 1 : degree)));
  }
}

constexpr int kListThreads = 1024;

/// Few rows: one block lists all pieces, one after the other.
__device__ void list_few_rows(const LongRowSearch& p) {
  __shared__ int warp_totals[kListThreads / 32];
  const int share = int((p.rows + kListThreads - 1) / kListThreads), warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const std::int64_t begin = std::int64_t(threadIdx.x) * share;
  const auto pieces_at = [&](std::int64_t row) {
    return row < p.rows ? int(pieces_of(p.offsets[row + 1] - p.offsets[row], p.longest)) : 0;
  };
  int own = 0;
#pragma unroll 4
  for (int i = 0; i < share; ++i) {
    own += pieces_at(begin + i);
  }
  int before = own;  // up to and with this thread's, of its warp
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0u, before, step);
    before += lane >= step ? other : 0;
  }
  if (lane == 31) {
    warp_totals[warp] = before;
  }
  __syncthreads();
  int first = lane < warp ? warp_totals[lane] : 0;
  for (int step = 16; step > 0; step /= 2) {
    first += __shfl_xor_sync(~0u, first, step);
  }
  first += before - own;
  if (threadIdx.x == kListThreads - 1) {
    *p.used = first + own;
  }
  // A row's pieces are written by all of its warp: a hub has hundreds.
  for (int i = 0; i < share; ++i) {
    const int count = pieces_at(begin + i);
    if (count > 0) {
      clear_counts(p, first);
    }
    for (unsigned left = __ballot_sync(~0u, count > 0); left != 0; left &= left - 1) {
      const int from = __ffs(int(left)) - 1;
      const int row_first = __shfl_sync(~0u, first, from), row_count = __shfl_sync(~0u, count, from);
      const std::int64_t row = begin + std::int64_t(from - lane) * share + i;
      const std::int64_t row_begin = p.offsets[row], row_end = p.offsets[row + 1];
      for (int number = lane; number < row_count; number += 32) {
        p.pieces[row_first + number] = {row_begin, row_end, std::int32_t(row), number, row_first};
      }
    }
    first += count;
  }
}

/// Many rows: a thread each. A row that begins at edge b has the places from b / longest on, which are more than it has
/// pieces.
__device__ void list_row(const LongRowSearch& p, std::int64_t row) {
  const std::int64_t begin = p.offsets[row], end = p.offsets[row + 1];
  const std::int64_t first = begin / p.longest, count = pieces_of(end - begin, p.longest);
  for (std::int64_t i = first; i < end / p.longest; ++i) {
    if (i - first < count) {
      p.pieces[i] = {begin, end, std::int32_t(row), std::int32_t(i - first), std::int32_t(first)};
    } else {
      p.pieces[i].row = -1;
    }
  }
  if (count > 0) {
    clear_counts(p, first);
  }
  if (row == 0) {
    *p.used = int(p.edges / p.longest);
  }
}

/// Two blocks list pieces, all others weigh nodes.
template <class T>
__global__ void __launch_bounds__(kListThreads)
    prepare_few_rows(NodeDegrees<T> degrees, const __grid_constant__ LongRowSearch one,
                     const __grid_constant__ LongRowSearch two) {
  wait_for_previous();
  if (blockIdx.x >= 2) {
    weigh_node(degrees, std::int64_t(blockIdx.x - 2) * blockDim.x + threadIdx.x);
    return;
  }
  const LongRowSearch& search = blockIdx.x == 0 ? one : two;
  if (search.pieces != nullptr) {
    list_few_rows(search);
  }
}

template <class T>
__global__ void prepare_many_rows(NodeDegrees<T> degrees, const __grid_constant__ LongRowSearch one,
                                  const __grid_constant__ LongRowSearch two) {
  wait_for_previous();
  const std::int64_t row = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (blockIdx.y == 2) {
    weigh_node(degrees, row);
    return;
  }
  const LongRowSearch& search = blockIdx.y == 0 ? one : two;
  if (search.pieces != nullptr && row < search.rows) {
    list_row(search, row);
  }
}

template <class T>
__global__ void degree_rows(NodeDegrees<T> degrees) {
  wait_for_previous();
  weigh_node(degrees, std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
}

}  // namespace

int longest_uncut_row(std::int64_t rows, std::int64_t edges) {
  // Some times the mean, so that what is ordinary for a graph is not cut; large graphs have other work meanwhile.
  constexpr std::int64_t kLeast = 64, kLeastInLarge = 128, kMost = 256, kLargeGraph = std::int64_t(1) << 22;
  const std::int64_t least = edges > kLargeGraph ? kLeastInLarge : kLeast, wanted = rows > 0 ? 3 * edges / rows : 0;
  return static_cast<int>(wanted < least ? least : (wanted < kMost ? wanted : kMost));
}

std::int64_t long_row_places(std::int64_t edges, int longest) { return edges / longest; }

template <class T>
void prepare_rows(const NodeDegrees<T>& degrees, const LongRowSearch& first, const LongRowSearch& second,
                  cudaStream_t stream) {
  const auto blocks_of = [](std::int64_t rows, int threads) {
    return static_cast<unsigned>((rows + threads - 1) / threads);
  };
  const bool lists = first.pieces != nullptr || second.pieces != nullptr;
  const std::int64_t listed = first.rows > second.rows ? first.rows : second.rows;
  if (!lists) {
    constexpr int kNodes = 256;
    if (degrees.nodes > 0) {
      launch(degree_rows<T>, blocks_of(degrees.nodes, kNodes), kNodes, 0, stream, degrees);
    }
  } else if (listed <= kFewListedRows) {
    launch(prepare_few_rows<T>, 2 + blocks_of(degrees.nodes, kListThreads), kListThreads, 0, stream, degrees, first,
           second);
  } else {
    constexpr int kRows = 128;
    const std::int64_t rows = listed > degrees.nodes ? listed : degrees.nodes;
    launch(prepare_many_rows<T>, dim3(blocks_of(rows, kRows), degrees.nodes > 0 ? 3 : 2), kRows, 0, stream, degrees,
           first, second);
  }
}

void find_long_rows(const LongRowSearch& first, const LongRowSearch& second, cudaStream_t stream) {
  if (first.pieces != nullptr || second.pieces != nullptr) {
    prepare_rows(NodeDegrees<float>{}, first, second, stream);
  }
}

template void prepare_rows<float>(const NodeDegrees<float>&, const LongRowSearch&, const LongRowSearch&, cudaStream_t);
template void prepare_rows<double>(const NodeDegrees<double>&, const LongRowSearch&, const LongRowSearch&,
                                   cudaStream_t);

}  // namespace factorgcn::cuda
