// A linear map whose weights are packed for both directions, and sums of its gradients over blocks of tiles.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "factorgcn/base/parallel.h"
#include "ops/cpu/dispatch.h"

namespace factorgcn::cpu {

template <class T>
struct PackedMap {
  std::int64_t in = 0, out = 0;
  const T* bias = nullptr;
  std::vector<T> forward, backward;
  std::int64_t partial_begin = 0;  // where its sums begin among those of a block; see PartialSums

  /// Both tensors are contiguous, and outlive the map.
  PackedMap(const at::Tensor& weight, const at::Tensor& given_bias)
      : in(weight.size(1)), out(weight.size(0)), bias(given_bias.data_ptr<T>()) {
    const auto& kernel = kernels().of<T>();
    const T* values = weight.data_ptr<T>();
    forward.resize(static_cast<std::size_t>(kernel.panels_size(in, out)));
    kernel.pack_panels(values, 1, in, in, out, forward.data());
    backward.resize(static_cast<std::size_t>(kernel.panels_size(out, in)));
    kernel.pack_panels(values, in, 1, out, in, backward.data());
  }

  DenseProblem<T> problem() const {
    DenseProblem<T> p;
    p.in = in;
    p.out = out;
    p.bias = bias;
    p.forward_panels = forward.data();
    p.backward_panels = backward.data();
    return p;
  }

  std::int64_t weight_size() const { return out * kernels().of<T>().partial_stride(in); }
  std::int64_t partial_size() const { return (weight_size() + out + 15) / 16 * 16; }

  /// Gradients of a range of rows; those of weight and bias grow in the block's sums.
  void backward_rows(const DenseProblem<T>& problem, std::int64_t rows, T* block_sums, T* scratch) const {
    T* weight = block_sums != nullptr ? block_sums + partial_begin : nullptr;
    kernels().of<T>().dense_backward_rows(problem, 0, rows, weight,
                                          weight != nullptr ? weight + weight_size() : nullptr, scratch);
  }
};

/// Sums of the gradients of several maps, one set per block.
template <class T>
class PartialSums {
 public:
  void add(PackedMap<T>& map) {
    map.partial_begin = size_;
    size_ += map.partial_size();
  }
  void prepare(std::int64_t blocks) {
    values_.reset(new T[static_cast<std::size_t>(blocks * size_)]), blocks_ = blocks;
  }

  /// Starts a block's sums at zero and returns them.
  T* start(std::int64_t block) {
    std::fill_n(of(block), size_, T(0));
    return of(block);
  }
  T* of(std::int64_t block) { return values_.get() + block * size_; }

  /// Adds all blocks, in order, to the first.
  void add_up() {
    constexpr std::int64_t kSlice = 1 << 12;
    const auto& kernel = kernels().of<T>();
    parallel_tasks((size_ + kSlice - 1) / kSlice, [&](std::int64_t slice) {
      const std::int64_t begin = slice * kSlice, count = std::min(kSlice, size_ - begin);
      for (std::int64_t block = 1; block < blocks_; ++block) {
        kernel.add_rows(of(block) + begin, 1, count, of(0) + begin);
      }
    });
  }

  /// After add_up(): the gradients of one map, times `scale`.
  void gradients(const PackedMap<T>& map, T scale, at::Tensor& weight, at::Tensor& bias) {
    const auto& kernel = kernels().of<T>();
    const T* sums = of(0) + map.partial_begin;
    T* to = weight.data_ptr<T>();
    std::fill_n(to, map.out * map.in, T(0));
    kernel.unpack_partial(sums, map.out, map.in, to);
    T* bias_to = bias.data_ptr<T>();
    for (std::int64_t o = 0; o < map.out; ++o) {
      bias_to[o] = sums[map.weight_size() + o] * scale;
    }
    if (scale != T(1)) {
      for (std::int64_t i = 0; i < map.out * map.in; ++i) {
        to[i] *= scale;
      }
    }
  }

 private:
  std::unique_ptr<T[]> values_;
  std::int64_t size_ = 0, blocks_ = 0;
};

}  // namespace factorgcn::cpu
