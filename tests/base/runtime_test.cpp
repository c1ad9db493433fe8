// prepare_process: large tensors lie in memory that is kept, small ones do not, and all can be freed and grown.
#include "factorgcn/base/runtime.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "factorgcn/base/parallel.h"

namespace factorgcn {
namespace {

TEST(PrepareProcess, LargeTensorsComeFromKeptMemory) {
  const int threads_before = num_threads();
  prepare_process(1);
  prepare_process(threads_before);
  EXPECT_EQ(num_threads(), threads_before);

  constexpr std::int64_t kLarge = std::int64_t{4} << 20;  // values, 16 MiB
  at::Tensor large = at::ones({kLarge}), second = at::ones({kLarge});
  void* const place = large.data_ptr();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(place) % (2 << 20), 0U);
  EXPECT_NE(second.data_ptr(), place);
  large = at::Tensor();
  EXPECT_EQ(at::empty({kLarge - 1}).data_ptr(), place);
  second.resize_({2 * kLarge});
  EXPECT_EQ(second.slice(0, 0, kLarge).sum().item<double>(), static_cast<double>(kLarge));

  EXPECT_EQ(at::empty({0}).numel(), 0);
  at::Tensor grown = at::ones({3});
  grown.resize_({kLarge});
  EXPECT_EQ(grown.slice(0, 0, 3).sum().item<double>(), 3.0);
}

}  // namespace
}  // namespace factorgcn
