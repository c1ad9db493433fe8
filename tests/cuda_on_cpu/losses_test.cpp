// Losses with their gradients: ops/cuda/judge_graphs.h, loss_row.h, mean_loss.h and label_loss() of elementwise.h.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tanh.h>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/dense.h"
#include "factorgcn/ops/factor_label_loss.h"
#include "factorgcn/ops/mean_loss.h"
#include "ops/cuda/elementwise.h"
#include "ops/cuda/judge_graphs.h"
#include "ops/cuda/loss_row.h"
#include "ops/cuda/mean_loss.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

template <class T>
class LossKernel : public ::testing::Test {
 protected:
  RandomStream random_{19, "test"};
  at::Tensor values(at::IntArrayRef shape) { return random_tensor(shape, random_, kTypeOf<T>, 2.0); }
};
TYPED_TEST_SUITE(LossKernel, FloatTypes);

TYPED_TEST(LossKernel, ARowOfLossesIsTheirTotalAndItsParts) {
  using T = TypeParam;
  const at::Tensor losses = this->values({4}), position = integers({2});
  for (const int count : {0, 3}) {
    const auto run = [&] {
      Results results{{"rows", at::full({4, 3}, -1.0, at::TensorOptions().dtype(at::kDouble))}};
      LossRow<T> row;
      row.task = place<T>(losses);
      for (; row.count < count; ++row.count) {
        row.regularisers[row.count] = place<T>(losses) + 1 + row.count;
      }
      row.lambda = 0.25;
      row.position = place<std::int64_t>(position);
      row.rows = place<double>(results[0].values);
      write_loss_row(row, nullptr);
      return results;
    };
    at::Tensor expected = at::full({4, 3}, -1.0, at::TensorOptions().dtype(at::kDouble));
    const at::Tensor wide = losses.to(at::kDouble), sum = wide.narrow(0, 1, count).sum();
    expected[2][0] = wide[0] + 0.25 * sum;
    expected[2][1] = wide[0];
    expected[2][2] = sum;
    expect_results<double>(in_any_order(run), {expected});
  }
}

TYPED_TEST(LossKernel, JudgedGraphsEqualTheCpu) {
  using T = TypeParam;
  struct LossCase {
    std::int64_t graphs, real, parts;
    int factors, width;
  };
  // Over 128 graphs blocks take several each; the last graphs may be padding. Parts are shared among threads where a
  // graph's values are few.
  for (const LossCase& c : {LossCase{1, 1, 1, 2, 5}, LossCase{1, 1, 39, 4, 16}, LossCase{2, 1, 300, 1, 3},
                            LossCase{1, 1, 17, 3, 90}, LossCase{1, 1, 2, 20, 12}, LossCase{6, 4, 3, 4, 8},
                            LossCase{300, 300, 1, 8, 18}, LossCase{290, 140, 2, 3, 7}, LossCase{5, 5, 2, 1, 4}}) {
    SCOPED_TRACE(std::to_string(c.graphs) + " graphs, " + std::to_string(c.factors) + " factors");
    std::vector<std::int64_t> firsts{0};
    for (std::int64_t g = 0; g < c.graphs; ++g) {
      firsts.push_back(firsts.back() + (g == 2 ? 0 : 1 + g % 9));  // one graph is empty
    }
    const at::Tensor offsets = integers(firsts), real = c.real < c.graphs ? integers({c.real}) : at::Tensor();
    const at::Tensor sums = this->values({c.graphs, c.parts, c.factors, c.width}),
                     weight = this->values({c.factors, c.width}), bias = this->values({c.factors});
    ASSERT_TRUE(judge_fits<T>(c.factors, c.width));

    at::Tensor counts = (offsets.narrow(0, 1, c.graphs) - offsets.narrow(0, 0, c.graphs)).to(at::kDouble);
    counts.clamp_min_(1);
    const at::Tensor means = exact(sums.to(at::kDouble).sum(1) / counts.view({-1, 1, 1})), exact_weight = exact(weight),
                     exact_bias = exact(bias);
    const at::Tensor loss = factor_label_loss(dense(at::tanh(means), exact_weight, exact_bias), real);
    std::vector<at::Tensor> expected =
        gradients_of({loss}, {at::full({}, 1.0, means.options())}, {means, exact_weight, exact_bias});
    expected.insert(expected.begin(), loss);

    const auto run = [&](bool training) {
      const int blocks = judge_blocks(c.graphs);
      Results results{{"loss", unwritten<T>({})}, {"grad means", unwritten<T>({c.graphs, c.factors, c.width})}};
      const at::Tensor losses = unwritten<double>({blocks}), partials = unwritten<T>({blocks, c.factors, c.width + 1});
      JudgeGraphs<T> p;
      p.graphs = c.graphs;
      p.graph_offsets = place<std::int64_t>(offsets);
      p.real_graphs = place<std::int64_t>(real);
      p.factors = c.factors;
      p.width = c.width;
      p.parts = c.parts;
      p.sums = place<T>(sums);
      p.weight = place<T>(weight);
      p.bias = place<T>(bias);
      p.losses = place<double>(losses);
      p.loss = place<T>(results[0].values);
      p.grad_means = training ? place<T>(results[1].values) : nullptr;
      p.partials = training ? place<T>(partials) : nullptr;
      judge_graphs(p, nullptr);
      const at::Tensor maps = partials.to(at::kDouble).sum(0);
      results.push_back({"grad weight", maps.narrow(1, 0, c.width).contiguous()});
      results.push_back({"grad bias", maps.narrow(1, c.width, 1).contiguous().view({-1})});
      return results;
    };
    expect_results<T>(in_any_order([&] { return run(true); }), expected);
    expect_results<T>({run(false)[0]}, {loss});
  }
}

TYPED_TEST(LossKernel, JudgesRefuseWhatSharedMemoryDoesNotHold) {
  EXPECT_TRUE(judge_fits<TypeParam>(8, 72));
  EXPECT_FALSE(judge_fits<TypeParam>(64, 400));
}

TYPED_TEST(LossKernel, MeanLossesEqualTheCpu) {
  using T = TypeParam;
  struct LossCase {
    std::int64_t rows, real, columns;
  };
  for (const LossCase& c :
       {LossCase{1, 1, 1}, LossCase{40, 33, 3}, LossCase{3000, 3000, 2}, LossCase{700000 / 128, 3000, 1}}) {
    for (const bool entropy : {false, true}) {
      SCOPED_TRACE(std::to_string(c.rows) + " rows, cross entropy " + std::to_string(entropy));
      const at::Tensor prediction = this->values({c.rows, c.columns}) * 4,
                       targets =
                           entropy ? (this->values({c.rows, c.columns}) + 2) / 4 : this->values({c.rows, c.columns});
      const at::Tensor real = c.real < c.rows ? integers({c.real}) : at::Tensor();
      const at::Tensor wide = exact(prediction);
      const at::Tensor loss =
          mean_loss(entropy ? MeanLoss::kBinaryCrossEntropy : MeanLoss::kAbsolute, wide, targets.to(at::kDouble), real);
      const auto run = [&] {
        Results results{{"loss", unwritten<T>({})}, {"gradient", unwritten<T>({c.rows, c.columns})}};
        const at::Tensor sums = unwritten<double>({mean_loss_blocks(c.rows * c.columns)});
        MeanLossProblem<T> p;
        p.rows = c.rows;
        p.columns = c.columns;
        p.real_rows = place<std::int64_t>(real);
        p.cross_entropy = entropy;
        p.prediction = place<T>(prediction);
        p.targets = place<T>(targets);
        p.loss = place<T>(results[0].values);
        p.gradient = place<T>(results[1].values);
        p.sums = place<double>(sums);
        run_mean_loss(p, nullptr);
        return results;
      };
      expect_results<T>(in_any_order(run),
                        {loss, gradients_of({loss}, {at::full({}, 1.0, wide.options())}, {wide})[0]});
    }
  }
}

TYPED_TEST(LossKernel, LabelLossEqualsTheCpu) {
  using T = TypeParam;
  for (const auto& [graphs, real] : {std::pair{1, 1}, std::pair{50, 31}, std::pair{400, 400}, std::pair{400, 120}}) {
    const int factors = 4;
    const at::Tensor logits = this->values({graphs, factors, factors}),
                     real_graphs = real < graphs ? integers({real}) : at::Tensor();
    const at::Tensor wide = exact(logits), loss = factor_label_loss(wide, real_graphs);
    const auto run = [&, graphs = graphs] {
      Results results{{"loss", unwritten<T>({})}, {"gradient", unwritten<T>({graphs, factors, factors})}};
      const at::Tensor scratch = unwritten<double>({label_loss_scratch(graphs, factors)});
      label_loss(place<T>(logits), graphs, place<std::int64_t>(real_graphs), factors, place<double>(scratch),
                 place<T>(results[0].values), place<T>(results[1].values), nullptr);
      return results;
    };
    expect_results<T>(in_any_order(run), {loss, gradients_of({loss}, {at::full({}, 1.0, wide.options())}, {wide})[0]});
  }
}

}  // namespace
}  // namespace factorgcn::cuda
