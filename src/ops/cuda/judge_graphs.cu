// The discriminator's loss over graphs, and its gradient at once.
//
// A block takes every judge_blocks()th graph and keeps one graph's K vectors in shared memory. Its sums of the weights'
// gradient are its own; all are added in order later. Graphs are few and their vectors short: what counts here is that
// it is one launch.
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/judge_graphs.h"
#include "ops/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 128;
constexpr std::size_t kSharedBytes = 48 * 1024;

/// r and its gradient [K, width], scores and their gradient [K, K], the weights' gradient [K, width + 1], losses [K].
template <class T>
std::size_t shared_bytes(int factors, int width) {
  return (std::size_t(factors) * width + std::size_t(factors) * factors + std::size_t(factors) * (width + 1)) *
             sizeof(T) +
         (std::size_t(factors) + 1) * sizeof(double);
}

template <class T>
__global__ void __launch_bounds__(kThreads) judge(JudgeGraphs<T> p) {
  auto* shared = dynamic_shared<unsigned char>();
  wait_for_previous();
  const int factors = p.factors, width = p.width, values = factors * width, stride = width + 1;
  auto* losses = reinterpret_cast<double*>(shared);  // [K], and the block's sum
  T* r = reinterpret_cast<T*>(losses + factors + 1);
  T* scores = r + values;
  T* weight_sums = scores + factors * factors;
  const std::int64_t real = p.real_graphs != nullptr ? *p.real_graphs : p.graphs;
  const T share = T(1 / (double(real) * factors));
  for (int i = threadIdx.x; i < factors * stride; i += kThreads) {
    weight_sums[i] = 0;
  }
  if (threadIdx.x == 0) {
    losses[factors] = 0;
  }
  for (std::int64_t graph = blockIdx.x; graph < p.graphs; graph += gridDim.x) {
    if (graph >= real) {  // padding
      for (int i = threadIdx.x; p.grad_means != nullptr && i < values; i += kThreads) {
        p.grad_means[graph * values + i] = 0;
      }
      continue;
    }
    __syncthreads();
    const std::int64_t count = p.graph_offsets[graph + 1] - p.graph_offsets[graph];
    for (int i = threadIdx.x; i < values; i += kThreads) {
      const T* from = p.sums + graph * p.parts * values + i;
      T sum = 0;
#pragma unroll 8
      for (std::int64_t part = 0; part < p.parts; ++part) {
        sum += from[part * values];
      }
      r[i] = tanh_of(count > 0 ? sum * (T(1) / T(count)) : sum);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < factors * factors; i += kThreads) {
      const int k = i / factors, c = i - k * factors;
      T score = p.bias[c];
      for (int j = 0; j < width; ++j) {
        score += r[k * width + j] * p.weight[c * width + j];
      }
      scores[i] = score;
    }
    __syncthreads();
    for (int k = threadIdx.x; k < factors; k += kThreads) {
      T* mine = scores + k * factors;
      T largest = mine[0];
      for (int c = 1; c < factors; ++c) {
        largest = mine[c] > largest ? mine[c] : largest;
      }
      T total = 0;
      for (int c = 0; c < factors; ++c) {
        total += exp(mine[c] - largest);
      }
      losses[k] = double(log(total)) + double(largest) - double(mine[k]);
      const T scale = share / total;
      for (int c = 0; c < factors; ++c) {
        mine[c] = exp(mine[c] - largest) * scale - (c == k ? share : T(0));
      }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      for (int k = 0; k < factors; ++k) {
        losses[factors] += losses[k];
      }
    }
    if (p.grad_means == nullptr) {
      continue;
    }
    for (int i = threadIdx.x; i < factors * stride; i += kThreads) {
      const int c = i / stride, j = i - c * stride;
      T sum = weight_sums[i];
      for (int k = 0; k < factors; ++k) {
        sum += scores[k * factors + c] * (j < width ? r[k * width + j] : T(1));
      }
      weight_sums[i] = sum;
    }
    for (int i = threadIdx.x; i < values; i += kThreads) {
      const int k = i / width, j = i - k * width;
      T sum = 0;
      for (int c = 0; c < factors; ++c) {
        sum += scores[k * factors + c] * p.weight[c * width + j];
      }
      p.grad_means[graph * values + i] = sum * (1 - r[i] * r[i]);
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    if (gridDim.x == 1) {
      *p.loss = T(losses[factors] / (double(real) * factors));
    } else {
      p.losses[blockIdx.x] = losses[factors];
    }
  }
  if (p.grad_means != nullptr) {
    for (int i = threadIdx.x; i < factors * stride; i += kThreads) {
      p.partials[std::int64_t(blockIdx.x) * factors * stride + i] = weight_sums[i];
    }
  }
}

template <class T>
__global__ void add_losses(JudgeGraphs<T> p, int blocks) {
  wait_for_previous();
  double total = 0;
  for (int i = threadIdx.x; i < blocks; i += 32) {
    total += p.losses[i];
  }
  for (int step = 16; step > 0; step /= 2) {
    total += __shfl_down_sync(~0u, total, step);
  }
  if (threadIdx.x == 0) {
    const std::int64_t real = p.real_graphs != nullptr ? *p.real_graphs : p.graphs;
    *p.loss = T(total / (double(real) * p.factors));
  }
}

}  // namespace

int judge_blocks(std::int64_t graphs) { return static_cast<int>(graphs < kMostBlocks ? graphs : kMostBlocks); }

template <class T>
bool judge_fits(int factors, int width) {
  return shared_bytes<T>(factors, width) <= kSharedBytes;
}

template <class T>
void judge_graphs(const JudgeGraphs<T>& problem, cudaStream_t stream) {
  const int blocks = judge_blocks(problem.graphs);
  launch(judge<T>, blocks, kThreads, shared_bytes<T>(problem.factors, problem.width), stream, problem);
  if (blocks > 1) {
    launch(add_losses<T>, 1, 32, 0, stream, problem, blocks);
  }
}

#define FACTORGCN_INSTANTIATE(T)         \
  template bool judge_fits<T>(int, int); \
  template void judge_graphs<T>(const JudgeGraphs<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
