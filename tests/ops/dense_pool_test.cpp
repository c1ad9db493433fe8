// dense_pool against its two parts, in value and gradient.
#include "factorgcn/ops/dense_pool.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/instruction_set.h"
#include "factorgcn/ops/segment_reduce.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

struct Problem {
  std::vector<at::Tensor> inputs;  // x, weight, bias, bias_scale
  at::Tensor offsets, direction;
};

Problem make_problem(const std::vector<std::int64_t>& bounds, std::int64_t factors, std::int64_t in, std::int64_t out,
                     RandomStream& random) {
  const std::int64_t nodes = bounds.back(), graphs = static_cast<std::int64_t>(bounds.size()) - 1;
  return {{random_tensor({nodes, factors, in}, random), random_tensor({out, in}, random), random_tensor({out}, random),
           random_tensor({nodes, factors}, random)},
          at::tensor(bounds, at::kLong),
          random_tensor({graphs, factors, out}, random)};
}

std::vector<at::Tensor> run(const Problem& problem, at::ScalarType type, bool fused) {
  std::vector<at::Tensor> in;
  for (const at::Tensor& tensor : problem.inputs) {
    in.push_back(tensor.to(type).detach().clone().requires_grad_());
  }
  const at::Tensor means = fused ? dense_pool(in[0], in[1], in[2], in[3], problem.offsets)
                                 : segment_mean(dense(in[0], in[1], in[2], in[3], Activation::kTanh), problem.offsets);
  std::vector<at::Tensor> all{means.detach()};
  for (const at::Tensor& gradient : torch::autograd::grad({(means * problem.direction.to(type)).sum()}, in)) {
    all.push_back(gradient);
  }
  return all;
}

TEST(DensePool, EqualsDenseThenMean) {
  RandomStream random(1, "test");
  for (const std::string& name : usable_instruction_sets()) {
    use_instruction_set(name);
    for (const std::vector<std::int64_t>& bounds : std::vector<std::vector<std::int64_t>>{
             {0, 15, 30, 41}, {0, 1}, {0, 3, 3, 9}, {0, 1300, 1310}, {0, 512, 1024}}) {
      for (const std::int64_t factors : {1, 3, 8}) {
        const Problem problem = make_problem(bounds, factors, 9, 18, random);
        const auto expected = run(problem, at::kDouble, false), exact = run(problem, at::kDouble, true);
        const auto single = run(problem, at::kFloat, true);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_LT(difference(exact[i], expected[i]), 1e-12) << "result " << i;
          EXPECT_LT(difference(single[i], expected[i]), 1e-5) << "result " << i;
        }
      }
    }
  }
  use_instruction_set("");
}

TEST(DensePool, SameBitsForAnyNumberOfThreads) {
  RandomStream random(2, "test");
  const Problem problem = make_problem({0, 20, 5000, 5040, 9000}, 4, 9, 18, random);
  const int threads_before = num_threads();
  set_num_threads(1);
  const auto expected = run(problem, at::kFloat, true);
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    const auto actual = run(problem, at::kFloat, true);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_TRUE(actual[i].equal(expected[i])) << "result " << i << " with " << threads << " threads";
    }
  }
  set_num_threads(threads_before);
}

TEST(DensePool, BadArgumentsAreNamed) {
  RandomStream random(3, "test");
  const Problem good = make_problem({0, 4}, 2, 3, 5, random);
  const auto& in = good.inputs;
  EXPECT_EQ(error_text([&] { dense_pool(in[0], in[1].t(), in[2], in[3], good.offsets); }),
            "dense_pool: x has shape [4, 2, 3] and weight [3, 5], expected [nodes, factors, in] and [out, in]");
  EXPECT_EQ(error_text([&] { dense_pool(in[0], in[1], in[3], in[3], good.offsets); }),
            "dense_pool: bias has shape [4, 2], expected [5]");
  EXPECT_EQ(error_text([&] { dense_pool(in[0], in[1], in[2], in[2], good.offsets); }),
            "dense_pool: bias_scale has shape [5], expected [4, 2]");
  EXPECT_EQ(error_text([&] { dense_pool(in[0], in[1], in[2], in[3], good.offsets + 1); }),
            "dense_pool: offsets must rise from 0 to the number of rows, 4");
}

}  // namespace
}  // namespace factorgcn
