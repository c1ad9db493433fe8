// Activations and sums per graph (ops/cuda/elementwise.h), Adam (optim/cuda/adam.h) and sums of partial sums
// (ops/cuda/graph_tile.h).
#include "ops/cuda/elementwise.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/activation.h"
#include "factorgcn/ops/segment_reduce.h"
#include "ops/cuda/graph_tile.h"
#include "optim/cuda/adam.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

template <class T>
class ElementwiseKernel : public ::testing::Test {
 protected:
  RandomStream random_{23, "test"};
  at::Tensor values(at::IntArrayRef shape) { return random_tensor(shape, random_, kTypeOf<T>); }
};
TYPED_TEST_SUITE(ElementwiseKernel, FloatTypes);

TYPED_TEST(ElementwiseKernel, ActivationsEqualTheCpu) {
  using T = TypeParam;
  for (const std::int64_t count : {1, 1023, 4096}) {
    for (const bool tanh : {false, true}) {
      const at::Tensor x = this->values({count}) * 3, grad_y = this->values({count}), wide = exact(x);
      const at::Tensor y = activate(wide, tanh ? Activation::kTanh : Activation::kLeakyRelu, 0.25);
      const auto run = [&] {
        Results results{{"y", unwritten<T>({count})}, {"grad x", unwritten<T>({count})}};
        activate_values(place<T>(x), tanh, T(0.25), count, place<T>(results[0].values), nullptr);
        activate_backward(place<T>(grad_y), place<T>(results[0].values), tanh, T(0.25), count,
                          place<T>(results[1].values), nullptr);
        return results;
      };
      expect_results<T>(in_any_order(run), {y, gradients_of({y}, {grad_y}, {wide})[0]});
    }
  }
}

TYPED_TEST(ElementwiseKernel, SumsAndMeansPerGraphEqualTheCpu) {
  using T = TypeParam;
  struct SegmentCase {
    std::vector<std::int64_t> firsts;
    std::int64_t columns;
  };
  // An empty graph, columns in fours and not, more of them than a block takes, graphs that are cut into parts.
  for (const SegmentCase& c :
       {SegmentCase{{0, 3, 3, 10}, 4}, SegmentCase{{0, 50, 51, 70, 71}, 7}, SegmentCase{{0, 40, 60}, 150},
        SegmentCase{{0, 4, 30}, 600}, SegmentCase{{0, 1500, 1500, 2000}, 12}, SegmentCase{{0, 700, 3000}, 5}}) {
    const std::int64_t rows = c.firsts.back(), segments = static_cast<std::int64_t>(c.firsts.size()) - 1;
    SCOPED_TRACE(std::to_string(rows) + " rows, " + std::to_string(c.columns) + " columns");
    const at::Tensor x = this->values({rows, c.columns}), offsets = integers(c.firsts),
                     grad = this->values({segments, c.columns}), wide = exact(x);
    const auto* starts = place<std::int64_t>(offsets);
    for (const bool mean : {false, true}) {
      const at::Tensor expected = mean ? segment_mean(wide, offsets) : segment_sum(wide, offsets);
      const auto run = [&] {
        Results results{{"result", unwritten<T>({segments, c.columns})}, {"grad x", unwritten<T>({rows, c.columns})}};
        const at::Tensor scratch = unwritten<T>({segment_scratch(segments, rows, c.columns)});
        reduce_segments(place<T>(x), starts, segments, rows, c.columns, mean, place<T>(scratch),
                        place<T>(results[0].values), nullptr);
        spread_segments(place<T>(grad), starts, segments, rows, c.columns, mean, place<T>(results[1].values), nullptr);
        return results;
      };
      expect_results<T>(in_any_order(run), {expected, gradients_of({expected}, {grad}, {wide})[0]});
    }
    const auto run_parts = [&] {
      Results results{{"parts", unwritten<T>({segments, segment_parts(segments, rows), c.columns})}};
      reduce_segment_parts(place<T>(x), starts, segments, rows, c.columns, place<T>(results[0].values), nullptr);
      results[0].values = results[0].values.to(at::kDouble).sum(1);
      return results;
    };
    expect_results<T>(in_any_order(run_parts), {segment_sum(wide, offsets)});
  }
  EXPECT_GT(segment_parts(3, 2000), 1) << "or nothing above is cut into parts";
}

TYPED_TEST(ElementwiseKernel, ScaledValuesEqualTheProduct) {
  using T = TypeParam;
  for (const std::int64_t count : {1000, 1027, 3}) {
    const at::Tensor values = this->values({count}), scale = this->values({1});
    const auto run = [&] {
      Results results{{"scaled", unwritten<T>({count})}};
      scale_values(place<T>(values), place<T>(scale), count, place<T>(results[0].values), nullptr);
      return results;
    };
    expect_results<T>(in_any_order(run), {scale.to(at::kDouble) * values.to(at::kDouble)});
  }
}

// Three steps, the first gradients in pieces: one in the middle missing (zeros), one place that no piece covers.
TYPED_TEST(ElementwiseKernel, AdamEqualsItsFormulaAndCountsItsSteps) {
  using T = TypeParam;
  for (const std::int64_t count : {200, 1000}) {
    const at::Tensor values = this->values({count}), flat = this->values({count}), first_piece = this->values({90}),
                     last_piece = this->values({count - 150});
    const double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, decay = 0.01, rate = 0.05;
    const auto run = [&] {
      Results results{{"values", values.clone()},
                      {"gradients", flat.clone()},
                      {"first", at::zeros({count}, values.options())},
                      {"second", at::zeros({count}, values.options())},
                      {"steps", integers({4})}};
      const at::Tensor ended = at::zeros({1}, at::TensorOptions().dtype(at::kInt));
      const at::Tensor rates = at::full({1}, rate, at::TensorOptions().dtype(at::kDouble));
      AdamStep<T> p;
      p.count = count;
      p.values = place<T>(results[0].values);
      p.gradients = place<T>(results[1].values);
      p.first = place<T>(results[2].values);
      p.second = place<T>(results[3].values);
      p.steps = place<std::int64_t>(results[4].values);
      p.ended = place<std::int32_t>(ended);
      p.rate = place<double>(rates);
      p.beta1 = beta1;
      p.beta2 = beta2;
      p.eps = eps;
      p.weight_decay = decay;
      GradientPieces<T> pieces;
      pieces.count = 3;
      pieces.at[0] = {place<T>(first_piece), 0, 90};
      pieces.at[1] = {nullptr, 90, 50};
      pieces.at[2] = {place<T>(last_piece), 150, count - 150};
      for (int step = 0; step < 3; ++step) {
        adam_step(p, step == 0 ? pieces : GradientPieces<T>{}, nullptr);
        EXPECT_EQ(*p.ended, 0);
      }
      return results;
    };
    at::Tensor x = values.to(at::kDouble).clone(), g = flat.to(at::kDouble).clone(), m = at::zeros_like(x),
               v = at::zeros_like(x);
    for (std::int64_t i = 0; i < count; ++i) {
      double &xi = place<double>(x)[i], &gi = place<double>(g)[i], &mi = place<double>(m)[i], &vi = place<double>(v)[i];
      gi = i < 90    ? double(place<T>(first_piece)[i])
           : i < 140 ? 0.0
           : i < 150 ? gi
                     : double(place<T>(last_piece)[i - 150]);
      for (int step = 5; step <= 7; ++step) {
        const double with_decay = gi + decay * xi;
        mi = beta1 * mi + (1 - beta1) * with_decay;
        vi = beta2 * vi + (1 - beta2) * with_decay * with_decay;
        xi -= rate / (1 - std::pow(beta1, step)) * mi / (std::sqrt(vi) / std::sqrt(1 - std::pow(beta2, step)) + eps);
      }
    }
    expect_results<T>(in_any_order(run), {x, g, m, v, integers({7})});
  }
}

TYPED_TEST(ElementwiseKernel, PartialSumsOfSeveralMapsAreAdded) {
  using T = TypeParam;
  // Two maps side by side, scaled; a set of one map; one block.
  const at::Tensor both = this->values({70, 3 * 5 + 2 * 4}), single = this->values({1, 6 * 3}),
                   scale = this->values({1});
  const auto run = [&] {
    Results results{{"first weight", unwritten<T>({3, 4})},  {"first bias", unwritten<T>({3})},
                    {"second weight", unwritten<T>({2, 3})}, {"second bias", unwritten<T>({2})},
                    {"third weight", unwritten<T>({6, 2})},  {"third bias", unwritten<T>({6})}};
    const auto at = [&](int i) { return place<T>(results[i].values); };
    PartialSumSets<T> sets;
    sets.count = 2;
    sets.at[0].partials = place<T>(both);
    sets.at[0].blocks = 70;
    sets.at[0].stride = 23;
    sets.at[0].scale = place<T>(scale);
    sets.at[0].count = 2;
    sets.at[0].maps[0] = {0, 3, 4, at(0), at(1)};
    sets.at[0].maps[1] = {15, 2, 3, at(2), at(3)};
    sets.at[1].partials = place<T>(single);
    sets.at[1].blocks = 1;
    sets.at[1].stride = 18;
    sets.at[1].count = 1;
    sets.at[1].maps[0] = {0, 6, 2, at(4), at(5)};
    add_partial_sums(sets, nullptr);
    return results;
  };
  const at::Tensor sums = both.to(at::kDouble).sum(0) * scale.to(at::kDouble);
  const at::Tensor first = sums.narrow(0, 0, 15).view({3, 5}), second = sums.narrow(0, 15, 8).view({2, 4}),
                   third = single.to(at::kDouble).view({6, 3});
  expect_results<T>(in_any_order(run), {first.narrow(1, 0, 4), first.select(1, 4), second.narrow(1, 0, 3),
                                        second.select(1, 3), third.narrow(1, 0, 2), third.select(1, 2)});
}

}  // namespace
}  // namespace factorgcn::cuda
