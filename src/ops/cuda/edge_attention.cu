// Attention over in-edges: a thread owns one head of one row and walks the row's edges in order.
#include "ops/cuda/edge_attention.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 128;

template <class T>
__device__ __forceinline__ T leaky(T x, T slope) {
  return x > 0 ? x : x * slope;
}

template <class T>
__global__ void attention_rows(AttentionPass<T> pass, T* alpha) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.heads;
  if (row >= pass.rows) {
    return;
  }
  const int head = int(index - row * pass.heads);
  const std::int64_t begin = pass.in_offsets[row], end = pass.in_offsets[row + 1];
  const T own = pass.right[index];
  T most = 0, total = 0;
  for (std::int64_t e = begin; e < end; ++e) {
    const T score = leaky(own + pass.left[pass.in_sources[e] * pass.heads + head], pass.slope);
    if (e == begin || score > most) {
      total = e == begin ? T(1) : total * exp(most - score) + 1;
      most = score;
    } else {
      total += exp(score - most);
    }
  }
  const T share = T(1) / total;
  for (std::int64_t e = begin; e < end; ++e) {
    const T score = leaky(own + pass.left[pass.in_sources[e] * pass.heads + head], pass.slope);
    alpha[e * pass.heads + head] = exp(score - most) * share;
  }
}

template <class T>
__global__ void backward_targets(AttentionPass<T> pass, const T* grad_alpha, const T* alpha, T* grad_logits,
                                 T* grad_right) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.heads;
  if (row >= pass.rows) {
    return;
  }
  const int head = int(index - row * pass.heads);
  const std::int64_t begin = pass.in_offsets[row], end = pass.in_offsets[row + 1];
  const T own = pass.right[index];
  T inner = 0, sum = 0;
  for (std::int64_t e = begin; e < end; ++e) {
    inner += alpha[e * pass.heads + head] * grad_alpha[e * pass.heads + head];
  }
  for (std::int64_t e = begin; e < end; ++e) {
    const std::int64_t at = e * pass.heads + head;
    const T logit = own + pass.left[pass.in_sources[e] * pass.heads + head];
    const T gradient = alpha[at] * (grad_alpha[at] - inner) * (logit > 0 ? T(1) : pass.slope);
    grad_logits[pass.in_to_out[e] * pass.heads + head] = gradient;
    sum += gradient;
  }
  grad_right[index] = sum;
}

template <class T>
__global__ void backward_sources(AttentionPass<T> pass, const T* grad_logits, T* grad_left) {
  wait_for_previous();
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / pass.heads;
  if (row >= pass.rows) {
    return;
  }
  const int head = int(index - row * pass.heads);
  T sum = 0;
  for (std::int64_t e = pass.out_offsets[row]; e < pass.out_offsets[row + 1]; ++e) {
    sum += grad_logits[e * pass.heads + head];
  }
  grad_left[index] = sum;
}

template <class T>
unsigned blocks_of(const AttentionPass<T>& pass) {
  return static_cast<unsigned>((pass.rows * pass.heads + kThreads - 1) / kThreads);
}

}  // namespace

template <class T>
void attention(const AttentionPass<T>& pass, T* alpha, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(attention_rows<T>, blocks_of(pass), kThreads, 0, stream, pass, alpha);
  }
}

template <class T>
void attention_backward(const AttentionPass<T>& pass, const T* grad_alpha, const T* alpha, T* grad_logits, T* grad_left,
                        T* grad_right, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(backward_targets<T>, blocks_of(pass), kThreads, 0, stream, pass, grad_alpha, alpha, grad_logits, grad_right);
    launch(backward_sources<T>, blocks_of(pass), kThreads, 0, stream, pass, grad_logits, grad_left);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                         \
  template void attention<T>(const AttentionPass<T>&, T*, cudaStream_t); \
  template void attention_backward<T>(const AttentionPass<T>&, const T*, const T*, T*, T*, T*, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
