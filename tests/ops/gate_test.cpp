// The gate's formula (ops/gate.h) beside one of its own in float64 and beside finite differences: on numbers, on
// vectors, and as the kernels of this machine apply it to an edge.
#include "ops/gate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include <cmath>
#include <limits>
#include <vector>

#include "factorgcn/ops/factor_aggregate.h"

namespace factorgcn {
namespace {

constexpr double kScales[] = {0.5, 1.0, 6.0, 40.0};
constexpr double kLogits[] = {-2.0, -0.7, -0.1, -1e-3, 0.0, 0.03, 0.25, 0.9, 3.0};

/// The formula once more, for no kernel.
double expected_value(double scale, double logit) { return 1 / (1 + std::exp(-scale * logit)); }
double expected_derivative(double scale, double logit) {
  const double e = std::exp(-scale * std::abs(logit));
  return scale * e / ((1 + e) * (1 + e));
}

/// Four numbers, with the operators that the formula needs.
template <class T>
struct FourNumbers {
  T at[4];
  friend FourNumbers operator*(FourNumbers a, FourNumbers b) {
    return {{a.at[0] * b.at[0], a.at[1] * b.at[1], a.at[2] * b.at[2], a.at[3] * b.at[3]}};
  }
  friend FourNumbers operator*(FourNumbers a, T b) { return a * FourNumbers{{b, b, b, b}}; }
  friend FourNumbers operator-(T a, FourNumbers b) { return {{a - b.at[0], a - b.at[1], a - b.at[2], a - b.at[3]}}; }
};

/// A back end of plain C++.
template <class T>
class PlainSigmoid {
 public:
  using Value = T;
  explicit PlainSigmoid(T scale) : scale_(scale) {}
  T operator()(T x) const { return 1 / (1 + std::exp(-scale_ * x)); }
  FourNumbers<T> operator()(FourNumbers<T> x) const {
    return {{(*this)(x.at[0]), (*this)(x.at[1]), (*this)(x.at[2]), (*this)(x.at[3])}};
  }

 private:
  T scale_;
};

template <class T>
class GateOf : public ::testing::Test {
 protected:
  using Gate = GateFormula<PlainSigmoid<T>>;
  static constexpr double kRounding = std::numeric_limits<T>::epsilon();
};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(GateOf, Precisions);

TYPED_TEST(GateOf, ValueAndDerivativeByFormula) {
  using T = TypeParam;
  for (const double scale : kScales) {
    const typename TestFixture::Gate gate_of(static_cast<T>(scale));
    for (const double logit : kLogits) {
      const T given = static_cast<T>(logit), c = gate_of(given);
      // An error of the exponent, in units of the last place, is one of the exponential.
      const double bound = (8 + 2 * scale * std::abs(logit)) * TestFixture::kRounding;
      EXPECT_NEAR(c, expected_value(scale, double(given)), bound) << scale << " " << logit;
      EXPECT_NEAR(gate_of.scaled(gate_of.slope(c)), expected_derivative(scale, double(given)), scale * bound)
          << scale << " " << logit;
      const double weighted = 0.75 * expected_derivative(scale, double(given));
      EXPECT_NEAR(gate_of.scaled(gate_of.weighted(c, T(0.75)).slope), weighted, scale * bound) << scale << " " << logit;
    }
  }
}

TYPED_TEST(GateOf, DerivativeByFiniteDifferences) {
  using T = TypeParam;
  const double root = std::cbrt(TestFixture::kRounding);
  for (const double scale : kScales) {
    const typename TestFixture::Gate gate_of(static_cast<T>(scale));
    for (const double logit : kLogits) {
      const T low = static_cast<T>(logit - root / scale), high = static_cast<T>(logit + root / scale);
      const double slope = (double(gate_of(high)) - double(gate_of(low))) / (double(high) - double(low));
      const T c = gate_of(static_cast<T>(logit));
      EXPECT_NEAR(gate_of.scaled(gate_of.slope(c)), slope, 4 * scale * root * root) << scale << " " << logit;
    }
  }
}

TYPED_TEST(GateOf, LanesOfVectorsAreNumbers) {
  using T = TypeParam;
  const typename TestFixture::Gate gate_of(T(6));
  const FourNumbers<T> logits{{T(-0.5), T(0.125), T(0), T(0.75)}}, c = gate_of(logits), slope = gate_of.slope(c);
  const auto weighted = gate_of.weighted(c, T(0.3));
  for (int lane = 0; lane < 4; ++lane) {
    EXPECT_EQ(c.at[lane], gate_of(logits.at[lane]));
    EXPECT_EQ(slope.at[lane], gate_of.slope(c.at[lane]));
    EXPECT_EQ(weighted.value.at[lane], gate_of.weighted(c.at[lane], T(0.3)).value);
    EXPECT_EQ(weighted.slope.at[lane], gate_of.weighted(c.at[lane], T(0.3)).slope);
  }
}

// One edge 0 -> 1: the sum of gates at 1 is its gate, and its gradient in both tables the gate's derivative.
TYPED_TEST(GateOf, KernelsUseIt) {
  using T = TypeParam;
  const std::vector<std::int32_t> source{0}, target{1};
  const Adjacency edges = build_adjacency(2, source, target);
  const auto options = at::TensorOptions().dtype(c10::CppTypeToScalarType<T>::value);
  for (const std::int64_t factors : {1, 3, 4}) {  // by vectors of factors, and one by one
    for (const double scale : kScales) {
      for (const double logit : kLogits) {
        const at::Tensor left = at::full({2, factors}, logit / 2, options).requires_grad_(true);
        const at::Tensor right = at::full({2, factors}, logit / 2, options).requires_grad_(true);
        const double given = double(left.detach().template data_ptr<T>()[0]) * 2;
        const double bound = (8 + 2 * scale * std::abs(logit)) * TestFixture::kRounding;
        const auto sums = factor_aggregate(edges, at::full({2, 5}, 1.0, options), left, right, {}, scale);
        const auto gradients = torch::autograd::grad({sums.gate_sum.sum()}, {left, right});
        const at::Tensor gates = factor_gates(edges, left.detach(), right.detach(), scale);
        for (std::int64_t k = 0; k < factors; ++k) {
          const double c = expected_value(scale, given), derivative = expected_derivative(scale, given);
          EXPECT_NEAR(gates[0][k].item().toDouble(), c, bound) << scale << " " << logit;
          EXPECT_NEAR(sums.gate_sum[1][k].item().toDouble(), c, bound) << scale << " " << logit;
          EXPECT_NEAR(gradients[0][0][k].item().toDouble(), derivative, scale * bound) << scale << " " << logit;
          EXPECT_NEAR(gradients[1][1][k].item().toDouble(), derivative, scale * bound) << scale << " " << logit;
        }
      }
    }
  }
}

}  // namespace
}  // namespace factorgcn
