// The discriminator's loss over graphs, and its gradient at once.
//
// A block takes every judge_blocks()th graph and keeps one graph's K vectors in shared memory. Its sums of the weights'
// gradient are its own; all are added in order later. Graphs are few and their vectors short: what counts here is that
// it is one launch.
#include "gpu/cuda/launch.cuh"
#include "ops/cuda/device_math.cuh"
#include "ops/cuda/instructions.cuh"
#include "ops/cuda/judge_graphs.h"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kMostBlocks = 128;
constexpr std::size_t kSharedBytes = 48 * 1024;

/// A block's shared memory: what a graph's K vectors r, their scores and the weights take.
template <class T>
struct Layout {
  double* losses;  // [K]
  T* r;            // [K, width]; before, the threads' sums of parts
  T* weight;       // [K, width]
  T* bias;         // [K]
  T* scores;       // [K, K]
  T* grad_scores;  // [K, K]
  T* weight_sums;  // [K, width + 1], the weights' gradient; the last column is the bias's

  __device__ Layout(unsigned char* shared, int factors, int width) {
    losses = reinterpret_cast<double*>(shared);
    r = reinterpret_cast<T*>(losses + factors);
    weight = r + most_sums(factors * width);
    bias = weight + factors * width;
    scores = bias + factors;
    grad_scores = scores + factors * factors;
    weight_sums = grad_scores + factors * factors;
  }

  static __host__ __device__ int most_sums(int values) { return values > kThreads ? values : kThreads; }

  static std::size_t bytes(int factors, int width) {
    const std::size_t k = factors, values = k * width;
    return k * sizeof(double) + (most_sums(factors * width) + 2 * (values + k + k * k)) * sizeof(T);
  }
};

/// r[i] = sum of a graph's parts of value i. Where values are few and parts are not, several threads share one: each
/// adds every `sharers`th part, then one of them adds their sums.
template <class T>
__device__ __forceinline__ void add_parts(const T* parts, int count, int values, T* r) {
  constexpr int kTogether = 16;
  const int thread = threadIdx.x, most = values < kThreads ? kThreads / values : 1,
            sharers = most < count ? most : count;
  for (int i = thread; i < sharers * values; i += kThreads) {
    const int value = i % values;
    T sum = 0;
    for (int first = i / values; first < count; first += kTogether * sharers) {
      T part[kTogether];
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {  // all are asked for before one is used
        part[k] = first + k * sharers < count ? parts[std::int64_t(first + k * sharers) * values + value] : T(0);
      }
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        sum += part[k];
      }
    }
    r[i] = sum;
  }
  if (sharers > 1) {
    __syncthreads();
    if (thread < values) {
      T sum = 0;
      for (int sharer = 0; sharer < sharers; ++sharer) {
        sum += r[sharer * values + thread];
      }
      r[thread] = sum;
    }
  }
}

/// scores[k][c] = bias[c] + <r[k], weight[c]>, eight threads each.
template <class T>
__device__ __forceinline__ void score(const Layout<T>& at, int factors, int width) {
  constexpr int kSharers = 8;
  for (int first = 0; first < factors * factors; first += kThreads / kSharers) {
    const int i = first + threadIdx.x / kSharers, k = i / factors, c = i - k * factors;
    const bool inside = i < factors * factors;
    T sum = 0;
    for (int j = threadIdx.x % kSharers; inside && j < width; j += kSharers) {
      sum += at.r[k * width + j] * at.weight[c * width + j];
    }
#pragma unroll
    for (int step = kSharers / 2; step > 0; step /= 2) {
      sum += __shfl_xor_sync(~0u, sum, step);
    }
    if (inside && threadIdx.x % kSharers == 0) {
      at.scores[i] = sum + at.bias[c];
    }
  }
}

template <class T>
__global__ void __launch_bounds__(kThreads) judge(JudgeGraphs<T> p) {
  wait_for_previous();
  const int factors = p.factors, width = p.width, values = factors * width, stride = width + 1;
  const Layout<T> at(dynamic_shared<unsigned char>(), factors, width);
  for (int i = threadIdx.x; i < values; i += kThreads) {
    start_copy(at.weight + i, p.weight + i);
  }
  for (int i = threadIdx.x; i < factors; i += kThreads) {
    start_copy(at.bias + i, p.bias + i);
  }
  for (int i = threadIdx.x; i < factors * stride; i += kThreads) {
    at.weight_sums[i] = 0;
  }
  const std::int64_t real = p.real_graphs != nullptr ? *p.real_graphs : p.graphs;
  const T share = T(1) / (T(real) * T(factors));
  double loss = 0;  // of the block, in its last thread
  for (std::int64_t graph = blockIdx.x; graph < p.graphs; graph += gridDim.x) {
    if (graph >= real) {  // padding
      for (int i = threadIdx.x; p.grad_means != nullptr && i < values; i += kThreads) {
        p.grad_means[graph * values + i] = 0;
      }
      continue;
    }
    __syncthreads();
    const std::int64_t nodes = p.graph_offsets[graph + 1] - p.graph_offsets[graph];
    add_parts(p.sums + graph * p.parts * values, static_cast<int>(p.parts), values, at.r);
    const T per_node = nodes > 0 ? T(1) / T(nodes) : T(1);
    for (int i = threadIdx.x; i < values; i += kThreads) {
      at.r[i] = tanh_of(at.r[i] * per_node);
    }
    wait_for_copies();
    __syncthreads();
    score(at, factors, width);
    __syncthreads();
    for (int i = threadIdx.x; i < factors * factors; i += kThreads) {
      const int k = i / factors, c = i - k * factors;
      const T* row = at.scores + k * factors;
      T largest = row[0], total = 0;
      for (int other = 1; other < factors; ++other) {
        largest = row[other] > largest ? row[other] : largest;
      }
      for (int other = 0; other < factors; ++other) {
        total += exp(row[other] - largest);
      }
      at.grad_scores[i] = (exp(row[c] - largest) / total - (c == k ? T(1) : T(0))) * share;
      if (c == k) {
        at.losses[k] = double(log(total)) + double(largest) - double(row[k]);
      }
    }
    __syncthreads();
    if (threadIdx.x == kThreads - 1) {
      for (int k = 0; k < factors; ++k) {
        loss += at.losses[k];
      }
    }
    if (p.grad_means == nullptr) {
      continue;
    }
    for (int i = threadIdx.x; i < factors * stride + values; i += kThreads) {
      T sum = 0;
      if (i < factors * stride) {
        const int c = i / stride, j = i - c * stride;
        for (int k = 0; k < factors; ++k) {
          sum += at.grad_scores[k * factors + c] * (j < width ? at.r[k * width + j] : T(1));
        }
        at.weight_sums[i] += sum;
      } else {
        const int value = i - factors * stride, k = value / width, j = value - k * width;
        for (int c = 0; c < factors; ++c) {
          sum += at.grad_scores[k * factors + c] * at.weight[c * width + j];
        }
        p.grad_means[graph * values + value] = sum * (1 - at.r[value] * at.r[value]);
      }
    }
  }
  wait_for_copies();  // for blocks whose graphs are all padding
  if (threadIdx.x == kThreads - 1) {
    if (gridDim.x == 1) {
      *p.loss = T(loss / (double(real) * factors));
    } else {
      p.losses[blockIdx.x] = loss;
    }
  }
  if (p.grad_means != nullptr) {
    for (int i = threadIdx.x; i < factors * stride; i += kThreads) {  // each thread's own sums
      p.partials[std::int64_t(blockIdx.x) * factors * stride + i] = at.weight_sums[i];
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
  return Layout<T>::bytes(factors, width) <= kSharedBytes;
}

template <class T>
void judge_graphs(const JudgeGraphs<T>& problem, cudaStream_t stream) {
  const int blocks = judge_blocks(problem.graphs);
  const std::size_t shared = Layout<T>::bytes(problem.factors, problem.width);
  launch(judge<T>, blocks, kThreads, shared, stream, problem);
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
