// Tests of the GPU's operations: skipped, with the reason, where there is no GPU.
#pragma once

#include <ATen/core/Tensor.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "factorgcn/gpu/device.h"
#include "ops/random_graphs.h"

namespace factorgcn::testing {

/// On top of a fixture of GoogleTest's.
template <class Fixture>
class SkippedWithoutGpu : public Fixture {
 protected:
  void SetUp() override {
    if (!gpu_usable()) {
      GTEST_SKIP() << "no GPU that this build can use";
    }
  }
};

using OnGpu = SkippedWithoutGpu<::testing::Test>;
template <class Case>
using CaseOnGpu = SkippedWithoutGpu<::testing::TestWithParam<Case>>;

inline at::Device gpu() { return at::Device(at::kCUDA, 0); }

inline Adjacency on_gpu(const Adjacency& edges) {
  return {edges.in_offsets.to(gpu()), edges.in_sources.to(gpu()), edges.out_offsets.to(gpu()),
          edges.out_targets.to(gpu()), edges.in_to_out.to(gpu())};
}

using Tensors = std::vector<at::Tensor>;

/// Runs `work` on float64 inputs in main memory and on the GPU in both precisions, and compares; twice on the GPU in
/// float32, which must give the same bits. `work` takes the inputs (moved and cast) and their device.
inline void expect_same_on_gpu(const Tensors& inputs, const std::function<Tensors(const Tensors&, at::Device)>& work,
                               double single_tolerance = 3e-6, double double_tolerance = 1e-11) {
  const auto run = [&](at::Device device, at::ScalarType type) {
    Tensors moved;
    for (const at::Tensor& input : inputs) {
      const at::Tensor there = input.detach().to(device);
      moved.push_back(at::isFloatingType(input.scalar_type()) ? there.to(type).clone().requires_grad_() : there);
    }
    Tensors results = work(moved, device);
    for (at::Tensor& result : results) {
      result = result.detach().to(at::kCPU);
    }
    return results;
  };
  const Tensors expected = run(at::Device(at::kCPU), at::kDouble);
  const Tensors wide = run(gpu(), at::kDouble), narrow = run(gpu(), at::kFloat), again = run(gpu(), at::kFloat);
  ASSERT_EQ(wide.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(difference(wide[i], expected[i]), double_tolerance) << "result " << i << " in float64";
    EXPECT_LT(difference(narrow[i], expected[i]), single_tolerance) << "result " << i << " in float32";
    EXPECT_TRUE(narrow[i].equal(again[i])) << "result " << i << " differs from run to run";
  }
}

}  // namespace factorgcn::testing
