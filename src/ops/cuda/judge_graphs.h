// The discriminator's last step: from the sums of its node vectors to its loss and gradient. Plain pointers, no
// libtorch.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace factorgcn::cuda {

/// r = tanh(mean over a graph's nodes), scores = C r + c for each factor, the loss being the cross entropy of the
/// scores against the factors' own numbers, averaged over graphs and factors.
template <class T>
struct JudgeGraphs {
  std::int64_t graphs = 0;
  const std::int64_t* graph_offsets = nullptr;
  const std::int64_t* real_graphs = nullptr;  ///< graphs from there on are padding; null: none are
  int factors = 0, width = 0;
  std::int64_t parts = 1;
  const T* sums = nullptr;    ///< [graphs, parts, K, width]: sums over the nodes, in parts
  const T* weight = nullptr;  ///< C, [K, width]
  const T* bias = nullptr;    ///< c, [K]
  double* losses = nullptr;   ///< scratch, one per block
  T* loss = nullptr;
  T* grad_means = nullptr;  ///< [graphs, K, width] or null: no gradient is wanted
  T* partials = nullptr;    ///< judge_blocks() times [K, width + 1], the last column being the bias's gradient
};

int judge_blocks(std::int64_t graphs);

/// Whether a block's shared memory holds a graph's values.
template <class T>
bool judge_fits(int factors, int width);

template <class T>
void judge_graphs(const JudgeGraphs<T>& problem, cudaStream_t stream);

}  // namespace factorgcn::cuda
