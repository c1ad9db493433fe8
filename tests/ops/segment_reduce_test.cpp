// Sums and means per graph against plain slices, in value and gradient.
#include "factorgcn/ops/segment_reduce.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

void check_against_slices(const std::vector<std::int64_t>& bounds, at::IntArrayRef tail) {
  RandomStream random(1, "test");
  std::vector<std::int64_t> shape{bounds.back()};
  shape.insert(shape.end(), tail.begin(), tail.end());
  const at::Tensor offsets = at::tensor(bounds, at::kLong);
  const at::Tensor x = random_tensor(shape, random).requires_grad_();
  for (const bool mean : {true, false}) {
    const at::Tensor result = mean ? segment_mean(x, offsets) : segment_sum(x, offsets);
    shape[0] = static_cast<std::int64_t>(bounds.size()) - 1;
    const at::Tensor direction = random_tensor(shape, random);
    const at::Tensor gradient = torch::autograd::grad({(result * direction).sum()}, {x})[0];
    for (std::size_t g = 0; g + 1 < bounds.size(); ++g) {
      const at::Tensor rows = x.detach().slice(0, bounds[g], bounds[g + 1]);
      const std::int64_t count = bounds[g + 1] - bounds[g];
      const at::Tensor expected = count == 0 ? direction[g] * 0 : (mean ? rows.mean(0) : rows.sum(0));
      EXPECT_LT(difference(result[g], expected), 1e-12);
      const at::Tensor spread = (mean ? direction[g] / count : direction[g]).expand(rows.sizes());
      EXPECT_LT(difference(gradient.slice(0, bounds[g], bounds[g + 1]), spread), 1e-14);
    }
  }
}

TEST(SegmentReduce, EqualsSlices) {
  check_against_slices({0, 3, 4, 10}, {5});
  check_against_slices({0, 3, 3, 10, 10}, {2, 3});
  check_against_slices({0, 7}, {});
}

TEST(SegmentReduce, LargeGraphsAreCutIntoBlocks) {
  check_against_slices({0, 10000, 10001, 30000}, {3});
  check_against_slices({0, 4096}, {2});
}

TEST(SegmentReduce, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const at::Tensor x = random_tensor({50000, 7}, random, at::kFloat);
  const at::Tensor offsets = at::tensor(std::vector<std::int64_t>{0, 20, 45000, 50000}, at::kLong);
  const int threads_before = num_threads();
  set_num_threads(1);
  const at::Tensor expected = segment_mean(x, offsets);
  set_num_threads(3);
  EXPECT_TRUE(segment_mean(x, offsets).equal(expected));
  set_num_threads(threads_before);
}

TEST(SegmentReduce, BadOffsetsAreRefused) {
  RandomStream random(3, "test");
  const at::Tensor x = random_tensor({4, 2}, random);
  const auto with = [&](std::vector<std::int64_t> bounds) {
    return error_text([&] { segment_mean(x, at::tensor(bounds, at::kLong)); });
  };
  EXPECT_EQ(with({0, 3}), "segment_reduce: offsets must rise from 0 to the number of rows, 4");
  EXPECT_EQ(with({0, 3, 2, 4}), "segment_reduce: offsets must rise from 0 to the number of rows, 4");
  EXPECT_EQ(error_text([&] {
              segment_mean(x, at::tensor(std::vector<int>{0, 4}, at::kInt));
            }),
            "segment_reduce: offsets must be a contiguous list of int64 with at least one entry");
}

}  // namespace
}  // namespace factorgcn
