// disentangle_stack against a slow twin made of libtorch's own operations on lists of edges, in float64: values,
// moments and every gradient; against finite differences; and against itself with other numbers of threads.
#include "factorgcn/ops/disentangle_stack.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "base/error_text.h"
#include "factorgcn/base/parallel.h"
#include "factorgcn/ops/instruction_set.h"
#include "ops/oracle.h"
#include "ops/random_graphs.h"

namespace factorgcn {
namespace {

using testing::difference;
using testing::random_tensor;

constexpr double kLambda = 0.3;

struct Shape {
  std::vector<std::int64_t> sizes;  // nodes of each graph
  std::int64_t in = 5;
  std::int64_t hidden = 12;
  std::vector<std::int64_t> factors{3, 2};
  bool judged = true, from_output = false;
  enum class Norm { kNone, kOwn, kGiven } norm = Norm::kOwn;
  std::int64_t degree = 3;
};

std::vector<at::Tensor*> tensors_of(StackInputs& inputs) {
  std::vector<at::Tensor*> all{&inputs.x};
  for (StackBlock& block : inputs.blocks) {
    for (at::Tensor* tensor :
         {&block.weight, &block.bias, &block.gate_weight, &block.gate_bias, &block.judge.first_weight,
          &block.judge.first_bias, &block.judge.second_weight, &block.judge.second_bias, &block.judge.classifier_weight,
          &block.judge.classifier_bias, &block.gamma, &block.beta}) {
      if (tensor->defined()) {
        all.push_back(tensor);
      }
    }
  }
  return all;
}

StackInputs random_inputs(const Shape& shape, RandomStream& random) {
  StackInputs inputs;
  std::vector<std::int64_t> bounds{0};
  std::vector<std::int32_t> source, target;
  for (const std::int64_t nodes : shape.sizes) {
    for (std::int64_t edge = 0; nodes > 0 && edge < shape.degree * nodes; ++edge) {
      source.push_back(static_cast<std::int32_t>(bounds.back() + static_cast<std::int64_t>(random.below(nodes))));
      target.push_back(static_cast<std::int32_t>(bounds.back() + static_cast<std::int64_t>(random.below(nodes))));
    }
    bounds.push_back(bounds.back() + nodes);
  }
  inputs.edges = build_adjacency(bounds.back(), source, target);
  inputs.graph_offsets = at::tensor(bounds, at::kLong);
  inputs.x = random_tensor({bounds.back(), shape.in}, random);
  std::int64_t in = shape.in;
  for (const std::int64_t k : shape.factors) {
    const std::int64_t d = shape.hidden / k, m = std::max<std::int64_t>(d / 2, 1);
    StackBlock block;
    block.weight = random_tensor({d, in}, random);
    block.bias = random_tensor({d}, random);
    block.gate_weight = random_tensor({2 * k, d}, random, at::kDouble, 0.2);
    block.gate_bias = random_tensor({2 * k}, random, at::kDouble, 0.2);
    if (shape.judged) {
      block.judge = {random_tensor({m, d}, random), random_tensor({m}, random),    random_tensor({d, m}, random),
                     random_tensor({d}, random),    random_tensor({k, d}, random), random_tensor({k}, random)};
      block.judge_from_output = shape.from_output;
    }
    if (shape.norm != Shape::Norm::kNone) {
      block.gamma = random_tensor({shape.hidden}, random) + 1.5;
      block.beta = random_tensor({shape.hidden}, random);
    }
    if (shape.norm == Shape::Norm::kGiven) {
      block.mean = random_tensor({shape.hidden}, random);
      block.variance = random_tensor({shape.hidden}, random) + 1.5;
    }
    inputs.blocks.push_back(block);
    in = shape.hidden;
  }
  return inputs;
}

/// Row sums or means of each graph.
at::Tensor pooled(const at::Tensor& x, const at::Tensor& offsets, bool mean) {
  std::vector<at::Tensor> rows;
  const auto* at = offsets.data_ptr<std::int64_t>();
  for (std::int64_t g = 0; g + 1 < offsets.numel(); ++g) {
    const std::int64_t count = at[g + 1] - at[g];
    const at::Tensor sum = x.slice(0, at[g], at[g + 1]).sum(0);
    rows.push_back(mean && count > 0 ? sum / static_cast<double>(count) : sum);
  }
  return at::stack(rows);
}

/// The formulas of the header, one after the other, differentiated by libtorch.
StackResult slow_twin(const StackInputs& inputs, const StackOptions& options) {
  StackResult result;
  const NodeWeights weights = node_weights(inputs.edges, options.norm, inputs.x.scalar_type());
  const at::Tensor sizes = inputs.graph_offsets.diff();
  const at::Tensor scale = sizes.to(inputs.x.scalar_type()).pow(-0.5).repeat_interleave(sizes).unsqueeze(1);
  at::Tensor x = inputs.x;
  for (const StackBlock& block : inputs.blocks) {
    const std::int64_t k = block.gate_weight.size(0) / 2;
    const at::Tensor h = at::linear(x, block.weight, block.bias);
    const auto halves = at::linear(h, block.gate_weight, block.gate_bias).split(k, 1);
    const auto sum = [&](const at::Tensor& values) {
      return values.dim() == 2
                 ? oracle::factor_aggregate(inputs.edges, values, halves[0], halves[1], weights, options.gate_scale).out
                 : oracle::factor_aggregate_each(inputs.edges, values, halves[0], halves[1], weights,
                                                 options.gate_scale);
    };
    const at::Tensor raw = sum(h);
    if (block.judge.first_weight.defined()) {
      const DiscriminatorWeights& w = block.judge;
      const at::Tensor p1 = at::tanh(sum(at::linear(h, w.first_weight, w.first_bias)));
      const at::Tensor p2 = at::tanh(sum(at::linear(p1, w.second_weight, w.second_bias)));
      const at::Tensor means = at::tanh(pooled(p2.flatten(1), inputs.graph_offsets, true));
      const at::Tensor logits =
          at::linear(means.view({-1, block.weight.size(0)}), w.classifier_weight, w.classifier_bias);
      std::vector<std::int64_t> labels;
      for (std::int64_t row = 0; row < logits.size(0); ++row) {
        labels.push_back(row % k);
      }
      const at::Tensor loss = at::cross_entropy_loss(logits, at::tensor(labels, at::kLong));
      result.loss = result.loss.defined() ? result.loss + loss : loss;
    }
    at::Tensor z = raw.flatten(1);
    if (options.size_norm) {
      z = z * scale;
    }
    if (block.gamma.defined()) {
      const at::Tensor mean = block.mean.defined() ? block.mean : z.mean(0);
      const at::Tensor variance = block.mean.defined() ? block.variance : (z - mean).square().mean(0);
      if (!block.mean.defined()) {
        result.means.push_back(mean);
        result.variances.push_back(variance);
      }
      z = (z - mean) / (variance + options.eps).sqrt() * block.gamma + block.beta;
    }
    x = at::leaky_relu(z, options.slope);
    if (options.end == StackEnd::kLevelSums) {
      result.ends.push_back(pooled(x, inputs.graph_offsets, false));
    }
  }
  if (options.end == StackEnd::kNodes) {
    result.ends.push_back(x);
  } else if (options.end == StackEnd::kMeans) {
    result.ends.push_back(pooled(x, inputs.graph_offsets, true));
  }
  return result;
}

/// A scalar that depends on all results: the ends in fixed random directions, and the loss.
at::Tensor total(const StackResult& result) {
  RandomStream random(99, "directions");
  at::Tensor sum;
  for (const at::Tensor& end : result.ends) {
    const at::Tensor part = (end * random_tensor(end.sizes(), random).to(end.scalar_type())).sum();
    sum = sum.defined() ? sum + part : part;
  }
  return result.loss.defined() ? sum + kLambda * result.loss : sum;
}

/// Everything a run gives: ends, loss, moments, and the gradients of total() in the order of tensors_of().
std::vector<at::Tensor> everything(const StackInputs& given, const StackOptions& options, at::ScalarType type,
                                   bool twin) {
  StackInputs inputs = given;
  std::vector<at::Tensor> leaves;
  for (at::Tensor* tensor : tensors_of(inputs)) {
    *tensor = tensor->to(type).detach().clone().requires_grad_();
    leaves.push_back(*tensor);
  }
  for (StackBlock& block : inputs.blocks) {
    if (block.mean.defined()) {
      block.mean = block.mean.to(type);
      block.variance = block.variance.to(type);
    }
  }
  const StackResult result = twin ? slow_twin(inputs, options) : disentangle_stack(inputs, options);
  std::vector<at::Tensor> all;
  const auto keep = [&](const std::vector<at::Tensor>& tensors) {
    for (const at::Tensor& tensor : tensors) {
      all.push_back(tensor.detach());
    }
  };
  keep(result.ends);
  keep(result.means);
  keep(result.variances);
  if (result.loss.defined()) {
    keep({result.loss});
  }
  keep(torch::autograd::grad({total(result)}, leaves));
  return all;
}

void expect_equal(const StackInputs& inputs, const StackOptions& options, const std::string& what) {
  const auto expected = everything(inputs, options, at::kDouble, true);
  const auto exact = everything(inputs, options, at::kDouble, false);
  const auto single = everything(inputs, options, at::kFloat, false);
  ASSERT_EQ(exact.size(), expected.size()) << what;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_LT(difference(exact[i], expected[i]), 1e-11) << what << ", result " << i;
    EXPECT_LT(difference(single[i], expected[i]), 2e-3) << what << ", result " << i << " in float";
  }
}

class DisentangleStackOnEveryInstructionSet : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { use_instruction_set(GetParam()); }
  void TearDown() override { use_instruction_set(""); }
};

INSTANTIATE_TEST_SUITE_P(Cpu, DisentangleStackOnEveryInstructionSet, ::testing::ValuesIn(usable_instruction_sets()),
                         [](const auto& info) { return info.param; });

TEST_P(DisentangleStackOnEveryInstructionSet, EqualsTheTwin) {
  RandomStream random(1, "test");
  const std::vector<std::vector<std::int64_t>> batches{{2}, {5, 9, 1, 14}, {3, 0, 8}, {1, 1, 1}, {300, 4}};
  for (const auto& sizes : batches) {
    for (const bool from_output : {false, true}) {
      for (const auto norm : {Shape::Norm::kNone, Shape::Norm::kOwn, Shape::Norm::kGiven}) {
        Shape shape{sizes};
        shape.from_output = from_output;
        shape.norm = norm;
        StackOptions options;
        options.norm = from_output ? EdgeNorm::kSymmetric : EdgeNorm::kSource;
        options.end = StackEnd::kMeans;
        expect_equal(random_inputs(shape, random), options,
                     concat(sizes.size(), " graphs, from_output ", from_output, ", norm ", static_cast<int>(norm)));
      }
    }
  }
}

TEST_P(DisentangleStackOnEveryInstructionSet, EqualsTheTwinForAnyWidth) {
  RandomStream random(2, "test");
  const std::vector<std::pair<std::int64_t, std::vector<std::int64_t>>> widths{
      {1, {1}},     {7, {1, 7, 1}}, {21, {3, 7}},     {32, {4, 2}},  {40, {8, 4, 1}},
      {64, {8, 4}}, {96, {12, 1}},  {110, {5, 1, 1}}, {144, {8, 2}}, {144, {16, 4, 2}}};
  for (const auto& [hidden, factors] : widths) {
    for (const bool from_output : {false, true}) {
      Shape shape{{6, 11, 3}};
      shape.in = 17;
      shape.hidden = hidden;
      shape.factors = factors;
      shape.from_output = from_output;
      shape.degree = from_output ? 12 : 2;  // long and short rows take different kernels
      StackOptions options;
      options.end = from_output ? StackEnd::kNodes : StackEnd::kLevelSums;
      options.size_norm = from_output;
      options.slope = from_output ? 0.0 : 0.2;
      options.norm = from_output ? EdgeNorm::kNone : EdgeNorm::kSymmetric;
      expect_equal(random_inputs(shape, random), options, concat("hidden ", hidden));
    }
  }
}

TEST(DisentangleStack, WithoutDiscriminatorHasNoLoss) {
  RandomStream random(3, "test");
  Shape shape{{4, 6}};
  shape.judged = false;
  const StackInputs inputs = random_inputs(shape, random);
  EXPECT_FALSE(disentangle_stack(inputs, {}).loss.defined());
  expect_equal(inputs, {}, "not judged");
}

TEST(DisentangleStack, WithoutGradientsGivesTheSame) {
  RandomStream random(4, "test");
  const StackInputs inputs = random_inputs(Shape{{4, 6, 9}}, random);
  const auto expected = everything(inputs, {}, at::kDouble, false);
  const StackResult result = disentangle_stack(inputs, {});
  EXPECT_FALSE(result.ends[0].requires_grad());
  EXPECT_TRUE(result.ends[0].equal(expected[0]));
  EXPECT_TRUE(result.loss.equal(expected[5]));
}

TEST(DisentangleStack, GradientIsTheSlope) {
  RandomStream random(5, "test");
  for (const bool from_output : {false, true}) {
    Shape shape{{4, 7, 1}};
    shape.from_output = from_output;
    shape.factors = {2, 4, 1};
    StackOptions options;
    options.end = StackEnd::kMeans;
    StackInputs inputs = random_inputs(shape, random);
    std::vector<at::Tensor> leaves, start, direction;
    for (at::Tensor* tensor : tensors_of(inputs)) {
      tensor->requires_grad_();
      leaves.push_back(*tensor);
      start.push_back(tensor->detach().clone());
      direction.push_back(random_tensor(tensor->sizes(), random));
    }
    const auto gradients = torch::autograd::grad({total(disentangle_stack(inputs, options))}, leaves);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const double slope = (gradients[i] * direction[i]).sum().item<double>();
      const at::NoGradGuard no_gradient;
      const auto value_at = [&](double step) {
        leaves[i].copy_(start[i] + step * direction[i]);
        const double value = total(disentangle_stack(inputs, options)).item<double>();
        leaves[i].copy_(start[i]);
        return value;
      };
      const double step = 1e-6, measured = (value_at(step) - value_at(-step)) / (2 * step);
      EXPECT_NEAR(measured, slope, 1e-6 * std::max(1.0, std::abs(slope))) << "tensor " << i;
    }
  }
}

TEST(DisentangleStack, IsTheSameForAnyThreads) {
  RandomStream random(6, "test");
  Shape shape{std::vector<std::int64_t>(300, 23)};
  shape.hidden = 72;
  shape.factors = {8, 4, 2};
  const StackInputs inputs = random_inputs(shape, random);
  const int before = num_threads();
  for (const bool own : {true, false}) {
    StackInputs used = inputs;
    for (StackBlock& block : used.blocks) {
      block.gamma = own ? block.gamma : at::Tensor();
      block.beta = own ? block.beta : at::Tensor();
    }
    set_num_threads(1);
    const auto one = everything(used, {}, at::kFloat, false);
    for (const int threads : {2, 4}) {
      set_num_threads(threads);
      const auto several = everything(used, {}, at::kFloat, false);
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_TRUE(one[i].equal(several[i])) << "result " << i << ", " << threads << " threads";
      }
    }
  }
  set_num_threads(before);
}

TEST(DisentangleStack, GoesBackTwiceOnlyWhenAsked) {
  RandomStream random(7, "test");
  StackInputs inputs = random_inputs(Shape{{4, 5}}, random);
  inputs.x.requires_grad_();
  const at::Tensor value = total(disentangle_stack(inputs, {}));
  const at::Tensor first = torch::autograd::grad({value}, {inputs.x}, {}, true)[0];
  EXPECT_TRUE(first.equal(torch::autograd::grad({value}, {inputs.x})[0]));
}

TEST(DisentangleStack, NamesWhatDoesNotFit) {
  RandomStream random(8, "test");
  const StackInputs good = random_inputs(Shape{{4, 5}}, random);
  const auto message = [&](const auto& spoil) {
    StackInputs inputs = good;
    spoil(inputs);
    return error_text([&] { disentangle_stack(inputs, {}); });
  };
  const auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(
      has(message([](StackInputs& in) { in.blocks[1].weight = in.blocks[0].weight; }), "weight of block 2 has shape"));
  EXPECT_TRUE(has(message([](StackInputs& in) { in.blocks[0].judge.second_bias = in.blocks[0].judge.first_bias; }),
                  "second_bias of block 1"));
  EXPECT_TRUE(has(message([](StackInputs& in) { in.blocks[1].gamma = at::Tensor(); }), "either all blocks"));
  EXPECT_TRUE(has(message([](StackInputs& in) { in.blocks.clear(); }), "no blocks"));
  EXPECT_TRUE(has(message([](StackInputs& in) { in.graph_offsets = in.graph_offsets + 1; }), "offsets must rise"));
}

}  // namespace
}  // namespace factorgcn
