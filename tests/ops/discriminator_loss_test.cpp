// discriminator_loss against the composition of the other operations, in value and every gradient.
#include "factorgcn/ops/discriminator_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/dense_pool.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

constexpr double kGateScale = 6.0;

/// Graphs of the given sizes, each with random edges of its own; sizes of 0 are graphs without nodes.
struct Problem {
  Adjacency edges;
  at::Tensor offsets;
  bool from_output = false;
  std::vector<at::Tensor> inputs;  // x, gate_sum, left, right, six weights

  Problem(const std::vector<std::int64_t>& sizes, std::int64_t factors, std::int64_t width, bool output,
          RandomStream& random)
      : from_output(output) {
    std::vector<std::int64_t> bounds{0};
    std::vector<std::int32_t> source, target;
    for (const std::int64_t nodes : sizes) {
      for (std::int64_t edge = 0; nodes > 0 && edge < 3 * nodes; ++edge) {
        source.push_back(static_cast<std::int32_t>(bounds.back() + static_cast<std::int64_t>(random.below(nodes))));
        target.push_back(static_cast<std::int32_t>(bounds.back() + static_cast<std::int64_t>(random.below(nodes))));
      }
      bounds.push_back(bounds.back() + nodes);
    }
    const std::int64_t nodes = bounds.back(), narrow = std::max<std::int64_t>(width / 2, 1);
    edges = build_adjacency(nodes, source, target);
    offsets = at::tensor(bounds, at::kLong);
    inputs = {from_output ? random_tensor({nodes, factors, width}, random) : random_tensor({nodes, width}, random),
              random_tensor({nodes, factors}, random),
              random_tensor({nodes, factors}, random, at::kDouble, 0.3),
              random_tensor({nodes, factors}, random, at::kDouble, 0.3),
              random_tensor({narrow, width}, random),
              random_tensor({narrow}, random),
              random_tensor({width, narrow}, random),
              random_tensor({width}, random),
              random_tensor({factors, width}, random),
              random_tensor({factors}, random)};
  }

  at::Tensor loss(const std::vector<at::Tensor>& in, bool tiles) const {
    const NodeWeights weights = node_weights(edges, EdgeNorm::kSymmetric, in[0].scalar_type());
    if (tiles) {
      return discriminator_loss(edges, offsets, in[0], in[1], in[2], in[3], weights, kGateScale,
                                {in[4], in[5], in[6], in[7], in[8], in[9]});
    }
    const at::Tensor p1 =
        from_output
            ? dense(in[0], in[4], in[5], in[1], Activation::kTanh)
            : activate(factor_aggregate(edges, dense(in[0], in[4], in[5]), in[2], in[3], weights, kGateScale).out,
                       Activation::kTanh);
    const at::Tensor sums = factor_aggregate_each(edges, p1, in[2], in[3], weights, kGateScale);
    const at::Tensor means = dense_pool(sums, in[6], in[7], in[1], offsets);
    return factor_label_loss(dense(activate(means, Activation::kTanh), in[8], in[9]));
  }

  /// The loss and its ten gradients, the loss weighted as a trainer does.
  std::vector<at::Tensor> run(at::ScalarType type, bool tiles) const {
    std::vector<at::Tensor> in;
    for (const at::Tensor& tensor : inputs) {
      in.push_back(tensor.to(type).detach().clone().requires_grad_());
    }
    const at::Tensor value = loss(in, tiles);
    std::vector<at::Tensor> all{value.detach()};
    for (const at::Tensor& gradient : torch::autograd::grad({value * 0.5}, in)) {
      all.push_back(gradient);
    }
    return all;
  }
};

class DiscriminatorLossOnEveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, DiscriminatorLossOnEveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

TEST_P(DiscriminatorLossOnEveryInstructionSet, EqualsTheComposition) {
  RandomStream random(1, "test");
  const std::vector<std::vector<std::int64_t>> batches{{1}, {5, 9, 1, 14}, {3, 0, 8}, {700, 4}, {40, 41, 42, 43, 44}};
  for (const auto& sizes : batches) {
    for (const std::int64_t factors : {1, 3, 8}) {
      for (const bool from_output : {false, true}) {
        const Problem problem(sizes, factors, 18, from_output, random);
        const auto expected = problem.run(at::kDouble, false), exact = problem.run(at::kDouble, true);
        const auto single = problem.run(at::kFloat, true);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_LT(difference(exact[i], expected[i]), 1e-12) << "result " << i << ", " << factors << " factors";
          EXPECT_LT(difference(single[i], expected[i]), 3e-5) << "result " << i << ", " << factors << " factors";
        }
      }
    }
  }
}

TEST(DiscriminatorLoss, IsTheSameForAnyThreads) {
  RandomStream random(2, "test");
  const Problem problem(std::vector<std::int64_t>(300, 23), 8, 18, false, random);
  const int before = num_threads();
  set_num_threads(1);
  const auto one = problem.run(at::kFloat, true);
  set_num_threads(3);
  const auto three = problem.run(at::kFloat, true);
  set_num_threads(before);
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_TRUE(one[i].equal(three[i])) << "result " << i;
  }
}

TEST(DiscriminatorLoss, NamesWhatDoesNotFit) {
  RandomStream random(3, "test");
  Problem problem({4, 5}, 3, 6, false, random);
  problem.inputs[1] = problem.inputs[1].narrow(1, 0, 2);
  EXPECT_NE(error_text([&] { problem.loss(problem.inputs, true); }).find("gate_sum has shape"), std::string::npos);
}

}  // namespace
}  // namespace factorgcn
