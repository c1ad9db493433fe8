// One round of routing: a warp owns a row and walks its edges in order; its lanes share the columns of each product,
// and what it sums per row lies in the result itself, each lane at its own columns. The capsules' products of an edge
// are kept by the lanes, K of them in turn, so that a softmax needs no memory.
#include "ops/cuda/capsule_route.h"

#include "gpu/cuda/launch.cuh"

namespace factorgcn::cuda {
namespace {

constexpr int kThreads = 128, kWarps = kThreads / 32, kMostCapsules = 64;
constexpr unsigned kAll = 0xffffffffu;

template <class T>
__device__ __forceinline__ T warp_sum(T value) {
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kAll, value, distance);
  }
  return value;
}

template <class T>
__device__ __forceinline__ T warp_dot(const T* a, const T* b, int width, int lane) {
  T sum = 0;
  for (int c = lane; c < width; c += 32) {
    sum += a[c] * b[c];
  }
  return warp_sum(sum);
}

/// Shares of one neighbour, into `shares` (shared memory of the warp); all lanes see them afterwards.
template <class T>
__device__ __forceinline__ void shares_of(const RoutePass<T>& pass, const T* theirs, const T* own, int lane,
                                          T* shares) {
  T most = 0;
  for (int k = 0; k < pass.capsules; ++k) {
    const T dot = warp_dot(theirs + k * pass.width, own + k * pass.width, pass.width, lane);
    most = k == 0 || dot > most ? dot : most;
    if (lane == 0) {
      shares[k] = dot;
    }
  }
  __syncwarp();
  T total = 0;
  for (int k = 0; k < pass.capsules; ++k) {
    total += exp(shares[k] - most);
  }
  __syncwarp();
  for (int k = lane; k < pass.capsules; k += 32) {
    shares[k] = exp(shares[k] - most) / total;
  }
  __syncwarp();
}

struct Place {
  std::int64_t row;
  int lane, warp;
};

__device__ __forceinline__ Place place_of() {
  const int warp = threadIdx.x / 32;
  return {std::int64_t(blockIdx.x) * kWarps + warp, int(threadIdx.x % 32), warp};
}

template <class T>
__global__ void route_rows(RoutePass<T> pass, T* next, T* inverse_length) {
  wait_for_previous();
  __shared__ T buffer[kWarps][kMostCapsules];
  const Place at = place_of();
  if (at.row >= pass.rows) {
    return;
  }
  const int width = pass.width, size = pass.capsules * width;
  T* shares = buffer[at.warp];
  T* result = next + at.row * size;
  for (int c = at.lane; c < size; c += 32) {
    result[c] = pass.x[at.row * size + c];
  }
  for (std::int64_t e = pass.in_offsets[at.row]; e < pass.in_offsets[at.row + 1]; ++e) {
    const T* theirs = pass.x + pass.in_sources[e] * std::int64_t(size);
    shares_of(pass, theirs, pass.u + at.row * size, at.lane, shares);
    for (int c = at.lane; c < size; c += 32) {
      result[c] += shares[c / width] * theirs[c];
    }
    __syncwarp();
  }
  __syncwarp();
  for (int k = 0; k < pass.capsules; ++k) {
    const T inverse =
        pass.unit ? T(1) / sqrt(warp_dot(result + k * width, result + k * width, width, at.lane) + pass.eps) : T(1);
    if (at.lane == 0) {
      inverse_length[at.row * pass.capsules + k] = inverse;
    }
    __syncwarp();
    for (int c = at.lane; c < width; c += 32) {
      result[k * width + c] *= inverse;
    }
  }
}

template <class T>
__global__ void share_rows(RoutePass<T> pass, T* out) {
  wait_for_previous();
  __shared__ T buffer[kWarps][kMostCapsules];
  const Place at = place_of();
  if (at.row >= pass.rows) {
    return;
  }
  const int size = pass.capsules * pass.width;
  for (std::int64_t e = pass.in_offsets[at.row]; e < pass.in_offsets[at.row + 1]; ++e) {
    shares_of(pass, pass.x + pass.in_sources[e] * std::int64_t(size), pass.u + at.row * size, at.lane, buffer[at.warp]);
    for (int k = at.lane; k < pass.capsules; k += 32) {
      out[e * pass.capsules + k] = buffer[at.warp][k];
    }
    __syncwarp();
  }
}

template <class T>
__global__ void backward_targets(RoutePass<T> pass, RouteGradients<T> gradients) {
  wait_for_previous();
  __shared__ T share_buffer[kWarps][kMostCapsules], inner_buffer[kWarps][kMostCapsules];
  const Place at = place_of();
  if (at.row >= pass.rows) {
    return;
  }
  const int width = pass.width, size = pass.capsules * width;
  T* shares = share_buffer[at.warp];
  T* inner = inner_buffer[at.warp];
  T* grad_sum = gradients.grad_sum + at.row * size;
  T* grad_u = gradients.grad_u + at.row * size;
  for (int k = 0; k < pass.capsules; ++k) {
    const std::int64_t first = at.row * size + k * width;
    const T* next = gradients.next + first;
    const T* upstream = gradients.grad_next + first;
    const T along = pass.unit ? warp_dot(next, upstream, width, at.lane) : T(0);
    const T inverse = gradients.inverse_length[at.row * pass.capsules + k];
    for (int c = at.lane; c < width; c += 32) {
      grad_sum[k * width + c] = (upstream[c] - next[c] * along) * inverse;
    }
  }
  for (int c = at.lane; c < size; c += 32) {
    grad_u[c] = 0;
  }
  __syncwarp();
  for (std::int64_t e = pass.in_offsets[at.row]; e < pass.in_offsets[at.row + 1]; ++e) {
    const T* theirs = pass.x + pass.in_sources[e] * std::int64_t(size);
    shares_of(pass, theirs, pass.u + at.row * size, at.lane, shares);
    T mean = 0;
    for (int k = 0; k < pass.capsules; ++k) {
      const T dot = warp_dot(theirs + k * width, grad_sum + k * width, width, at.lane);
      mean += shares[k] * dot;
      if (at.lane == 0) {
        inner[k] = dot;
      }
    }
    __syncwarp();
    const std::int64_t place = pass.in_to_out[e] * pass.capsules;
    for (int k = at.lane; k < pass.capsules; k += 32) {
      inner[k] = shares[k] * (inner[k] - mean);
      gradients.shares[place + k] = shares[k];
      gradients.grad_logits[place + k] = inner[k];
    }
    __syncwarp();
    for (int c = at.lane; c < size; c += 32) {
      grad_u[c] += inner[c / width] * theirs[c];
    }
    __syncwarp();
  }
}

template <class T>
__global__ void backward_sources(RoutePass<T> pass, RouteGradients<T> gradients) {
  wait_for_previous();
  const int size = pass.capsules * pass.width;
  const std::int64_t index = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x, row = index / size;
  if (row >= pass.rows) {
    return;
  }
  const int column = int(index - row * size), k = column / pass.width;
  T sum = gradients.grad_sum[index];
  for (std::int64_t e = pass.out_offsets[row]; e < pass.out_offsets[row + 1]; ++e) {
    const std::int64_t target = pass.out_targets[e] * std::int64_t(size) + column, edge = e * pass.capsules + k;
    sum += gradients.shares[edge] * gradients.grad_sum[target] + gradients.grad_logits[edge] * pass.u[target];
  }
  gradients.grad_x[index] = sum;
}

template <class T>
unsigned warp_blocks(const RoutePass<T>& pass) {
  return static_cast<unsigned>((pass.rows + kWarps - 1) / kWarps);
}

}  // namespace

template <class T>
void route(const RoutePass<T>& pass, T* next, T* inverse_length, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(route_rows<T>, warp_blocks(pass), kThreads, 0, stream, pass, next, inverse_length);
  }
}

template <class T>
void route_shares(const RoutePass<T>& pass, T* shares, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(share_rows<T>, warp_blocks(pass), kThreads, 0, stream, pass, shares);
  }
}

template <class T>
void route_backward(const RoutePass<T>& pass, const RouteGradients<T>& gradients, cudaStream_t stream) {
  if (pass.rows > 0) {
    launch(backward_targets<T>, warp_blocks(pass), kThreads, 0, stream, pass, gradients);
    const std::int64_t items = pass.rows * pass.capsules * pass.width;
    launch(backward_sources<T>, static_cast<unsigned>((items + 255) / 256), 256, 0, stream, pass, gradients);
  }
}

#define FACTORGCN_INSTANTIATE(T)                                        \
  template void route<T>(const RoutePass<T>&, T*, T*, cudaStream_t);    \
  template void route_shares<T>(const RoutePass<T>&, T*, cudaStream_t); \
  template void route_backward<T>(const RoutePass<T>&, const RouteGradients<T>&, cudaStream_t);
FACTORGCN_INSTANTIATE(float)
FACTORGCN_INSTANTIATE(double)
#undef FACTORGCN_INSTANTIATE

}  // namespace factorgcn::cuda
