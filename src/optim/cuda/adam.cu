// Adam over flat arrays: one thread a value, which also fetches its gradient from the parameter it belongs to.
#include "optim/cuda/adam.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 256;

/// x^n by squaring, as on the CPU.
__device__ double power(double x, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1, x *= x) {
    if ((n & 1) != 0) {
      result *= x;
    }
  }
  return result;
}

/// The gradient of value i, also where it lies in a piece of its own.
template <class T>
__device__ __forceinline__ T gather_gradient(const AdamStep<T>& p, const GradientPieces<T>& pieces, std::int64_t i) {
  if (pieces.count == 0) {
    return p.gradients[i];
  }
  int low = 0, high = pieces.count - 1;  // pieces are in the order of their offsets
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (pieces.at[middle].offset <= i) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const std::int64_t local = i - pieces.at[low].offset;
  if (local < 0 || local >= pieces.at[low].count) {
    return p.gradients[i];
  }
  const T gradient = pieces.at[low].from != nullptr ? pieces.at[low].from[local] : T(0);
  p.gradients[i] = gradient;
  return gradient;
}

template <class T>
__global__ void __launch_bounds__(kThreads) adam_kernel(AdamStep<T> p, GradientPieces<T> pieces) {
  wait_for_previous();
  __shared__ double corrections[2];
  // What is to be read is asked for before the corrections, which take as long as it.
  const std::int64_t i = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
  const bool inside = i < p.count;
  const T value = inside ? p.values[i] : T(0), first = inside ? p.first[i] : T(0), second = inside ? p.second[i] : T(0);
  const T gradient = inside ? gather_gradient(p, pieces, i) : T(0);
  if (threadIdx.x == 0) {
    const std::int64_t steps = *p.steps + 1;
    corrections[0] = *p.rate / (1 - power(p.beta1, steps));
    corrections[1] = sqrt(1 - power(p.beta2, steps));
  }
  __syncthreads();
  const T decay = T(p.weight_decay), beta1 = T(p.beta1), rest1 = T(1 - p.beta1), beta2 = T(p.beta2),
          rest2 = T(1 - p.beta2), eps = T(p.eps), scale = T(corrections[0]), root = T(corrections[1]);
  // All blocks have read the number of steps once the last of them is here: that one counts up.
  if (threadIdx.x == 0) {
    __threadfence();
    if (atomicAdd(p.ended, 1) + 1 == int(gridDim.x)) {
      *p.ended = 0;
      ++*p.steps;
    }
  }
  if (!inside) {
    return;
  }
  const T g = gradient + decay * value;
  const T m = beta1 * first + rest1 * g;
  const T v = beta2 * second + rest2 * g * g;
  p.first[i] = m;
  p.second[i] = v;
  p.values[i] = value - scale * (m / (sqrt(v) / root + eps));
}

}  // namespace

template <class T>
void adam_step(const AdamStep<T>& step, const GradientPieces<T>& pieces, cudaStream_t stream) {
  const auto blocks = static_cast<unsigned>((step.count + kThreads - 1) / kThreads);
  launch(adam_kernel<T>, blocks, kThreads, 0, stream, step, pieces);
}

template void adam_step<float>(const AdamStep<float>&, const GradientPieces<float>&, cudaStream_t);
template void adam_step<double>(const AdamStep<double>&, const GradientPieces<double>&, cudaStream_t);

}  // namespace factorgcn::cuda
