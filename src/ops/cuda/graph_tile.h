// A layer and its discriminator on batches of small graphs: what the host hands to the kernels. Plain pointers, no
// libtorch.
//
// A block takes whole graphs, one after the other, and keeps everything of a graph in shared memory: what lies between
// the layer's input and its output never reaches device memory. Which block takes which graph follows from the sizes
// alone, and each block's sums of weight gradients are added in order: the same bits on every run.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// The batch; see graph/graph_batch.h and ops/factor_aggregate.h. Null weights stand for ones.
template <class T>
struct TileGraphs {
  std::int64_t graphs = 0, nodes = 0, edges = 0;
  int factors = 0;
  T gate_scale = 1;
  const std::int64_t *graph_offsets = nullptr, *in_offsets = nullptr, *out_offsets = nullptr;
  const std::int32_t *in_sources = nullptr, *out_targets = nullptr;
  const T *source_weight = nullptr, *target_weight = nullptr;
  const std::int64_t* real_graphs = nullptr;  ///< graphs from *real_graphs on do not count for the loss; null: all do
};

/// How the work is cut: blocks, what of a graph fits shared memory, and the scratch for graphs that do not.
struct TilePlan {
  int blocks = 0;
  int most_rows = 0, most_edges = 0;
  int row_values = 0, edge_values = 0;  ///< values kept per node and per edge
  int fixed_values = 0;                 ///< values kept per block
  std::size_t shared = 0;               ///< bytes
  std::size_t scratch = 0;              ///< bytes of device memory
  std::int64_t partials = 0;            ///< values of partial sums
  bool fits = false;                    ///< false: shared memory is too small for these widths
};

/// h = W x + b; gates = U h + a; out[i,k,:] = gated sums of h (nn/disentangle_layer.h).
template <class T>
struct LayerTiles {
  TileGraphs<T> graphs;
  int in = 0, width = 0;
  const T* x = nullptr;                                   ///< [N, in]
  const T *weight = nullptr, *bias = nullptr;             ///< [width, in], [width]
  const T *gate_weight = nullptr, *gate_bias = nullptr;   ///< [2K, width], [2K]
  T *hidden = nullptr, *gates = nullptr, *out = nullptr;  ///< [N, width], [N, 2K], [N, K, width]
  // Backward. What the discriminator sends back is added, times *other_scale, where there is one.
  const T* grad_out = nullptr;
  const T *other_hidden = nullptr, *other_gates = nullptr, *other_scale = nullptr;
  T* grad_x = nullptr;  ///< or null
  T* partials = nullptr;
  void* scratch = nullptr;
};

/// The published discriminator's loss and gradient (ops/discriminator_weights.h) from h and the gates.
template <class T>
struct DiscriminatorTiles {
  TileGraphs<T> graphs;
  int width = 0, narrow = 0;
  const T *hidden = nullptr, *gates = nullptr;
  const T *first_weight = nullptr, *first_bias = nullptr, *second_weight = nullptr, *second_bias = nullptr,
          *classifier_weight = nullptr, *classifier_bias = nullptr;
  T *grad_hidden = nullptr, *grad_gates = nullptr;
  double* losses = nullptr;  ///< [graphs], each divided by real graphs * factors
  T* partials = nullptr;
  void* scratch = nullptr;
};

/// One map's gradient: [rows, columns + 1] partial sums at `offset` of each block's, the last column being the bias.
template <class T>
struct MapGradient {
  std::int64_t offset = 0;
  int rows = 0, columns = 0;
  T *weight = nullptr, *bias = nullptr;  ///< the bias, or null
};

/// What blocks have summed of some maps' gradients: to be added in order, times *scale where there is one. Each of
/// `shares` threads adds up every so-many-th block's sum, then those are added.
inline constexpr int kMostShares = 32;
template <class T>
struct PartialSums {
  const T* partials = nullptr;
  int blocks = 0, shares = kMostShares;
  std::int64_t stride = 0;  ///< values of one block
  const T* scale = nullptr;
  int count = 0;
  MapGradient<T> maps[3];
};

template <class T>
TilePlan plan_layer_forward(const LayerTiles<T>& problem);
template <class T>
TilePlan plan_layer_backward(const LayerTiles<T>& problem);
template <class T>
TilePlan plan_discriminator(const DiscriminatorTiles<T>& problem);

template <class T>
void run_layer_forward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream);
template <class T>
void run_layer_backward(const LayerTiles<T>& problem, const TilePlan& plan, cudaStream_t stream);
template <class T>
void run_discriminator(const DiscriminatorTiles<T>& problem, const TilePlan& plan, T* loss, cudaStream_t stream);

/// Up to kMostPartialSums sets of one operation.
inline constexpr int kMostPartialSums = 5;
template <class T>
struct PartialSumSets {
  int count = 0;
  PartialSums<T> at[kMostPartialSums];
};
/// Any number of sets; up to kMostSetsAtOnce in one launch. Sets without values are skipped.
inline constexpr int kMostSetsAtOnce = 29;
template <class T>
void add_partial_sums(const PartialSums<T>* sets, int count, cudaStream_t stream);
template <class T>
void add_partial_sums(const PartialSumSets<T>& sets, cudaStream_t stream) {
  add_partial_sums(sets.at, sets.count, stream);
}

}  // namespace factorgcn::cuda
