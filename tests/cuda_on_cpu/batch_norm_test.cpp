// Batch normalisation (ops/cuda/batch_norm.h): against batch_norm on the CPU.
#include "ops/cuda/batch_norm.h"

#include <ATen/TensorOperators.h>

#include "cuda_on_cpu/device_arrays.h"
#include "factorgcn/ops/batch_norm.h"

namespace factorgcn::cuda {
namespace {

using namespace factorgcn::testing;

struct NormCase {
  std::int64_t rows, real;
  int columns;
  bool training, scaled;
  double slope, offset;
  bool in_one_launch = true;
};

/// Columns that a cluster takes at a time.
template <class T>
constexpr int kGroup = 32 / sizeof(T);

template <class T>
class BatchNormKernel : public ::testing::Test {};
TYPED_TEST_SUITE(BatchNormKernel, FloatTypes);

template <class T>
void check(const NormCase& given) {
  SCOPED_TRACE(std::to_string(given.real) + " of " + std::to_string(given.rows) + " rows, " +
               std::to_string(given.columns) + " columns, training " + std::to_string(given.training));
  RandomStream random(13, "test");
  const auto values = [&](at::IntArrayRef shape) { return random_tensor(shape, random, kTypeOf<T>); };
  const std::int64_t columns = given.columns, padding = given.rows - given.real;
  const at::Tensor x = values({given.rows, columns}) * 2 + given.offset, scale = values({given.rows}) + 1.5,
                   gamma = values({columns}), beta = values({columns}), grad_y = values({given.rows, columns}),
                   mean = values({columns}), variance = values({columns}) + 1.3;
  const at::Tensor real_rows = padding > 0 ? integers({given.real}) : at::Tensor();

  BatchNormState state;
  state.gamma = exact(gamma);
  state.beta = exact(beta);
  state.running_mean = mean.to(at::kDouble).clone();
  state.running_variance = variance.to(at::kDouble).clone();
  const at::Tensor wide = exact(x);
  const at::Tensor y = batch_norm(wide, state, given.training, Activation::kLeakyRelu, given.slope,
                                  given.scaled ? scale.to(at::kDouble) : at::Tensor(), real_rows);
  std::vector<at::Tensor> expected = gradients_of({y}, {grad_y}, {wide, state.gamma, state.beta});
  expected.insert(expected.begin(), y);
  expected.push_back(state.running_mean);
  expected.push_back(state.running_variance);

  const auto run = [&] {
    Results results{{"y", unwritten<T>(x.sizes())},          {"grad x", unwritten<T>(x.sizes())},
                    {"grad gamma", unwritten<T>({columns})}, {"grad beta", unwritten<T>({columns})},
                    {"running mean", mean.clone()},          {"running variance", variance.clone()}};
    const auto at = [&](int i) { return place<T>(results[i].values); };
    const at::Tensor own_mean = unwritten<T>({columns}), own_variance = unwritten<T>({columns});
    const at::Tensor partials = unwritten<double>({batch_norm_partials(given.rows, given.columns)});
    BatchNorm<T> p;
    p.rows = given.rows;
    p.real_rows = place<std::int64_t>(real_rows);
    p.columns = given.columns;
    p.x = place<T>(x);
    p.row_scale = given.scaled ? place<T>(scale) : nullptr;
    p.gamma = place<T>(gamma);
    p.beta = place<T>(beta);
    p.own_moments = given.training;
    p.mean = given.training ? place<T>(own_mean) : at(4);
    p.variance = given.training ? place<T>(own_variance) : at(5);
    p.running_mean = given.training ? at(4) : nullptr;
    p.running_variance = given.training ? at(5) : nullptr;
    p.momentum = static_cast<T>(state.momentum);
    p.eps = static_cast<T>(state.eps);
    p.slope = static_cast<T>(given.slope);
    p.in_one_launch = given.in_one_launch;
    p.partials = place<double>(partials);
    p.y = at(0);
    const std::int64_t before = cuda_on_cpu::launch_count();
    run_batch_norm(p, nullptr);
    p.grad_y = place<T>(grad_y);
    p.grad_x = at(1);
    p.grad_gamma = at(2);
    p.grad_beta = at(3);
    run_batch_norm_backward(p, nullptr);
    const bool few = given.in_one_launch && given.rows <= kFewRows && given.columns % kGroup<T> == 0;
    EXPECT_EQ(cuda_on_cpu::launch_count() - before, few ? 2 : given.training ? 6 : 4) << "launches";
    return results;
  };
  expect_results<T>(in_any_order(run), expected);
}

TYPED_TEST(BatchNormKernel, EqualsTheCpuForWidthsOfFours) {
  check<TypeParam>({100, 100, 8, true, true, 0.2, 0});
  check<TypeParam>({7, 5, 4, true, false, 0.0, 1});
  check<TypeParam>({900, 700, 8, true, true, 0.2, 3});
  check<TypeParam>({50, 40, 4, false, true, 0.2, 0});
  check<TypeParam>({4096, 4001, 4, true, true, 1.0, 0});
}

TYPED_TEST(BatchNormKernel, EqualsTheCpuForOtherWidthsAndManyRows) {
  check<TypeParam>({100, 100, 7, true, true, 0.2, 0});
  check<TypeParam>({33, 20, 3, true, false, 0.0, 2});
  check<TypeParam>({9000, 8500, 4, true, true, 0.2, 1});
  check<TypeParam>({30000, 24000, 4, true, true, 0.2, 1});  // the padding alone would make more ranges
  check<TypeParam>({500, 450, 270, true, true, 0.2, 0});
  check<TypeParam>({60, 50, 5, false, true, 0.2, 0});
}

// Ranges of rows are empty, of one row, or one row short; each both ways.
TYPED_TEST(BatchNormKernel, FewRowsInOneLaunchEqualTheCpuAndThreeLaunches) {
  constexpr int group = kGroup<TypeParam>;
  for (const bool in_one_launch : {true, false}) {
    check<TypeParam>({2, 2, group, true, true, 0.2, 0, in_one_launch});
    check<TypeParam>({9, 1, group, false, true, 0.2, 0, in_one_launch});
    check<TypeParam>({15, 15, group, true, false, 0.0, 1, in_one_launch});
    check<TypeParam>({17, 16, 2 * group, true, true, 0.2, 0, in_one_launch});
    check<TypeParam>({300, 18, group, true, false, 0.2, 2, in_one_launch});
    check<TypeParam>({5000, 4097, 3 * group, true, true, 0.2, 1, in_one_launch});
    check<TypeParam>({5000, 4900, group, false, false, 1.0, 1, in_one_launch});
  }
}

TYPED_TEST(BatchNormKernel, EqualsTheCpuAroundTheLargestNumberOfFewRows) {
  constexpr int group = kGroup<TypeParam>;
  check<TypeParam>({kFewRows, kFewRows, group, true, true, 0.2, 0});
  check<TypeParam>({kFewRows, kFewRows - 1, group, false, true, 0.2, 0});
  check<TypeParam>({kFewRows + 1, kFewRows + 1, group, true, false, 0.2, 0});
}

// One row has no variance, and no rows at all only padding: values are as many launches make them.
TYPED_TEST(BatchNormKernel, OneRowIsItsOwnMean) {
  using T = TypeParam;
  RandomStream random(29, "test");
  constexpr int columns = kGroup<T>;
  const std::int64_t rows = 3;
  const at::Tensor x = random_tensor({rows, columns}, random, kTypeOf<T>),
                   gamma = random_tensor({columns}, random, kTypeOf<T>),
                   beta = random_tensor({columns}, random, kTypeOf<T>), one = integers({1});
  for (const bool in_one_launch : {true, false}) {
    const at::Tensor y = unwritten<T>({rows, columns}), mean = unwritten<T>({columns}),
                     variance = unwritten<T>({columns}),
                     partials = unwritten<double>({batch_norm_partials(rows, columns)});
    BatchNorm<T> p;
    p.rows = rows;
    p.real_rows = place<std::int64_t>(one);
    p.columns = columns;
    p.x = place<T>(x);
    p.gamma = place<T>(gamma);
    p.beta = place<T>(beta);
    p.mean = place<T>(mean);
    p.variance = place<T>(variance);
    p.own_moments = true;
    p.eps = T(1e-5);
    p.in_one_launch = in_one_launch;
    p.partials = place<double>(partials);
    p.y = place<T>(y);
    run_batch_norm(p, nullptr);
    EXPECT_EQ(difference(mean, x[0]), 0);
    EXPECT_EQ(difference(variance, at::full({columns}, 0.0, x.options())), 0);
    EXPECT_LT(difference(y[0], beta), 1e-5);
    EXPECT_EQ(difference(y.narrow(0, 1, 2), at::full({2, columns}, 0.0, x.options())), 0);
  }
}

// Sums are cut where the counted rows say, so that more padding does not change a bit.
TYPED_TEST(BatchNormKernel, PaddingDoesNotChangeABit) {
  using T = TypeParam;
  RandomStream random(31, "test");
  constexpr int columns = kGroup<T>;
  const std::int64_t real = 777;
  const at::Tensor x = random_tensor({2000, columns}, random, kTypeOf<T>), ones = at::full({columns}, 1.0, x.options()),
                   count = integers({real});
  std::vector<at::Tensor> found;
  for (const std::int64_t rows : {std::int64_t(777), std::int64_t(801), std::int64_t(2000)}) {
    const at::Tensor y = unwritten<T>({rows, columns}), grad_x = unwritten<T>({rows, columns}),
                     moments = unwritten<T>({2, columns}), grads = unwritten<T>({2, columns}),
                     partials = unwritten<double>({batch_norm_partials(rows, columns)});
    BatchNorm<T> p;
    p.rows = rows;
    p.real_rows = place<std::int64_t>(count);
    p.columns = columns;
    p.x = place<T>(x);
    p.gamma = p.beta = place<T>(ones);
    p.mean = place<T>(moments);
    p.variance = p.mean + columns;
    p.own_moments = true;
    p.partials = place<double>(partials);
    p.y = place<T>(y);
    run_batch_norm(p, nullptr);
    p.grad_y = p.x;
    p.grad_x = place<T>(grad_x);
    p.grad_beta = place<T>(grads);
    p.grad_gamma = p.grad_beta + columns;
    run_batch_norm_backward(p, nullptr);
    const std::vector<at::Tensor> results{y.narrow(0, 0, real), grad_x.narrow(0, 0, real), moments, grads};
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(std::memcmp(found[i].data_ptr(), results[i].data_ptr(), results[i].nbytes()), 0) << rows << " " << i;
    }
    found = results;
  }
}

// The variance of values whose mean is far away: sums of squares around zero would lose it.
TYPED_TEST(BatchNormKernel, AMeanFarFromZeroDoesNotSwallowTheVariance) {
  for (const int columns : {4, 5, 8}) {
    RandomStream random(17, "test");
    const std::int64_t rows = 3000;
    const at::Tensor x = random_tensor({rows, columns}, random, kTypeOf<TypeParam>) + 1000;
    const at::Tensor ones = at::full({columns}, 1.0, x.options()), zeros = at::full({columns}, 0.0, x.options());
    const at::Tensor y = unwritten<TypeParam>(x.sizes()), mean = unwritten<TypeParam>({columns}),
                     variance = unwritten<TypeParam>({columns});
    const at::Tensor partials = unwritten<double>({batch_norm_partials(rows, columns)});
    BatchNorm<TypeParam> p;
    p.rows = rows;
    p.columns = columns;
    p.x = place<TypeParam>(x);
    p.gamma = place<TypeParam>(ones);
    p.beta = place<TypeParam>(zeros);
    p.mean = place<TypeParam>(mean);
    p.variance = place<TypeParam>(variance);
    p.own_moments = true;
    p.partials = place<double>(partials);
    p.y = place<TypeParam>(y);
    run_batch_norm(p, nullptr);
    EXPECT_LT(difference(variance, x.to(at::kDouble).var(0, false)), 1e-5);
  }
}

}  // namespace
}  // namespace factorgcn::cuda
