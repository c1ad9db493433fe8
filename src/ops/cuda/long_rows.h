// Rows of very many edges (hubs), and how they are cut up for the passes of aggregate.h: what the host hands to the
// kernels. Plain pointers, no libtorch; all pointers are device memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// One piece of a long row, and where that row's edges are.
struct LongPiece {
  std::int64_t begin, end;
  std::int32_t row;            ///< -1: none
  std::int32_t number, first;  ///< among the row's pieces; the place of the row's first one in the list
};

/// Long rows (hubs): those of more than `longest` edges are summed by blocks of their own, in pieces of twice as many
/// edges; whichever block finishes a row's last piece adds all of them in order.
struct LongRows {
  int longest = 0;              ///< edges of a row that is not cut; 0: none is
  LongPiece* pieces = nullptr;  ///< [long_row_places()], by find_long_rows()
  int* used = nullptr;          ///< [1], how many of them; likewise
  int* counts = nullptr;        ///< [long_row_places()], 0 before and after the pass; not for two at the same time
  void* sums = nullptr;         ///< long_row_sums() bytes, for the pass
};

/// What LongRows::longest should be.
int longest_uncut_row(std::int64_t rows, std::int64_t edges);
std::int64_t long_row_places(std::int64_t edges, int longest);
/// Up to so many rows, pieces are listed without gaps.
inline constexpr std::int64_t kFewListedRows = 32 * 1024;

/// A list of edges whose long rows are wanted, and where the result goes.
struct LongRowSearch {
  std::int64_t rows = 0, edges = 0;
  const std::int64_t* offsets = nullptr;
  int longest = 0;
  LongPiece* pieces = nullptr;
  int* used = nullptr;
  int* counts = nullptr;  ///< [count_sets, long_row_places()]; those in use are set to 0
  int count_sets = 1;
};

/// Of up to two lists, in one launch; one without pieces is left out.
void find_long_rows(const LongRowSearch& first, const LongRowSearch& second, cudaStream_t stream);

/// Nodes whose weights are wanted: degree, at least 1, to the power -1/2.
template <class T>
struct NodeDegrees {
  std::int64_t nodes = 0;
  const std::int64_t* offsets = nullptr;
  T* weights = nullptr;
};

/// Weighs nodes, and find_long_rows() in the same launch.
template <class T>
void prepare_rows(const NodeDegrees<T>& degrees, const LongRowSearch& first, const LongRowSearch& second,
                  cudaStream_t stream);

}  // namespace factorgcn::cuda
