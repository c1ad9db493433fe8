// What the tests of kernels share. "Device memory" is tensors on the CPU: allocations of exactly their size. Results
// start as NaN, so that a place which no thread writes is seen. What is expected is computed in float64 by the
// library's CPU operations and their gradients, from the very inputs that the kernel gets.
#pragma once

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cuda_on_cpu/device.h"
#include "ops/random_graphs.h"

namespace factorgcn::testing {

template <class T>
inline constexpr at::ScalarType kTypeOf = std::is_same_v<T, float> ? at::kFloat : at::kDouble;

using FloatTypes = ::testing::Types<float, double>;

/// Null where the tensor is undefined.
template <class T>
T* place(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.data_ptr<T>() : nullptr;
}

template <class T>
at::Tensor unwritten(at::IntArrayRef shape) {
  return at::full(shape, std::numeric_limits<double>::quiet_NaN(), at::TensorOptions().dtype(kTypeOf<T>));
}

inline at::Tensor integers(const std::vector<std::int64_t>& values) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(values.size())}, at::TensorOptions().dtype(at::kLong));
  std::copy(values.begin(), values.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

/// For the reference: the same values in float64, of which gradients can be taken.
inline at::Tensor exact(const at::Tensor& tensor) {
  return tensor.defined() ? tensor.to(at::kDouble).clone().requires_grad_() : tensor;
}

/// The gradients of sum of <results, directions>.
inline std::vector<at::Tensor> gradients_of(const std::vector<at::Tensor>& results,
                                            const std::vector<at::Tensor>& directions,
                                            const std::vector<at::Tensor>& inputs) {
  std::vector<at::Tensor> wide;
  for (const at::Tensor& direction : directions) {
    wide.push_back(direction.to(at::kDouble));
  }
  return torch::autograd::grad(results, inputs, wide);
}

struct Result {
  std::string name;
  at::Tensor values;
};
using Results = std::vector<Result>;

/// Runs kernels in ascending and in two drawn orders of blocks and threads: the bits must be the same each time.
template <class Run>
Results in_any_order(const Run& run) {
  Results first = run();
  for (const std::uint64_t seed : {1, 2}) {
    cuda_on_cpu::set_order(seed);
    const Results again = run();
    cuda_on_cpu::set_order(0);
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::size_t bytes = first[i].values.nbytes();
      EXPECT_TRUE(bytes == 0 || std::memcmp(again[i].values.data_ptr(), first[i].values.data_ptr(), bytes) == 0)
          << first[i].name << " depends on the order of blocks or threads (" << seed << ")";
    }
  }
  return first;
}

/// Relative to the largest value, where that is above 1.
template <class T>
void expect_results(const Results& actual, const std::vector<at::Tensor>& expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(difference(actual[i].values, expected[i].detach().reshape(actual[i].values.sizes())),
              sizeof(T) == sizeof(float) ? 1e-5 : 1e-12)
        << actual[i].name;
  }
}

/// Random graphs of the given sizes side by side, and their offsets.
inline Adjacency graphs_side_by_side(const std::vector<std::int64_t>& sizes, int edges_per_node, RandomStream& random,
                                     at::Tensor& offsets) {
  std::vector<std::int64_t> firsts{0};
  std::vector<std::int32_t> source, target;
  for (const std::int64_t size : sizes) {
    const auto first = static_cast<std::int32_t>(firsts.back());
    for (std::int64_t e = 0; e < size * edges_per_node; ++e) {
      source.push_back(first + static_cast<std::int32_t>(random.below(size)));
      target.push_back(first + static_cast<std::int32_t>(random.below(size)));
    }
    firsts.push_back(firsts.back() + size);
  }
  offsets = integers(firsts);
  return build_adjacency(firsts.back(), source, target);
}

}  // namespace factorgcn::testing
